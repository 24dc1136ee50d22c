/* SPDX-License-Identifier: BSD-3-Clause */
/* The live balancer: threads that wake when the engine wants a turn and take its steps together.
 *
 * One per processor, bound to it (paper Fig. 2), or a single one for all. A balancer that wakes on
 * the processor of the threads that it samples preempts them: their counters are brought up to date
 * by the switch, a thread that it moves is in a queue and not running, and the processor's other
 * threads get their turn when it sleeps again. A single one asks the kernel for the counters of
 * those who run elsewhere, which costs less on few processors, and on many keeps its own too
 * long. */
#ifndef JUGGLE_JOB_BALANCERS_H
#define JUGGLE_JOB_BALANCERS_H

#include "libjuggle/engine/engine.h"
#include "libjuggle/linux/priority.h"

/* The name of the balancer threads: a job that balances its own process knows them by it. */
#define BALANCERS_COMM "juggle-balancer"

enum balancers_shape {
    BALANCERS_AUTO, /* as suits whoever makes the job; here by processors and kernel */
    BALANCERS_PER_PROCESSOR,
    BALANCERS_SINGLE,
};

struct balancers_statistics {
    int threads_count;
    int64_t own_cpu_ns;                                     /* of all balancer threads */
    int64_t period_min_ns, period_median_ns, period_max_ns; /* as kept; 0 before the second turn */
    struct priority priority;
};

struct balancers;

/* Starts the threads; they sleep until the engine has been started and balancers_notify called.
 * Machine and engine outlive them. -EAGAIN, -ENOMEM. */
int balancers_start(enum balancers_shape shape, const struct machine *machine,
                    struct engine *engine, struct balancers **balancers) MUST_CHECK;

/* The engine's next_ns may have changed: after engine_start. */
void balancers_notify(struct balancers *balancers);

/* From now on all balancer threads together take no more than this share of one processor (see
 * allowance.h): the next turn is put off as long as that takes. Any thread may call it. */
void balancers_limit(struct balancers *balancers, int share_ppm);

/* The check that failed first, or NULL, as of NULL: no turns follow it. Any thread may call it. */
const char *balancers_fault(const struct balancers *balancers);

/* Ends the threads, in the middle of a turn if need be. */
void balancers_stop(struct balancers *balancers);

void balancers_statistics(const struct balancers *balancers,
                          struct balancers_statistics *statistics);

#endif
