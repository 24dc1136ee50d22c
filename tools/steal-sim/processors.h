/* SPDX-License-Identifier: BSD-3-Clause */
/* The processors of virtual ranks: some are slower than the others, and from each of them the
 * operating system takes a part of its time, in pieces that come at the same interval, at another
 * moment of it on each. */
#ifndef JUGGLE_STEAL_SIM_PROCESSORS_H
#define JUGGLE_STEAL_SIM_PROCESSORS_H

#include "libjuggle/ground/units.h"

#include <stdint.h>

/* Zeros: nothing. */
struct os_noise {
    double share; /* of each processor's time, less than 1 */
    int64_t period_ns;
};

struct stragglers {
    double share;  /* of the ranks, to the nearest whole number */
    double factor; /* that everything takes there */
};

struct processors;

/* Which ranks are slow, and when each is disturbed, is the seed's. *processors is NULL if they are
 * all alike and their own. -ENOMEM. */
int processors_open(const struct os_noise *noise, const struct stragglers *stragglers, int ranks,
                    uint64_t seed, struct processors **processors) MUST_CHECK;

/* Accepts NULL. */
void processors_close(struct processors *processors);

/* When a rank that begins then has done what takes an undisturbed processor `work_ns`. Work of 0
 * takes none. Accepts NULL. */
int64_t processors_finish(const struct processors *processors, int rank, int64_t begin_ns,
                          int64_t work_ns);

/* Options: a struct os_noise as SHARE:PERIOD, 1%:10ms, and a struct stragglers as SHARE:FACTOR,
 * 1%:2. */
int option_os_noise(const char *text, void *target, const char **expected);
int option_stragglers(const char *text, void *target, const char **expected);

#endif
