/* SPDX-License-Identifier: BSD-3-Clause */
/* Section 4's ideal reactive balancer: evens the run queues out in the instant in which a task
 * blocks or wakes, and does nothing else. */
#ifndef JUGGLE_SIM_REACTIVE_H
#define JUGGLE_SIM_REACTIVE_H

#include "tools/sim/balancer.h"

struct load_balancer reactive_balancer(void);

#endif
