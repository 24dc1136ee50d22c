/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of a job that are looked at, and sampled: by perf, or by themselves where that is
 * refused, or asked for. */
#ifndef JUGGLE_JOB_WATCHED_H
#define JUGGLE_JOB_WATCHED_H

#include "libjuggle/job/spin_traps.h"
#include "libjuggle/linux/perf_sampler.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/spin.h"
#include "libjuggle/linux/world.h"

/* Of more threads no more are looked at: they do alike. */
enum { WATCHED_MAX = 256 };

struct watched {
    struct thread_id id;
    struct thread_schedstat before;
    int64_t ran_before_ns;        /* when they were chosen */
    struct perf_sampler *sampler; /* NULL: it is not sampled by perf */
};

struct watched_threads {
    const struct world *world;
    struct page *page;
    const struct spin_places *places; /* where there may be traps */
    int proc_fd;
    int threads_max;
    bool sampled;
    bool tell;    /* by themselves */
    bool refused; /* perf is */
    /* Of their processes, while they are sampled. */
    int codes_count;
    struct process_code {
        pid_t pid;
        struct runtime_code code;
    } codes[WATCHED_MAX];
    int count;
    struct watched list[WATCHED_MAX];
};

/* Chooses among the threads that there are now, which are sampled each `period_ns` of their time;
 * 0: they are not. Or by themselves, where all sleep in OpenMP's runtimes; else they are not. True
 * if they were to be, and none can be. */
bool watched_renew(struct watched_threads *watched, int64_t period_ns, bool by_themselves);

/* They sample themselves: a tick apart, and after they have been asked to. */
bool watched_tell(const struct watched_threads *watched);
/* To be called again and again, while it returns true: some have not been asked yet. */
bool watched_ask(const struct watched_threads *watched, int64_t now_ns);
/* What one of them was seen to do since they were chosen; once. */
int watched_see(struct watched_threads *watched, int index, struct spin_seen *seen) MUST_CHECK;

/* Has them caught from now on, and newcomers of their processes; to be called again and again. */
void watched_catch(const struct watched_threads *watched, struct spin_traps *traps, int64_t now_ns);
/* Those that are debugged are not caught. */
void watched_spare(const struct watched_threads *watched, struct spin_traps *traps);

/* What their processes have run, threads that have ended, too; 0 if one of the processes has. */
int64_t watched_processes_ran_ns(const struct watched_threads *watched);

/* Nobody is sampled any more. */
void watched_end(struct watched_threads *watched);

#endif
