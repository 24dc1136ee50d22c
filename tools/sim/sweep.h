/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps: the values of n, m, e, the period and the seed that are combined. */
#ifndef JUGGLE_SIM_SWEEP_H
#define JUGGLE_SIM_SWEEP_H

#include "libjuggle/ground/units.h"

enum {
    SWEEP_AXES_MAX = 6,
    SWEEP_VALUES_MAX = 4096,
};

enum sweep_quantity {
    SWEEP_THREADS,
    SWEEP_PROCESSORS,
    SWEEP_PHASE_LENGTH,
    SWEEP_PERIOD,
    SWEEP_PERIOD_SHARE, /* of the phase length */
    SWEEP_SEED,
};

/* Durations are in nanoseconds. */
struct sweep_axis {
    enum sweep_quantity quantity;
    int count;
    double values[SWEEP_VALUES_MAX];
};

struct sweep {
    int axes_count;
    struct sweep_axis axes[SWEEP_AXES_MAX];
};

/* Adds the axis "NAME=ITEM,ITEM...". NAME is n, m, e, p, p/e or seed; an item is a value, a range
 * "A..B" of whole numbers, "A..B+STEP" or "A..B*FACTOR". Returns 0; -EINVAL; -EEXIST if there is
 * such an axis already; -ERANGE if a value is 0 or too large, a range is empty, or there are too
 * many values or axes. */
int sweep_parse(const char *text, struct sweep *sweep) MUST_CHECK;

/* How many combinations there are; 0 for no sweep. */
int64_t sweep_count(const struct sweep *sweep);

/* The axis's value in combination `index`; the last axis changes fastest. */
double sweep_value(const struct sweep *sweep, int axis, int64_t index);

#endif
