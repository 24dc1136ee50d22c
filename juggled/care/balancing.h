/* SPDX-License-Identifier: BSD-3-Clause */
/* The balancing of one job of the service. It begins and ends many times: what it counts goes on,
 * and what it told last stays. */
#ifndef JUGGLE_JUGGLED_BALANCING_H
#define JUGGLE_JUGGLED_BALANCING_H

#include "juggled/care/processes.h"
#include "juggled/care/surroundings.h"
#include "juggled/care/worth.h"
#include "libjuggle/job/job.h"
#include "libjuggle/job/shortfall.h"
#include "libjuggle/linux/capacity.h"
#include "libjuggle/wish/wish.h"

enum { BALANCING_TEXT_SIZE = 64 };

/* All zero but the first two. */
struct balancing {
    const char *name; /* of the job */
    const struct surroundings *surroundings;
    struct job *job; /* NULL between two balancings */
    bool distributed;
    int64_t gather_ns; /* since when its threads are awaited */
    int64_t looked_ns;
    int left_alone_count;         /* threads, since it began */
    struct job_statistics last;   /* when it was last asked, to go on from */
    struct job_statistics past;   /* of balancings that were given up: their counts */
    struct job_statistics judged; /* when turns were asked for last, or when it began */
    char source[BALANCING_TEXT_SIZE], priority[BALANCING_TEXT_SIZE];
    char capacity[BALANCING_TEXT_SIZE], speeds[CAPACITY_TEXT_SIZE], shortfall[SHORTFALL_SIZE];
    struct job_thread *threads; /* when it ended last */
    int threads_count;
};

/* The program that is balanced. */
struct balancing_subject {
    const struct wish *wish;
    uid_t uid;
    struct processes *processes; /* those that have ended are forgotten */
};

/* -ESRCH: no process lives; -EINPROGRESS: it may be that an earlier job of one has not left it yet;
 * -EMFILE and the like: that cannot be seen now; as job_create,
 * job_start. */
int balancing_begin(struct balancing *balancing, const struct balancing_subject *subject,
                    char problem[JOB_PROBLEM_SIZE]) MUST_CHECK;
/* Gives the threads back, if they are balanced. */
void balancing_end(struct balancing *balancing);
void balancing_free(struct balancing *balancing);

/* As job_adopt and job_disown, if there is one. */
int balancing_adopt(struct balancing *balancing, const struct process *process) MUST_CHECK;
int balancing_disown(struct balancing *balancing, pid_t pid) MUST_CHECK;

/* While there is one: looks for threads, at balancing_next_ns or earlier. As job_poll. */
int balancing_poll(struct balancing *balancing, int64_t now_ns) MUST_CHECK;
int64_t balancing_next_ns(const struct balancing *balancing);

/* How many threads it balances that have not ended. */
int balancing_living(const struct balancing *balancing);

void balancing_statistics(struct balancing *balancing, struct job_statistics *statistics);
/* What there was since it was asked last; `judged` is what there is now. */
void balancing_turns(struct balancing *balancing, struct worth_turns *turns);

/* False if the table of its masks was removed. */
bool balancing_is_kept(const struct balancing *balancing);
/* All of them, as job_threads tells them, to be freed; when it has ended: as they were last. NULL
 * without memory. */
struct job_thread *balancing_threads(const struct balancing *balancing, int *count);

#endif
