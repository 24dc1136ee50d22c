/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/spin_trial.h"

enum {
    SAMPLES_MIN = 16,
    /* How much longer the next rest is: to suspect nobody costs next to nothing. */
    UNSUSPECTED = 2,
    IN_VAIN = 4,
};

#define REST_MIN_NS  (20 * NSEC_PER_MSEC)
#define REST_MAX_NS  (4 * NSEC_PER_SEC)
#define LOOK_NS      (20 * NSEC_PER_MSEC)
#define TRY_NS       (40 * NSEC_PER_MSEC)
#define SERVE_MIN_NS (2 * NSEC_PER_SEC)
#define SERVE_MAX_NS (16 * NSEC_PER_SEC)

/* Below, there is less to gain than nudges cost. */
#define SPIN_SHARE_MIN 0.2
/* An interval has to bring so many times the work of none, beyond what its nudges cost. */
#define GAIN_MIN 1.1
/* One that served before goes on while it brings this part of what it brought. */
#define GAIN_KEPT 0.8

/* The shorter the work between two barriers, the shorter the interval must be, and the more its
 * nudges cost: samples count as work what a thread runs longer because its cache is cold. The one
 * that does least harm comes first. */
static const struct {
    int64_t interval_ns;
    double cost; /* times as long that work takes */
} intervals[SPIN_INTERVALS_COUNT] = {
    {500 * NSEC_PER_USEC, 1.05},
    {SPIN_INTERVAL_MIN_NS, 1.18},
};

static void enter(struct spin_trial *trial, enum spin_stage stage, int64_t for_ns, int64_t now_ns)
{
    trial->stage = stage;
    trial->until_ns = now_ns + for_ns;
}

static void rest(struct spin_trial *trial, int growth, int64_t now_ns)
{
    enter(trial, SPIN_RESTS, trial->rest_ns, now_ns);
    trial->rest_ns = min_i64(growth * trial->rest_ns, REST_MAX_NS);
    trial->serve_ns = SERVE_MIN_NS;
    trial->again = false;
}

void spin_trial_begin(struct spin_trial *trial, int64_t now_ns)
{
    *trial = (struct spin_trial){.rest_ns = REST_MIN_NS};
    rest(trial, UNSUSPECTED, now_ns);
}

static double work_rate(const struct spin_sight *sight)
{
    return (double)(sight->samples_count - sight->spinning_count) / (double)sight->sampled_ns;
}

static bool is_spinning(const struct spin_sight *sight)
{
    return sight->suspect && sight->samples_count >= SAMPLES_MIN && sight->sampled_ns > 0 &&
           sight->spinning_count >= SPIN_SHARE_MIN * sight->samples_count;
}

/* ---- trying ---- */

static void try_interval(struct spin_trial *trial, int interval, int64_t now_ns)
{
    trial->interval = interval;
    enter(trial, SPIN_TRIES, TRY_NS, now_ns);
}

static void try_all(struct spin_trial *trial, int64_t now_ns)
{
    trial->again = false;
    trial->best = -1;
    trial->best_gain = GAIN_MIN;
    try_interval(trial, 0, now_ns);
}

static void serve(struct spin_trial *trial, int64_t now_ns)
{
    trial->interval = trial->best;
    trial->again = true;
    trial->rest_ns = REST_MIN_NS;
    enter(trial, SPIN_SERVES, trial->serve_ns, now_ns);
    trial->serve_ns = min_i64(2 * trial->serve_ns, SERVE_MAX_NS);
}

static double gain(const struct spin_trial *trial, const struct spin_sight *sight)
{
    /* Who did nothing at all without nudges gains by anything. */
    const double alone = trial->alone > 0 ? trial->alone : 1 / (double)NSEC_PER_SEC;

    return sight->sampled_ns > 0 ? work_rate(sight) / alone / intervals[trial->interval].cost : 0;
}

/* One that served before is compared with none, and with itself. */
static void tried_again(struct spin_trial *trial, double gained, int64_t now_ns)
{
    if (gained < GAIN_MIN || gained < GAIN_KEPT * trial->best_gain)
        try_all(trial, now_ns);
    else
        serve(trial, now_ns);
}

/* Shorter ones are tried as long as each is better than the one before. */
static void tried(struct spin_trial *trial, double gained, int64_t now_ns)
{
    const bool better = gained >= trial->best_gain;

    if (better) {
        trial->best = trial->interval;
        trial->best_gain = gained;
    }
    if (better && trial->interval + 1 < SPIN_INTERVALS_COUNT)
        try_interval(trial, trial->interval + 1, now_ns);
    else if (trial->best >= 0)
        serve(trial, now_ns);
    else
        rest(trial, IN_VAIN, now_ns);
}

void spin_trial_step(struct spin_trial *trial, const struct spin_sight *sight, int64_t now_ns)
{
    switch (trial->stage) {
    case SPIN_RESTS:
        if (sight->suspect)
            enter(trial, SPIN_LOOKS, LOOK_NS, now_ns);
        else
            rest(trial, UNSUSPECTED, now_ns);
        break;
    case SPIN_LOOKS:
        if (!is_spinning(sight)) {
            rest(trial, IN_VAIN, now_ns);
            break;
        }
        trial->alone = work_rate(sight);
        if (trial->again)
            try_interval(trial, trial->best, now_ns);
        else
            try_all(trial, now_ns);
        break;
    case SPIN_TRIES:
        if (trial->again)
            tried_again(trial, gain(trial, sight), now_ns);
        else
            tried(trial, gain(trial, sight), now_ns);
        break;
    case SPIN_SERVES:
        enter(trial, SPIN_LOOKS, LOOK_NS, now_ns);
        break;
    }
}

bool spin_trial_samples(const struct spin_trial *trial)
{
    return trial->stage != SPIN_RESTS && trial->stage != SPIN_SERVES;
}

int64_t spin_trial_interval_ns(const struct spin_trial *trial)
{
    return trial->stage == SPIN_TRIES || trial->stage == SPIN_SERVES
               ? intervals[trial->interval].interval_ns
               : 0;
}
