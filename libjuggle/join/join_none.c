/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/join/join.h"

#include <errno.h>
#include <stdio.h>

int join_begin(const struct join_request *request, char problem[JOIN_PROBLEM_SIZE],
               struct juggle_membership **membership)
{
    (void)request;
    (void)membership;
    snprintf(problem, JOIN_PROBLEM_SIZE,
             "this library cannot join a job: it was built without jansson");
    return -ENOTSUP;
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
