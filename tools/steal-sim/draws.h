/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers of some distributions, by arithmetic that is exact or the same on all machines: no
 * function of a mathematical library is called, because libraries differ in the last bits. */
#ifndef JUGGLE_STEAL_SIM_DRAWS_H
#define JUGGLE_STEAL_SIM_DRAWS_H

#include "libjuggle/ground/prng.h"

/* Exponential with mean 1. */
double draw_exponential(struct prng *prng);

/* Approximately normal with mean 0 and variance 1: a sum of twelve uniform numbers. */
double draw_normal(struct prng *prng);

/* Returns e^x, to a few units of the last place, for |x| < 100. */
double exponential(double x);

/* Uniform in [0, 1), and the same for the same arguments. */
double chance_of(uint64_t seed, uint64_t a, uint64_t b);

#endif
