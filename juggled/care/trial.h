/* SPDX-License-Identifier: BSD-3-Clause */
/* A trial: it compares a job's progress with balancing and without, stretch after stretch. */
#ifndef JUGGLE_JUGGLED_TRIAL_H
#define JUGGLE_JUGGLED_TRIAL_H

#include "juggled/care/stretch.h"
#include "juggled/care/worth.h"

enum trial_stage {
    TRIAL_NONE,
    TRIAL_WITH,
    TRIAL_WITHOUT,
    TRIAL_BACK, /* between two pairs: it begins when the threads are complete again */
};

/* All zero at first. */
struct trial {
    enum trial_stage stage;
    struct stretch *stretch;
    double rate_with, rate_without;
};

/* Gives it up. */
void trial_drop(struct trial *trial, struct worth *worth);

/* Begins the balanced stretch; false if it cannot: the trial is dropped and postponed then. */
bool trial_begin(struct trial *trial, struct worth *worth, const struct balancing *balancing,
                 int64_t now_ns);

/* Ends it, and the balancing: the other one begins at once. As trial_begin. */
bool trial_turn(struct trial *trial, struct worth *worth, struct balancing *balancing,
                int64_t now_ns);

/* Ends that, too, and the trial if enough is known. What speaks against balancing, or WORTH_IT. */
enum worth_finding trial_return(struct trial *trial, struct worth *worth, int64_t now_ns);

/* What such a finding rests on, in words. */
void trial_tell(const struct trial *trial, enum worth_finding finding, char *text, size_t size);

#endif
