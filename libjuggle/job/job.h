/* SPDX-License-Identifier: BSD-3-Clause */
/* A job is one balanced program: it finds the program's threads, has them balanced, gives them
 * their masks back and keeps statistics.
 *
 * One thread calls all functions here; the balancer threads that the job starts only drive the
 * engine. A process may have several jobs. */
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

/* Events that a program may report to its user. `info` is NULL if no single thread is meant. */
enum job_news {
    JOB_DISTRIBUTED,    /* the set of threads is complete and has its first placement */
    JOB_THREAD_JOINED,  /* is balanced from now on */
    JOB_THREAD_LEFT,    /* is no longer balanced: it ended, or was idle for long */
    JOB_THREAD_PINNED,  /* the program has pinned it: it is left alone */
    JOB_THREAD_REFUSED, /* we may not or cannot move it */
    JOB_THREAD_STARVED, /* needs more open files than are allowed */
    JOB_THREAD_STUCK,   /* its mask cannot be given back */
    JOB_THREAD_CLAIMED, /* another balancer has claimed its process: it is left alone */
    JOB_TABLE_FULL,     /* there are more threads than the job has room for */
    JOB_PROCESSOR_LOST,
    JOB_PROCESSOR_FOUND,
    /* There are processors that the machine did not have, or a domain is back that had none left:
     * all threads are balanced anew, on the processors of job_machine(). Observers have seen all
     * threads exit from the old machine, and will see them arrive on the new one. */
    JOB_MACHINE_GROWN,
    JOB_GUARDIAN_RENEWED, /* the guardian has died: another one was started */
    JOB_SPIN_UNSEEN,      /* sampling, or reading the program's code, is refused */
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

/* Only job_create() reads what pointers lead to, except that the job goes on using the neighbors,
 * the claims family, the page and the listener. */
struct job_options {
    /* When launching: the launcher itself, which is a subreaper and not included. When attaching:
     * the given processes, included. */
    const pid_t *roots;
    int roots_count;
    bool roots_included;
    pid_t helper; /* a child of the launcher that is not part of the program; 0: none */
    bool aside;   /* this process is a balancer and nothing else: nobody is to balance it */

    const char *cpus;    /* "0-3,8"; NULL for all that are allowed, now or later */
    const char *domains; /* "0-3;4-7"; NULL for the NUMA nodes */
    bool inter_domain;
    const char *capacity; /* "auto" (or NULL), "equal" or speeds: see capacity_set */

    int threads_expected; /* 0: however many there are */
    int idle_threads;     /* how many to set aside, or WORKERS_IDLE_AUTO */
    const char *idle_comm;
    const char *match;
    bool override;      /* take threads, too, that the program has pinned */
    bool follow_memory; /* pages follow a process to the node where it stays */

    enum progress_kind progress;
    struct policy_options policy; /* threads_max bounds the job */
    enum balancers_shape shape;
    enum spin_mode spin;

    /* For a service that acts for others: balance only processes of this user. */
    bool owned;
    uid_t owner;
    /* Look for new threads by polling alone, at this interval while nothing changes; 0: the job
     * chooses the interval, and uses the proc connector if it may. */
    int64_t look_ns;
    /* Split long work into pieces of at most this length; 0: do not split it. */
    int64_t piece_ns;
    /* Write the table of masks to this empty file, see guardian_create(); 0: to no file. */
    int table_fd;
    struct claims_family *claims_family; /* of all jobs of a process; outlives them; or NULL */
    /* The first placement begins on the processors with the fewest threads of others. If `count` is
     * NULL, there are none. */
    struct job_neighbors neighbors;

    struct page *page; /* threads report on it; outlives the job. NULL: one of the job's own */

    struct job_listener listener; /* `told` may be NULL */
};

struct job_statistics {
    int threads_count; /* as job_threads() returns */
    int processors_count;
    int domains_count;
    const char *source;   /* of progress: "schedstat" */
    const char *capacity; /* the source of speeds: "cpu_capacity" */
    const char *speeds;   /* "cpu 0-3 1, cpu 4-7 0.6"; empty if unknown */
    bool unequal;         /* the speeds differ */
    int balancers_count;  /* balancer threads */
    const char *priority; /* of the balancer threads: "SCHED_FIFO 1" */
    enum policy_kind policy;
    int64_t waited_ns; /* from the start of the job to the first distribution; -1 before */
    int64_t period_ns; /* the present one */
    int64_t period_min_ns, period_median_ns, period_max_ns; /* as measured from turn to turn */
    struct period_choice choice;
    int64_t rounds_count;
    int64_t migrations_count;
    int64_t moves_failed_count;
    struct move_failures failures;
    int64_t balancers_cpu_ns; /* used by the balancer threads */
    struct spinners_statistics spin;
    const char *shortfall; /* why nothing, or not all, was balanced; NULL if all was */
    struct program_times times;
    int64_t threads_dropped;     /* only counted, not listed: they ran little, or long ago */
    int64_t dropped_progress_ns; /* of the dropped threads */
};

/* Adds the counts of an earlier balancing to `statistics`. */
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
    double work_share;    /* the part of its run time that was work; 0: not known */
};

enum { JOB_PROBLEM_SIZE = 192 };

/* Prepares everything and touches no thread. On failure `problem` says why, in words that follow
 * "cannot balance: ". -EINVAL, -ENXIO: the options do not fit the machine; -ENODEV: the options
 * leave one processor only; -EALREADY: another balancer has claimed a root. Other errors are the
 * kernel's. If the machine itself has one usable processor only, the job is created, and balancing
 * begins when there is another. */
int job_create(const struct job_options *options, char problem[JOB_PROBLEM_SIZE],
               struct job **job) MUST_CHECK;

/* Ends the balancing and gives all threads their masks back. Statistics and threads can still be
 * read. */
void job_stop(struct job *job);

/* The same in pieces. job_stop_begin() gives the masks of known threads back, as many as one piece
 * has time for. job_stop_go_on(), to be called when job_stop_next_ns() is due, gives back the rest
 * and then looks for threads that have inherited a mask of ours. True: the stop is complete. */
bool job_stop_begin(struct job *job);
bool job_stop_go_on(struct job *job);
/* Gives all known threads their masks back at once; the search that follows ends after one more
 * walk. */
void job_stop_soon(struct job *job);
/* True while known threads have not got their masks back. */
bool job_is_letting_go(const struct job *job);
/* From now on the listener is told nothing. */
void job_mute(struct job *job);
int64_t job_stop_next_ns(const struct job *job);

void job_destroy(struct job *job);

/* Sets the observer of all events and plans, see engine_recorder. To be called before
 * job_start(). */
void job_observe(struct job *job, const struct engine_recorder *observer);

/* Starts the balancer threads, which sleep until the program's threads are complete. -EAGAIN,
 * -ENOMEM. */
int job_start(struct job *job) MUST_CHECK;

/* After job_start: see balancers_limit. */
void job_limit(struct job *job, int share_ppm);

/* Valid until JOB_MACHINE_GROWN is told. */
const struct machine *job_machine(const struct job *job);
const struct policy_options *job_policy(const struct job *job);
/* The source of progress, and why it was taken; how threads are found. */
const char *job_source_name(const struct job *job);
const char *job_source_reason(const struct job *job);
const char *job_discovery_method(const struct job *job);
/* Why memory does not follow threads although the options ask for it; NULL if it does. */
const char *job_memory_stays(const struct job *job);
/* Where the speeds of the processors come from. */
const struct capacity *job_capacity(const struct job *job);

/* Looks for threads that came and went, starts the balancing when they are complete. Call it when
 * job_next_ns is due or job_fd has input. -ESRCH: nothing of the program lives any more (attached
 * only); -EACCES: it is hidden from us. -EPROTO: a check of ours failed, see job_fault: no thread
 * is moved any more, and job_stop gives the masks back. Other failures, such as -EMFILE, are
 * temporary. */
int job_poll(struct job *job, int64_t now_ns) MUST_CHECK;

/* True if the error of job_poll() is permanent. */
static inline bool job_is_over(int error)
{
    return error == -ESRCH || error == -EACCES || error == -EPROTO;
}

/* "FILE:LINE: CONDITION" of the check that failed, to be reported; NULL while none has. */
const char *job_fault(const struct job *job);

/* Also balances a process that need not descend from a root. -ESRCH, -ENOSPC; -EALREADY: another
 * balancer has claimed it. */
int job_adopt(struct job *job, pid_t pid) MUST_CHECK;

/* Lets go of a process that was adopted or given as a root, and of its descendants: at once, or in
 * pieces of job_poll(). Errors as of job_poll(). After -ENOMEM or a temporary failure, threads
 * there that have inherited a mask of ours are not looked for. */
int job_disown(struct job *job, pid_t pid, int64_t now_ns) MUST_CHECK;

/* True while a look, a check or the first placement has begun and not ended: job_poll() is due. */
bool job_is_busy(const struct job *job);

/* When job_poll() is due, and what to poll for input. After job_stop() they return INT64_MAX and
 * -1. */
int64_t job_next_ns(const struct job *job);
int job_fd(const struct job *job); /* -1 if there is none, or it is not to be heard now */

/* The page on which threads report their waits and work. */
struct page *job_page(const struct job *job);

/* Fills in the thread that has this index in the engine, for observers. -ENOENT: none has. */
int job_engine_thread(const struct job *job, int engine_index,
                      struct job_thread *thread) MUST_CHECK;

void job_statistics(struct job *job, struct job_statistics *statistics);

/* Fills up to `threads_max`; returns how many there are. */
int job_threads(struct job *job, struct job_thread *threads, int threads_max);

#endif
