/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of a job that are looked at, with the probes that sample them. */
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
    struct thread_schedstat before;
    struct spin_probe *probe; /* NULL: it is not sampled */
};

struct watched_threads {
    const struct world *world;
    const struct spin_places *places; /* where there may be traps */
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
};

/* Chooses among the threads that there are now. True if they were to be sampled, and perf is
 * refused for all of them. */
bool watched_renew(struct watched_threads *watched, bool sampled);

/* Has them caught from now on, and newcomers of their processes; to be called again and again. */
void watched_catch(const struct watched_threads *watched, struct spin_traps *traps, int64_t now_ns);
/* Those that are debugged are not caught. */
void watched_spare(const struct watched_threads *watched, struct spin_traps *traps);

bool watched_are_sampled(const struct watched_threads *watched);

/* What their processes have run, threads that have ended, too; 0 if one of the processes has. */
int64_t watched_processes_ran_ns(const struct watched_threads *watched);

/* Closes all probes. */
void watched_end(struct watched_threads *watched);

#endif
