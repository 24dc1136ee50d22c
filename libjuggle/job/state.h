/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of a job share: job.c, ending.c, distribution.c. Internal to them. */
#ifndef JUGGLE_JOB_STATE_H
#define JUGGLE_JOB_STATE_H

#include "libjuggle/job/admission.h"
#include "libjuggle/job/allowance.h"
#include "libjuggle/job/growth.h"
#include "libjuggle/job/job.h"
#include "libjuggle/job/parts.h"
#include "libjuggle/job/summary.h"
#include "libjuggle/linux/clock.h"

/* How often masks and processors are looked after: cpuset changes are rare, a look costs a system
 * call a thread. */
#define CHECK_INTERVAL_NS (250 * NSEC_PER_MSEC)

struct job {
    struct job_listener listener;
    int64_t started_ns;
    int64_t distributed_ns; /* 0 before the first distribution */
    int64_t check_ns;       /* when next */

    struct parts parts;
    struct admission *admission;
    struct cpu_mask lost; /* of the machine's processors */
    struct growth growth;
    int share_ppm;                   /* as job_limit said */
    struct engine_recorder observer; /* zero: nobody; domains then decide side by side, as no lock
                                        is taken to record */
    struct summary summary;          /* as last taken */
    int64_t piece_ns;                /* of what takes long; 0: it is whole */
    struct fault checks;
    const char *fault;               /* the check of a part that had failed at the end */
    bool placing;                    /* the first distribution has begun and not ended */
    bool checking;                   /* a check has begun and not ended */
    bool letting_go;                 /* at the end, while threads are known that have a pin still */
    struct restoration *restoration; /* then, while somebody unknown may have one */
    pid_t *roots;                    /* that are claimed; 0: one that has left */
    int roots_count;
    /* Processes that have left: first those of which nobody is found any more. */
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

/* What juggle may use at all. Where that cannot be told, nothing grows. */
void job_usable_here(struct cpu_mask *usable);
/* Which processors the program may use no more, or again. */
void job_check_processors(struct job *job);
/* Whether there are others than the machine was made of. */
void job_check_machine(struct job *job, int64_t at_ns);
/* Once who works is known, in pieces. With one processor it is put off until there is another, and
 * without a guardian until there is one. */
void job_distribute_complete(struct job *job, int64_t at_ns, int64_t until_ns);
/* Goes on with it. */
void job_distribute(struct job *job, int64_t at_ns, int64_t until_ns);

#endif
