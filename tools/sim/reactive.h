/* SPDX-License-Identifier: BSD-3-Clause */
/* The ideal reactive balancer of section 4: evens out the run queues at the instant at which a task
 * blocks or wakes, and does nothing else. */
#ifndef JUGGLE_SIM_REACTIVE_H
#define JUGGLE_SIM_REACTIVE_H

#include "tools/sim/balancer.h"

struct load_balancer reactive_balancer(void);

#endif
