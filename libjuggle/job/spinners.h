/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that wait by spinning give way at once, while others of the program stand in line: seen
 * by samples of where they run (libjuggle/linux/spin.h), tried and judged (spin_trial.h), served by
 * nudges (nudgers.h).
 */
#ifndef JUGGLE_JOB_SPINNERS_H
#define JUGGLE_JOB_SPINNERS_H

#include "libjuggle/job/work_account.h"
#include "libjuggle/linux/code_map.h"
#include "libjuggle/linux/world.h"
#include "libjuggle/waiting/page.h"

/* Never is what a zeroed option is. */
enum spin_mode {
    SPIN_NEVER,
    SPIN_AUTO,   /* threads that are seen to spin */
    SPIN_ALWAYS, /* whoever stands in line is let go on at once, unseen */
};

struct spinners_options {
    enum spin_mode mode;
    const struct machine *machine; /* outlives them, as the world does */
    struct world *world;
    struct page *page; /* where those who give way by themselves are counted */
    int proc_fd;
    int threads_max;
};

struct spinners_statistics {
    int64_t samples_count, spinning_count; /* of the moments in which threads were not nudged */
    int64_t nudges_count;
    int64_t caught_count;    /* waits of threads that traps caught spinning */
    int64_t slept_ns;        /* of OpenMP's threads in their waits, beside other programs */
    struct code_place place; /* where they were seen to spin first; empty: not known */
};

struct spinners;

/* One thread calls all of this, the one that attaches threads to the world. -ENOMEM. */
int spinners_create(const struct spinners_options *options, struct spinners **spinners) MUST_CHECK;

/* To be called when spinners_next_ns is due, once threads are balanced. */
void spinners_poll(struct spinners *spinners, int64_t now_ns);
int64_t spinners_next_ns(const struct spinners *spinners);

/* Threads cannot be seen to spin: they are looked at no more. */
bool spinners_are_blind(const struct spinners *spinners);

/* Of waits that show nowhere, when threads were looked at last: who is caught shows. */
enum spinning spinners_seen(const struct spinners *spinners);

/* What share of its time a thread works, as far as it was looked at: of all its time, caught and
 * nudged as it is. */
void spinners_account(const struct spinners *spinners, struct work_account *account);

void spinners_statistics(const struct spinners *spinners, struct spinners_statistics *statistics);

void spinners_destroy(struct spinners *spinners);

#endif
