/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel model: the parts of Linux's fair scheduler that move tasks between processors, as far as
 * they matter to compute-bound threads at barriers.
 *
 *   wake      a woken task goes to its last processor if that is idle, else to an idle processor,
 *             else to its last one.
 *   pull      a processor that runs dry takes a waiting task from the longest queue at once.
 *   rotation  every processor compares loads from time to time. Loads within 17 % of each other
 *             are even: 7 tasks against 6 stay. Otherwise the processor pulls a task if the task's
 *             load is at most the distance to the mean of the machine; each failed attempt in a
 *             row halves the load that counts. So an off-by-one imbalance is rotated only after
 *             more than log2 of (load / distance to the mean) failures: two with 3 tasks on 2
 *             processors, about every 100 ms; seven with 65 on 64, about every 8 s per processor.
 *
 * If processors differ or share cores, loads count per capacity, and a task that is alone on its
 * processor may move too:
 *
 *   wake      a woken task goes to the fastest idle processor, so that a processor whose sibling is
 *             busy comes last.
 *   fast      an idle processor takes the task of a slower one at once: asymmetric packing on x86,
 *             misfit tasks on Arm.
 *   sibling   a processor of an idle core takes one of two tasks that share another core, but
 *             after several failed attempts only.
 *
 * All of it respects masks. The machine is one scheduling domain. */
#ifndef JUGGLE_SIM_KERNEL_H
#define JUGGLE_SIM_KERNEL_H

#include "tools/sim/balancer.h"
#include "tools/sim/scenario.h"

struct kernel;

/* Returns 0 or -ENOMEM. */
int kernel_create(const struct scenario *scenario, struct kernel **kernel) MUST_CHECK;
void kernel_destroy(struct kernel *kernel);

struct load_balancer kernel_balancer(struct kernel *kernel);

#endif
