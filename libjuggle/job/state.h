/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a job and the functions that its files share: job.c, ending.c, distribution.c.
 * Internal to them. */
#ifndef JUGGLE_JOB_STATE_H
#define JUGGLE_JOB_STATE_H

#include "libjuggle/job/admission.h"
#include "libjuggle/job/allowance.h"
#include "libjuggle/job/growth.h"
#include "libjuggle/job/job.h"
#include "libjuggle/job/parts.h"
#include "libjuggle/job/summary.h"
#include "libjuggle/linux/clock.h"

/* How often masks and processors are checked: cpuset changes are rare, and a check costs a system
 * call per thread. */
#define CHECK_INTERVAL_NS (250 * NSEC_PER_MSEC)

struct job {
    struct job_listener listener;
    int64_t started_ns;
    int64_t distributed_ns; /* 0 before the first distribution */
    int64_t check_ns;       /* when the next check is due */

    struct parts parts;
    struct admission *admission;
    struct cpu_mask lost; /* processors of the machine that cannot be used now */
    struct growth growth;
    int share_ppm; /* as job_limit() has set it */
    /* Zero: none. Then domains decide in parallel, because no lock is taken to record. */
    struct engine_recorder observer;
    struct summary summary; /* as taken last */
    int64_t piece_ns;       /* longest piece of long work; 0: it is not split */
    struct fault checks;
    const char *fault;               /* the check that had failed when the job was stopped */
    bool placing;                    /* the first distribution has begun and not ended */
    bool checking;                   /* a check has begun and not ended */
    bool letting_go;                 /* at the end, while known threads have masks of ours */
    struct restoration *restoration; /* after that, while unknown threads may have inherited one */
    pid_t *roots;                    /* claimed roots; 0: one that has left */
    int roots_count;
    /* Processes that leave. Looks no longer find threads of the first disowned_count of them. */
    pid_t *leaving;
    int leaving_count, disowned_count;
};

static inline void job_tell(const struct job *job, enum job_news news)
{
    if (job->listener.told)
        job->listener.told(job->listener.context, news, NULL);
}

static inline int64_t job_piece_end_ns(const struct job *job)
{
    return job->piece_ns ? clock_now_ns() + job->piece_ns : INT64_MAX;
}

static inline void job_statistics_take(struct job *job)
{
    const int64_t waited_ns = job->distributed_ns ? job->distributed_ns - job->started_ns : -1;

    summary_take(&job->summary, &job->parts, job->admission, waited_ns);
}

/* ---- distribution.c ---- */

/* The processors that this process may use; none if that is unknown, so that nothing grows. */
void job_usable_here(struct cpu_mask *usable);
/* Finds the processors that the program can no longer use, or can use again; tells the engine. */
void job_check_processors(struct job *job);
/* Changes to a new machine if there are other processors than the present one was made of. */
void job_check_machine(struct job *job, int64_t at_ns);
/* Distributes the threads, in pieces, if the set of workers is complete. With one processor it is
 * put off until there is another, and without a guardian until there is one. */
void job_distribute_complete(struct job *job, int64_t at_ns, int64_t until_ns);
/* Begins the distribution, or continues it. */
void job_distribute(struct job *job, int64_t at_ns, int64_t until_ns);

#endif
