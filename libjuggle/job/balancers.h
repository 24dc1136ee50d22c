/* SPDX-License-Identifier: BSD-3-Clause */
/* The live balancer: threads that wake when the engine wants a turn and take its steps together.
 *
 * There is one per processor, bound to it (paper Fig. 2), or a single one for all. A balancer that
 * wakes on the processor of the threads that it samples preempts them: their counters are brought
 * up to date by the switch, a thread that it moves is in a queue and not running, and the
 * processor's other threads get their turn when it sleeps again. A single balancer asks the kernel
 * for the counters of threads that run on other processors. That costs less on few processors; on
 * many it keeps its own processor too long. */
#ifndef JUGGLE_JOB_BALANCERS_H
#define JUGGLE_JOB_BALANCERS_H

#include "libjuggle/engine/engine.h"
#include "libjuggle/linux/priority.h"

/* The name of the balancer threads: a job that balances its own process knows them by it. */
#define BALANCERS_COMM "juggle-balancer"

enum balancers_shape {
    BALANCERS_AUTO, /* the job's creator may choose; here: by processors and kernel */
    BALANCERS_PER_PROCESSOR,
    BALANCERS_SINGLE,
};

struct balancers_statistics {
    int threads_count;
    int64_t own_cpu_ns;                                     /* of all balancer threads */
    int64_t period_min_ns, period_median_ns, period_max_ns; /* measured; 0 before the second turn */
    struct priority priority;
};

struct balancers;

/* Starts the threads; they sleep until the engine has been started and balancers_notify called.
 * Machine and engine outlive them. -EAGAIN, -ENOMEM. */
int balancers_start(enum balancers_shape shape, const struct machine *machine,
                    struct engine *engine, struct balancers **balancers) MUST_CHECK;

/* Has the balancers read the engine's next_ns again. To be called after engine_start(). */
void balancers_notify(struct balancers *balancers);

/* From now on all balancer threads together take no more than this share of one processor (see
 * allowance.h): the next turn is put off until the cost of the last one is within it. Any thread
 * may call it. */
void balancers_limit(struct balancers *balancers, int share_ppm);

/* The check that failed first, or NULL, also for NULL. No turns follow a failed check. Any thread
 * may call it. */
const char *balancers_fault(const struct balancers *balancers);

/* Ends the threads and frees everything. A turn that has begun may stay undecided. */
void balancers_stop(struct balancers *balancers);

void balancers_statistics(const struct balancers *balancers,
                          struct balancers_statistics *statistics);

#endif
