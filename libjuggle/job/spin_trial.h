/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decides when threads that spin are made to give way: looks for a moment, tries for another, goes
 * on if that brought more work, and looks again after a while. Pure.
 *
 * A wrong answer costs one trial: it rests twice as long after each look or trial in vain.
 */
#ifndef JUGGLE_JOB_SPIN_TRIAL_H
#define JUGGLE_JOB_SPIN_TRIAL_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

enum spin_stage {
    SPIN_RESTS,
    SPIN_LOOKS,  /* threads are sampled */
    SPIN_TRIES,  /* threads are sampled and nudged */
    SPIN_SERVES, /* threads are nudged */
};

struct spin_trial {
    enum spin_stage stage;
    int64_t until_ns; /* when the stage ends */
    int64_t rest_ns;  /* how long the next rest is */
    double alone;     /* work per time without nudges */
};

/* What was seen in the stage that ends. */
struct spin_sight {
    bool suspect; /* threads stand in line behind others that run for long */
    int samples_count, spinning_count;
    int64_t sampled_ns; /* for how long */
};

void spin_trial_begin(struct spin_trial *trial, int64_t now_ns);

/* The next stage, when one is over. */
void spin_trial_step(struct spin_trial *trial, const struct spin_sight *sight, int64_t now_ns);

bool spin_trial_samples(const struct spin_trial *trial);
bool spin_trial_nudges(const struct spin_trial *trial);

#endif
