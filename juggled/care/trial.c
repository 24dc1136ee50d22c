/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/trial.h"

#include <stdio.h>

enum { PERCENT = 100 };

void trial_drop(struct trial *trial, struct worth *worth)
{
    worth_give_up(worth);
    stretch_destroy(trial->stretch);
    trial->stretch = NULL;
    trial->stage = TRIAL_NONE;
}

static void trial_postpone(struct trial *trial, struct worth *worth, int64_t now_ns)
{
    worth_postpone(worth, now_ns);
    trial_drop(trial, worth);
}

bool trial_begin(struct trial *trial, struct worth *worth, const struct balancing *balancing,
                 int64_t now_ns)
{
    int error = trial->stretch ? 0 : stretch_create(balancing, &trial->stretch);

    if (!error)
        error = stretch_begin(trial->stretch, now_ns);
    if (error)
        trial_postpone(trial, worth, now_ns);
    else
        trial->stage = TRIAL_WITH;
    return !error;
}

bool trial_turn(struct trial *trial, struct worth *worth, struct balancing *balancing,
                int64_t now_ns)
{
    int error = stretch_end(trial->stretch, now_ns, &trial->rate_with);

    if (!error) {
        balancing_end(balancing);
        error = stretch_begin(trial->stretch, now_ns);
    }
    if (error)
        trial_postpone(trial, worth, now_ns);
    else
        trial->stage = TRIAL_WITHOUT;
    return !error;
}

enum worth_finding trial_return(struct trial *trial, struct worth *worth, int64_t now_ns)
{
    enum worth_finding finding = WORTH_IT;
    int error = stretch_end(trial->stretch, now_ns, &trial->rate_without);

    if (error)
        trial_postpone(trial, worth, now_ns);
    else if (worth_compare(worth, trial->rate_with, trial->rate_without, now_ns, &finding))
        trial_drop(trial, worth);
    else
        trial->stage = TRIAL_BACK;
    return finding;
}

void trial_tell(const struct trial *trial, enum worth_finding finding, char *text, size_t size)
{
    snprintf(text, size,
             "%s: its slowest thread runs %.0f %% of the time with balancing, %.0f %% without",
             worth_reason(finding), PERCENT * trial->rate_with, PERCENT * trial->rate_without);
}
