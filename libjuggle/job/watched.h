/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of a job that are watched, and sampled: by perf, or by themselves if perf is refused
 * or that is asked for. */
#ifndef JUGGLE_JOB_WATCHED_H
#define JUGGLE_JOB_WATCHED_H

#include "libjuggle/job/spin_traps.h"
#include "libjuggle/linux/perf_sampler.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/spin.h"
#include "libjuggle/linux/world.h"

/* If there are more threads, the others are not watched: they are taken to do the same. */
enum { WATCHED_MAX = 256 };

struct watched {
    struct thread_id id;
    struct thread_schedstat before;
    int64_t ran_before_ns;        /* its run time when it was chosen */
    struct perf_sampler *sampler; /* NULL: it is not sampled by perf */
};

struct watched_threads {
    const struct world *world;
    struct page *page;
    const struct spin_places *places; /* where there may be traps */
    int proc_fd;
    int threads_max;
    bool sampled;
    bool by_themselves; /* they are to sample themselves */
    bool refused;       /* perf is refused */
    /* The code of their processes, while they are sampled. */
    int codes_count;
    struct process_code {
        pid_t pid;
        struct runtime_code code;
    } codes[WATCHED_MAX];
    int count;
    struct watched list[WATCHED_MAX];
};

/* Chooses among the threads that there are now. They are sampled each `period_ns` of their run
 * time; 0: they are not. If `by_themselves`, they sample themselves, provided that all have a
 * runtime of OpenMP in their processes; else they are not sampled. True if they were to sample
 * themselves, and none can. */
bool watched_renew(struct watched_threads *watched, int64_t period_ns, bool by_themselves);

/* True if they sample themselves: a tick apart, and after they have been asked to. */
bool watched_sample_themselves(const struct watched_threads *watched);
/* Asks them to. To be called again and again while it returns true: some have not answered yet. */
bool watched_ask(const struct watched_threads *watched, int64_t now_ns);
/* What the samples of one thread since it was chosen show; to be called once. Errors as of
 * spin_see(). */
int watched_see(struct watched_threads *watched, int index, struct spin_seen *seen) MUST_CHECK;

/* Has traps set in their processes, which catch threads that are created later, too. To be called
 * again and again. */
void watched_catch(const struct watched_threads *watched, struct spin_traps *traps, int64_t now_ns);
/* Takes traps out of processes that are debugged. */
void watched_spare(const struct watched_threads *watched, struct spin_traps *traps);

/* What their processes have run, threads that have ended included; 0 if one of the processes has
 * ended. */
int64_t watched_processes_ran_ns(const struct watched_threads *watched);

/* Ends the sampling. */
void watched_end(struct watched_threads *watched);

#endif
