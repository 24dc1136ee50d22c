/* SPDX-License-Identifier: BSD-3-Clause */
/* The processors of virtual ranks. Some are slower than others, and the operating system takes a
 * part of the time of each of them: once in each period, which begins at another time on each. */
#ifndef JUGGLE_STEAL_SIM_PROCESSORS_H
#define JUGGLE_STEAL_SIM_PROCESSORS_H

#include "libjuggle/ground/units.h"

#include <stdint.h>

/* All zeros: none. */
struct os_noise {
    double share; /* of each processor's time, less than 1 */
    int64_t period_ns;
};

struct stragglers {
    double share;  /* of the ranks, rounded to a whole number of them */
    double factor; /* by which work takes longer there */
};

struct processors;

/* The seed determines which ranks are slow and when each is disturbed. *processors is NULL if all
 * are alike and undisturbed. Returns 0 or -ENOMEM. */
int processors_open(const struct os_noise *noise, const struct stragglers *stragglers, int ranks,
                    uint64_t seed, struct processors **processors) MUST_CHECK;

/* Accepts NULL. */
void processors_close(struct processors *processors);

/* Returns when a rank that begins at begin_ns has done work that takes an undisturbed processor
 * `work_ns`; begin_ns if that is 0. Accepts NULL. */
int64_t processors_finish(const struct processors *processors, int rank, int64_t begin_ns,
                          int64_t work_ns);

/* Parse options: a struct os_noise as SHARE:PERIOD, such as 1%:10ms, and a struct stragglers as
 * SHARE:FACTOR, such as 1%:2. */
int option_os_noise(const char *text, void *target, const char **expected);
int option_stragglers(const char *text, void *target, const char **expected);

#endif
