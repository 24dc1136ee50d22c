/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the calling process to a job of its node that several processes share. juggle --join,
 * juggle_join() and the stealing runtime use this.
 *
 * The node's juggled balances the job. If there is none, a coordinator of the user's own does
 * (libjuggle/join/coordinator.h). */
#ifndef JUGGLE_JOIN_JOIN_H
#define JUGGLE_JOIN_JOIN_H

#include "libjuggle/ground/units.h"
#include "libjuggle/join/name.h"

struct wish;

enum { JOIN_PROBLEM_SIZE = 256 };

/* Whether the node's juggled is asked. */
enum service_use {
    SERVICE_AUTO, /* if it runs, and nothing is wanted that it cannot do */
    SERVICE_NEVER,
    SERVICE_ALWAYS,
};

struct join_request {
    const char *name;        /* NULL: as the launcher of this process calls its job */
    const struct wish *wish; /* of the job, if this makes it; NULL: as the service chooses */
    enum service_use use;
};

struct juggle_membership;

/* Joins the job. On failure `problem` says why, in words that follow "cannot join: ". -EINVAL: the
 * name or an option is not usable; -ENOTSUP: there is no juggled, or this was built without
 * jansson; -EBUSY: the process is in another job; -EUSERS: the limit of jobs or processes is
 * reached; -EPERM: it is not allowed, or another user has bound the coordinator's address;
 * -ECANCELED: the job cannot be balanced; others of connect. */
int join_begin(const struct join_request *request, char problem[JOIN_PROBLEM_SIZE],
               struct juggle_membership **membership) MUST_CHECK;

/* Joins the job that the environment variable JUGGLE names: "1" is the launcher's job, any other
 * text but "0" is a name. If it is "0", empty or not set, joins nothing and sets *membership to
 * NULL. */
MUST_CHECK static inline int join_as_wished(char problem[JOIN_PROBLEM_SIZE],
                                            struct juggle_membership **membership)
{
    struct join_request request = {0};

    if (join_wish(&request.name))
        return join_begin(&request, problem, membership);
    *membership = NULL;
    return 0;
}

/* Takes one joining back: the process leaves the job when it has called this as often as
 * join_begin. Accepts NULL. */
void join_end(struct juggle_membership *membership);

/* The name of the job in the service: UID/NAME. */
const char *membership_job(const struct juggle_membership *membership);
/* The names of the fields of the wish that have no effect, because another process has made the job
 * with a different wish. Mostly empty. */
const char *membership_ignored(const struct juggle_membership *membership);

#endif
