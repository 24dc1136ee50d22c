/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the calling process to a job of its node that others belong to, too: as juggle --join,
 * juggle_join() and the stealing runtime do.
 *
 * The node's juggled balances the job; where there is none, a coordinator of the user's own does
 * (libjuggle/join/coordinator.h). */
#ifndef JUGGLE_JOIN_JOIN_H
#define JUGGLE_JOIN_JOIN_H

#include "libjuggle/ground/units.h"
#include "libjuggle/join/name.h"

struct wish;

enum { JOIN_PROBLEM_SIZE = 256 };

/* Whether juggled is asked. */
enum service_use {
    SERVICE_AUTO, /* if it runs, and nothing is wanted that it cannot do */
    SERVICE_NEVER,
    SERVICE_ALWAYS,
};

struct join_request {
    const char *name;        /* NULL: as the launcher of this process calls its job */
    const struct wish *wish; /* of a job that is made; NULL: as the service chooses */
    enum service_use use;
};

struct juggle_membership;

/* When it fails `problem` says why, in words that follow "cannot join: ". -EINVAL: the name or an
 * option is not usable; -ENOTSUP: nobody is there to balance, or this was built without jansson;
 * -EBUSY: the process is in another job; -EUSERS: there are as many jobs or processes as there may
 * be; -EPERM: it is not allowed, or another user has taken the coordinator's place; -ECANCELED: the
 * job cannot be balanced; others of connect. */
int join_begin(const struct join_request *request, char problem[JOIN_PROBLEM_SIZE],
               struct juggle_membership **membership) MUST_CHECK;

/* The same as the user wishes by the variable JUGGLE: "1" is the launcher's job, any other text
 * but "0" the name of one. Without a wish *membership is NULL. */
MUST_CHECK static inline int join_as_wished(char problem[JOIN_PROBLEM_SIZE],
                                            struct juggle_membership **membership)
{
    struct join_request request = {0};

    if (join_wish(&request.name))
        return join_begin(&request, problem, membership);
    *membership = NULL;
    return 0;
}

/* The process leaves what it has joined as often as it has joined it. Accepts NULL. */
void join_end(struct juggle_membership *membership);

/* UID/NAME. */
const char *membership_job(const struct juggle_membership *membership);
/* Names of what was wished in vain, as others have made the job with another wish; mostly none. */
const char *membership_ignored(const struct juggle_membership *membership);

#endif
