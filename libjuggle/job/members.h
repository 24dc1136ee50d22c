/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads that a job balances or has balanced, and what each has come to. Pure. */
#ifndef JUGGLE_JOB_MEMBERS_H
#define JUGGLE_JOB_MEMBERS_H

#include "libjuggle/job/roster.h"
#include "libjuggle/policy/policy.h"

/* A thread that is balanced no more and ran for less than this share of what the busiest did was
 * the start or the end of a helper. Waiting does not count, which on a busy machine everybody does.
 */
#define MEMBERS_RUN_SHARE 0.1
/* Helpers are only counted as long as all of them together ran for less than this share of what all
 * members did. More is work: then each is told of. */
#define MEMBERS_HELPERS_SHARE 0.05

enum { MEMBER_NONE = -1 }; /* in place of an index */

enum member_state {
    MEMBER_BALANCED,
    MEMBER_LEFT, /* alive, but a worker no more */
    MEMBER_ENDED,
};

struct member {
    struct thread_id id;
    struct comm comm;
    enum member_state state;
    int cpu;                 /* the kernel's number of its home; -1: it had none yet */
    struct thread_view view; /* totals over all the times that it was balanced */
    struct thread_view base; /* totals before it was balanced this time */
};

struct members;

/* Room for `members_max`; when it is full the members that ended first are forgotten. */
int members_create(int members_max, struct members **members) MUST_CHECK;
void members_destroy(struct members *members);

/* The check that failed first, or NULL. */
const char *members_fault(const struct members *members);

/* The thread is balanced from now on; one that left alive goes on where it was, at this index, or
 * MEMBER_NONE if it is new. Its index. */
int members_join(struct members *members, const struct thread_info *info, int index);
void members_rename(struct members *members, int index, const struct comm *comm);
/* What the policy sees of it now; `cpu` as in struct member. */
void members_update(struct members *members, int index, const struct thread_view *view, int cpu);
void members_leave(struct members *members, int index, enum member_state state);
/* A thread that may have left has ended. As members_join. */
void members_end(struct members *members, int index, const struct thread_id *id);

int members_limit(const struct members *members); /* the count of indexes */
const struct member *members_get(const struct members *members, int index);

/* Members that are counted only: helpers, and those that were forgotten. */
struct members_untold {
    bool helpers; /* are among them */
    int64_t count;
    int64_t progress_ns; /* theirs */
};

struct members_untold members_untold(const struct members *members);
bool members_tell(const struct members *members, const struct members_untold *untold, int index);

#endif
