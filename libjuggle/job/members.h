/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads that a job balances or has balanced, with the totals of each. Pure. */
#ifndef JUGGLE_JOB_MEMBERS_H
#define JUGGLE_JOB_MEMBERS_H

#include "libjuggle/job/roster.h"
#include "libjuggle/policy/policy.h"

/* A thread that is no longer balanced and ran for less than this share of the run time of the
 * busiest counts as a helper that was busy only when it started or ended. Waiting does not count,
 * because on a busy machine every thread waits. */
#define MEMBERS_RUN_SHARE 0.1
/* Helpers are only counted, not listed, as long as all of them together ran for less than this
 * share of the run time of all members. If they ran for more, that is work, and each is listed. */
#define MEMBERS_HELPERS_SHARE 0.05

enum { MEMBER_NONE = -1 }; /* in place of an index */

enum member_state {
    MEMBER_BALANCED,
    MEMBER_LEFT, /* alive, but no longer a worker */
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

/* Makes room for `members_max`. When it is full, a member that is no longer balanced is forgotten
 * for each new one, in the order of the indexes. */
int members_create(int members_max, struct members **members) MUST_CHECK;
void members_destroy(struct members *members);

/* The check that failed first, or NULL. */
const char *members_fault(const struct members *members);

/* The thread is balanced from now on. `index` is the one that it had as a member before, whose
 * totals it continues, or MEMBER_NONE if it is new. Returns its index. */
int members_join(struct members *members, const struct thread_info *info, int index);
void members_rename(struct members *members, int index, const struct comm *comm);
/* Notes what the policy sees of the thread now; `cpu` as in struct member. */
void members_update(struct members *members, int index, const struct thread_view *view, int cpu);
void members_leave(struct members *members, int index, enum member_state state);
/* A thread that is no longer balanced has ended. `index` is where it was a member, or
 * MEMBER_NONE. */
void members_end(struct members *members, int index, const struct thread_id *id);

int members_limit(const struct members *members); /* the count of indexes */
const struct member *members_get(const struct members *members, int index);

/* Members that are only counted, not listed: helpers, and those that were forgotten. */
struct members_unlisted {
    bool helpers; /* helpers are among them */
    int64_t count;
    int64_t progress_ns; /* the sum of theirs */
};

struct members_unlisted members_unlisted(const struct members *members);
/* True if the member at this index is listed. */
bool members_is_listed(const struct members *members, const struct members_unlisted *unlisted,
                       int index);

#endif
