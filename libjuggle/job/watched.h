/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of a job that are looked at, and what is set on each: a probe that samples it, traps
 * that catch it where it spins. */
#ifndef JUGGLE_JOB_WATCHED_H
#define JUGGLE_JOB_WATCHED_H

#include "libjuggle/job/spin_traps.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/spin.h"
#include "libjuggle/linux/world.h"

/* Of more threads no more are looked at: they do alike. */
enum { WATCHED_MAX = 256 };

struct watched {
    struct thread_id id;
    bool stays; /* it was watched before */
    struct thread_schedstat before;
    struct spin_probe *probe; /* NULL: it is not sampled */
    struct spin_thread_traps traps;
};

struct watched_threads {
    const struct world *world;
    struct page *page;
    int proc_fd;
    int threads_max;
    /* Of their processes, while they are sampled. */
    int codes_count;
    struct process_code {
        pid_t pid;
        struct runtime_code code;
    } codes[WATCHED_MAX];
    int threads_count; /* of the job, when those who are watched were chosen */
    int count;
    struct watched list[WATCHED_MAX];
    struct watched before[WATCHED_MAX]; /* while they are renewed */
};

/* Chooses among the threads that there are now. Without `traps` nobody is caught. True if they were
 * to be sampled, and perf is refused for all of them. */
bool watched_renew(struct watched_threads *watched, bool sampled, struct spin_traps *traps,
                   int64_t now_ns);

/* Sets traps on those of them who have none yet, or slower ones than they ask for. */
void watched_catch(struct watched_threads *watched, struct spin_traps *traps, int64_t now_ns);

bool watched_are_sampled(const struct watched_threads *watched);

/* What their processes have run, threads that have ended, too; 0 if one of the processes has. */
int64_t watched_processes_ran_ns(const struct watched_threads *watched);

/* Closes all probes and lifts all traps. */
void watched_end(struct watched_threads *watched);

#endif
