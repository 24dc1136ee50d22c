/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes threads that wait by spinning give way at once while others of the program wait in run
 * queues. Samples of where threads run show that some spin (libjuggle/linux/spin.h), trials judge
 * what helps (spin_trial.h), and traps (spin_traps.h) and nudges (nudgers.h) do it. */
#ifndef JUGGLE_JOB_SPINNERS_H
#define JUGGLE_JOB_SPINNERS_H

#include "libjuggle/job/work_account.h"
#include "libjuggle/linux/code_map.h"
#include "libjuggle/linux/world.h"
#include "libjuggle/waiting/page.h"

/* SPIN_NEVER is the value of a zeroed option. */
enum spin_mode {
    SPIN_NEVER,
    SPIN_AUTO,   /* nudges or traps threads that are seen to spin */
    SPIN_ALWAYS, /* nudges wherever a thread waits in a run queue, without samples */
};

struct spinners_options {
    enum spin_mode mode;
    const struct machine *machine; /* outlives them, as the world does */
    struct world *world;
    struct page *page; /* for traps and samples; counts threads that were caught */
    int proc_fd;
    int threads_max;
};

struct spinners_statistics {
    int64_t samples_count, spinning_count; /* of looks, while threads were not nudged */
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

/* True if threads cannot be seen to spin: they are looked at no more. */
bool spinners_are_blind(const struct spinners *spinners);

/* What the last look told of waits that the kernel does not show. Unknown while traps serve,
 * because the waits of caught threads show; SPINNING_OPEN while masks are to be open. */
enum spinning spinners_seen(const struct spinners *spinners);

/* Fills in what share of its run time each thread works, as far as it was sampled; the time while
 * it is caught and nudged counts, too. */
void spinners_account(const struct spinners *spinners, struct work_account *account);

void spinners_statistics(const struct spinners *spinners, struct spinners_statistics *statistics);

void spinners_destroy(struct spinners *spinners);

#endif
