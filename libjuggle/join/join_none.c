/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/join/join.h"

#include "libjuggle/join/name.h"

#include <errno.h>
#include <stdio.h>

static int refuse(char *problem)
{
    snprintf(problem, JOIN_PROBLEM_SIZE, "this library was built without jansson");
    return -ENOTSUP;
}

int join_begin(const struct join_request *request, char problem[JOIN_PROBLEM_SIZE],
               struct juggle_membership **membership)
{
    (void)request;
    (void)membership;
    return refuse(problem);
}

int join_as_wished(char problem[JOIN_PROBLEM_SIZE], struct juggle_membership **membership)
{
    const char *name;

    if (join_wish(&name))
        return refuse(problem);
    *membership = NULL;
    return 0;
}

void join_end(struct juggle_membership *membership)
{
    (void)membership;
}

const char *membership_job(const struct juggle_membership *membership)
{
    (void)membership;
    return "";
}

const char *membership_ignored(const struct juggle_membership *membership)
{
    (void)membership;
    return "";
}
