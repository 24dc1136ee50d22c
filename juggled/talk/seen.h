/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes that a look for rules has judged, and those of the look before it, each sorted by
 * pid. A look may take several pieces, between which jobs come and go. */
#ifndef JUGGLE_JUGGLED_SEEN_H
#define JUGGLE_JUGGLED_SEEN_H

#include "libjuggle/ground/units.h"
#include "libjuggle/linux/comm.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SEEN_MAX = 65536 };

enum verdict {
    VERDICT_NONE,    /* no rule matches it, or it belongs to the job of an ancestor */
    VERDICT_REFUSED, /* a rule matches it, but it could not be balanced */
    VERDICT_TAKEN,   /* taken into a job; if it is in no job now, it was released, and it and its
                        descendants are not taken again */
};

/* Facts about a process that two system calls return; a change shows that it should be judged
 * again. */
struct appearance {
    struct comm comm;
    uid_t uid; /* of its files in /proc: root's while its memory is protected */
    gid_t gid;
    dev_t device; /* of the file that it executes; 0: hidden */
    ino_t inode;
};

/* A process that was judged. It is judged again when its appearance changes. */
struct seen {
    pid_t pid;
    enum verdict verdict;
    bool had_job; /* when the rules changed */
    uint64_t start_ticks;
    struct appearance appearance;
};

struct seen_table {
    struct seen *now, *before;
    int now_count, before_count;
};

/* -ENOMEM; then seen_release may be called, too. */
int seen_init(struct seen_table *table) MUST_CHECK;
void seen_release(struct seen_table *table);

/* Returns the judgement of the look before on a process with this pid; NULL if there is none. */
const struct seen *seen_number(const struct seen_table *table, pid_t pid);

/* Returns the same, but only if it is the same process. */
const struct seen *seen_before(const struct seen_table *table, pid_t pid, uint64_t start_ticks);

/* Returns the last judgement on a process, be it of this look or of the one before. */
const struct seen *seen_last(const struct seen_table *table, pid_t pid, uint64_t start_ticks);

/* Notes a process in this look. If the table is full, it is not noted. */
void seen_add(struct seen_table *table, const struct seen *seen);

/* Ends this look. Processes that it has not found have ended. */
void seen_finish(struct seen_table *table);

/* Ends this look before it has come to all processes: the judgements of the look before remain for
 * the others. */
void seen_abandon(struct seen_table *table);

#endif
