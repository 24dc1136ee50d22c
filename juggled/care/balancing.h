/* SPDX-License-Identifier: BSD-3-Clause */
/* The balancing of one job of the service. It begins and ends many times. Its counts go on, and
 * its last threads and texts are kept. */
#ifndef JUGGLE_JUGGLED_BALANCING_H
#define JUGGLE_JUGGLED_BALANCING_H

#include "juggled/care/processes.h"
#include "juggled/care/jobs_shared.h"
#include "juggled/care/worth.h"
#include "libjuggle/job/job.h"
#include "libjuggle/job/shortfall.h"
#include "libjuggle/linux/capacity.h"
#include "libjuggle/wish/wish.h"

enum { BALANCING_TEXT_SIZE = 64 };

/* All zero at first, except the first two members. */
struct balancing {
    const char *name; /* name of the job */
    const struct jobs_shared *shared;
    struct job *job; /* NULL between two balancings */
    bool distributed;
    int64_t gather_ns; /* when it began to wait for its threads */
    int64_t looked_ns;
    int left_alone_count;         /* threads that were left alone since it began */
    struct job_statistics last;   /* as of the last call; kept when the balancing ends */
    struct job_statistics past;   /* sum over the balancings that have ended */
    struct job_statistics judged; /* as of the last call of balancing_turns, or the beginning */
    char source[BALANCING_TEXT_SIZE], priority[BALANCING_TEXT_SIZE];
    char capacity[BALANCING_TEXT_SIZE], speeds[CAPACITY_TEXT_SIZE], shortfall[SHORTFALL_SIZE];
    struct job_thread *threads; /* as of the last end */
    int threads_count;
};

/* The program that is balanced. */
struct balancing_subject {
    const struct wish *wish;
    uid_t uid;
    struct processes *processes; /* balancing_begin removes those that have ended */
};

/* -ESRCH: no process lives; -EINPROGRESS: an earlier job may not have released one of its
 * processes yet; -EMFILE and the like: the processes cannot be examined now; otherwise as
 * job_create and job_start. */
int balancing_begin(struct balancing *balancing, const struct balancing_subject *subject,
                    char problem[JOB_PROBLEM_SIZE]) MUST_CHECK;
/* Gives the threads their masks back, if they are balanced. */
void balancing_end(struct balancing *balancing);
void balancing_free(struct balancing *balancing);

/* Like job_adopt and job_disown, if there is a job. */
int balancing_adopt(struct balancing *balancing, const struct process *process) MUST_CHECK;
int balancing_disown(struct balancing *balancing, pid_t pid) MUST_CHECK;

/* Only while there is a job: looks for threads, if balancing_next_ns is due. As job_poll. */
int balancing_poll(struct balancing *balancing, int64_t now_ns) MUST_CHECK;
int64_t balancing_next_ns(const struct balancing *balancing);

/* Number of balanced threads that have not ended. */
int balancing_living(const struct balancing *balancing);

void balancing_statistics(struct balancing *balancing, struct job_statistics *statistics);
/* The turns since the last call. `judged` becomes the statistics of now. */
void balancing_turns(struct balancing *balancing, struct worth_turns *turns);

/* False if its table of masks was removed. */
bool balancing_is_kept(const struct balancing *balancing);
/* All threads as job_threads returns them, or after the end as they were last; to be freed. NULL
 * if there is no memory. */
struct job_thread *balancing_threads(const struct balancing *balancing, int *count);

#endif
