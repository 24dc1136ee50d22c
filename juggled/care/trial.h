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
    TRIAL_BACK, /* between two pairs of stretches: the next begins when the threads are complete
                   again */
};

/* All zero at first. */
struct trial {
    enum trial_stage stage;
    struct stretch *stretch;
    double rate_with, rate_without;
};

/* Gives the trial up. */
void trial_drop(struct trial *trial, struct worth *worth);

/* Begins the stretch with balancing. If it cannot, drops and postpones the trial and returns
 * false. */
bool trial_begin(struct trial *trial, struct worth *worth, const struct balancing *balancing,
                 int64_t now_ns);

/* Ends that stretch and the balancing, and begins the stretch without. As trial_begin. */
bool trial_turn(struct trial *trial, struct worth *worth, struct balancing *balancing,
                int64_t now_ns);

/* Ends the stretch without, and the trial if enough is known. Returns the finding against
 * balancing, or WORTH_IT. */
enum worth_finding trial_return(struct trial *trial, struct worth *worth, int64_t now_ns);

/* Writes the finding and the numbers that it rests on, in words. */
void trial_tell(const struct trial *trial, enum worth_finding finding, char *text, size_t size);

#endif
