/* SPDX-License-Identifier: BSD-3-Clause */
/* A job is one balanced program: it finds the threads, has them balanced, restores them, accounts.
 *
 * One thread calls all of this; the balancer threads that the job starts only drive the engine. A
 * process may have several jobs. */
#ifndef JUGGLE_JOB_JOB_H
#define JUGGLE_JOB_JOB_H

#include "libjuggle/engine/engine.h"
#include "libjuggle/job/balancers.h"
#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/progress.h"
#include "libjuggle/job/spinners.h"
#include "libjuggle/job/tally.h"
#include "libjuggle/job/workers.h"
#include "libjuggle/policy/policy.h"
#include "libjuggle/waiting/page.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/types.h>

/* What happened, for whoever wants to tell a user; `info` is NULL where no thread is meant. */
enum job_news {
    JOB_DISTRIBUTED,    /* the set of threads is complete and has its first placement */
    JOB_THREAD_JOINED,  /* is balanced from now on */
    JOB_THREAD_LEFT,    /* is balanced no more: ended, or idle for long */
    JOB_THREAD_PINNED,  /* the program chose its processors: it is left alone */
    JOB_THREAD_REFUSED, /* is not ours to move */
    JOB_THREAD_STARVED, /* needs more open files than are allowed */
    JOB_THREAD_STUCK,   /* its mask cannot be given back */
    JOB_THREAD_CLAIMED, /* another balancer has its process: it is left alone */
    JOB_TABLE_FULL,     /* there are more threads than the job has room for */
    JOB_PROCESSOR_LOST,
    JOB_PROCESSOR_FOUND,
    /* Processors came that the machine did not have: all is balanced anew, on those of job_machine.
     * Observers have seen all threads exit from the old one, and will see them arrive. */
    JOB_MACHINE_GROWN,
    JOB_GUARDIAN_RENEWED, /* the guardian has died: another one was started */
    JOB_SPIN_UNSEEN,      /* perf, or reading the program's code, is refused */
    JOB_NEWS_COUNT,
};

struct capacity;
struct claims_family;
struct job;

/* Counts how many threads of other jobs each processor holds, by the kernel's number. */
struct job_neighbors {
    void (*count)(void *context, int counts[CPU_MASK_CPUS_MAX]);
    void *context;
};

struct job_listener {
    void (*told)(void *context, enum job_news news, const struct thread_info *info);
    void *context;
};

/* Read while the job is made, but for the neighbors, the page and the listener. */
struct job_options {
    /* Launching: the launcher itself, a subreaper, not included. Attaching: the given processes,
     * included. */
    const pid_t *roots;
    int roots_count;
    bool roots_included;
    pid_t helper; /* a child of the launcher that is not the program's; 0: none */
    bool aside;   /* this process is a balancer and nothing else: nobody is to balance it */

    const char *cpus;    /* "0-3,8"; NULL for all that are allowed, now or later */
    const char *domains; /* "0-3;4-7"; NULL for the NUMA nodes */
    bool inter_domain;
    const char *capacity; /* "auto" (or NULL), "equal" or speeds: see capacity_set */

    int threads_expected; /* 0: however many there are */
    int idle_threads;     /* to set aside, or WORKERS_IDLE_AUTO */
    const char *idle_comm;
    const char *match;
    bool override;      /* take threads that the program has placed itself */
    bool follow_memory; /* pages follow a process to the node where it stays */

    enum progress_kind progress;
    struct policy_options policy; /* threads_max bounds the job */
    enum balancers_shape shape;
    enum spin_mode spin;

    /* For a service that acts for others: balance only processes of this user... */
    bool owned;
    uid_t owner;
    /* ...look for new threads by polling alone, so often while nothing changes (0: as suits)... */
    int64_t look_ns;
    /* ...in pieces of at most this length (0: each in one)... */
    int64_t piece_ns;
    /* ...and write the table of masks to this empty file, see guardian_create (0: none). */
    int table_fd;
    struct claims_family *claims_family; /* of all jobs of a process; outlives them, or NULL */
    /* The first placement begins where there are the fewest threads of others (`count` is NULL:
     * there are none). */
    struct job_neighbors neighbors;

    struct page *page; /* what threads tell; outlives the job. NULL: one of the job's own */

    struct job_listener listener; /* `told` may be NULL */
};

struct job_statistics {
    int threads_count; /* as job_threads() tells them */
    int processors_count;
    int domains_count;
    const char *source;   /* of progress: "schedstat" */
    const char *capacity; /* the source of speeds: "cpu_capacity" */
    const char *speeds;   /* "cpu 0-3 1, cpu 4-7 0.6"; empty if unknown */
    bool unequal;         /* these differ */
    int balancers_count;  /* their threads */
    const char *priority; /* of these: "SCHED_FIFO 1" */
    enum policy_kind policy;
    int64_t waited_ns; /* from the start of the job to the first distribution; -1 before */
    int64_t period_ns; /* as it is now */
    int64_t period_min_ns, period_median_ns, period_max_ns; /* as they were kept */
    struct period_choice choice;
    int64_t rounds_count;
    int64_t migrations_count;
    int64_t moves_failed_count;
    struct move_failures failures;
    int64_t balancers_cpu_ns; /* used by the balancer threads */
    struct spinners_statistics spin;
    const char *shortfall; /* why nothing, or not all, was balanced; NULL if all was */
    struct program_times times;
    int64_t threads_dropped;     /* those that are counted only: they ran little, or long ago */
    int64_t dropped_progress_ns; /* of these */
};

/* Counts go on from where those of an earlier balancing ended. */
void job_statistics_add(struct job_statistics *statistics, const struct job_statistics *past);

/* One thread of the job, alive or ended: its last known state. */
struct job_thread {
    pid_t pid, tid;
    struct comm comm;
    int cpu; /* the kernel's number of its home, -1 before the first distribution */
    bool ended;
    enum thread_state state;
    int64_t progress_ns;
    int64_t run_ns, wait_ns, blocked_ns;
    int64_t slices_count; /* how often it was given a processor; 0: not known */
    double work_share;    /* of the time that it ran; 0: not known */
};

enum { JOB_PROBLEM_SIZE = 192 };

/* Prepares everything and touches no thread. When it fails `problem` says why, in words that follow
 * "cannot balance: ". -EINVAL, -ENXIO: the options do not fit the machine; -ENODEV: they
 * leave one processor only; -EALREADY: another balancer has a root. Where that is all there is just
 * now, another may come: balancing begins then. Others as the kernel gave them. */
int job_create(const struct job_options *options, char problem[JOB_PROBLEM_SIZE],
               struct job **job) MUST_CHECK;

/* Ends the balancing and gives all threads their masks back; what there is to tell stays. */
void job_stop(struct job *job);

/* The same in pieces: first those get their masks that are known, as many as one piece has time for
 * at once. Then job_stop_go_on, at job_stop_next_ns, looks for those that were born with a pin.
 * True: it is over. */
bool job_stop_begin(struct job *job);
bool job_stop_go_on(struct job *job);
/* All that is known is given back at once; what follows ends after one look more. */
void job_stop_soon(struct job *job);
/* Some are known that have not got their masks. */
bool job_is_letting_go(const struct job *job);
/* From now on the listener is told nothing. */
void job_mute(struct job *job);
int64_t job_stop_next_ns(const struct job *job);

void job_destroy(struct job *job);

/* Before job_start: who sees all events and plans, see engine_recorder. */
void job_observe(struct job *job, const struct engine_recorder *observer);

/* Starts the balancer threads, which sleep until the program's threads are complete. -EAGAIN,
 * -ENOMEM. */
int job_start(struct job *job) MUST_CHECK;

/* After job_start: see balancers_limit. */
void job_limit(struct job *job, int share_ppm);

/* Until JOB_MACHINE_GROWN. */
const struct machine *job_machine(const struct job *job);
const struct policy_options *job_policy(const struct job *job);
/* The source of progress, and why it was taken; how threads are found. */
const char *job_source_name(const struct job *job);
const char *job_source_reason(const struct job *job);
const char *job_discovery_method(const struct job *job);
/* Why memory does not follow threads though somebody asked for it; NULL where it does. */
const char *job_memory_stays(const struct job *job);
/* Where the speeds of the processors come from. */
const struct capacity *job_capacity(const struct job *job);

/* Looks for threads that came and went, starts the balancing when they are complete. Call it when
 * job_next_ns is due or job_fd has input. -ESRCH: nothing of the program lives any more (attached
 * only); -EACCES: it is hidden from us. -EPROTO: a check of ours failed, see job_fault: nobody is
 * moved any more, and job_stop gives the masks back. Other failures, as -EMFILE, pass. */
int job_poll(struct job *job, int64_t now_ns) MUST_CHECK;

/* Whether such a failure is the end. */
static inline bool job_is_over(int error)
{
    return error == -ESRCH || error == -EACCES || error == -EPROTO;
}

/* "FILE:LINE: CONDITION", to be told to whom it may concern; NULL while all is well. */
const char *job_fault(const struct job *job);

/* Balances a process, too, that need not descend from a root. -ESRCH, -ENOSPC; -EALREADY: another
 * balancer has it. */
int job_adopt(struct job *job, pid_t pid) MUST_CHECK;

/* Lets go of a process that was adopted or given as a root, and of what descends from it: at once,
 * or in pieces of job_poll. As that; with -ENOMEM and failures that pass, what was born with a pin
 * there is not looked for. */
int job_disown(struct job *job, pid_t pid, int64_t now_ns) MUST_CHECK;

/* A look has begun and not ended: the job is due again. */
bool job_is_looking(const struct job *job);

/* After job_stop: never, and none. */
int64_t job_next_ns(const struct job *job);
int job_fd(const struct job *job); /* -1 if there is none, or it is not to be heard now */

/* Where threads may tell of themselves. */
struct page *job_page(const struct job *job);

/* The thread of an index of the engine, for observers. -ENOENT. */
int job_engine_thread(const struct job *job, int engine_index,
                      struct job_thread *thread) MUST_CHECK;

void job_statistics(struct job *job, struct job_statistics *statistics);

/* Fills up to `threads_max`; returns how many there are. */
int job_threads(struct job *job, struct job_thread *threads, int threads_max);

#endif
