/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/spin_trial.h"

enum {
    SAMPLES_MIN = 16,
    /* How much longer the next rest is: to suspect nobody costs next to nothing. */
    UNSUSPECTED = 2,
    IN_VAIN = 4,
    SLOW_PACE = 4,
};

#define REST_MIN_NS    (20 * NSEC_PER_MSEC)
#define REST_MAX_NS    (4 * NSEC_PER_SEC)
#define LOOK_NS        (20 * NSEC_PER_MSEC)
#define TRY_NS         (40 * NSEC_PER_MSEC)
#define ACCOUNT_MIN_NS (100 * NSEC_PER_MSEC)
#define ACCOUNT_MAX_NS (8 * NSEC_PER_SEC)
#define SERVE_MIN_NS   (2 * NSEC_PER_SEC)
#define SERVE_MAX_NS   (16 * NSEC_PER_SEC)

/* Below, there is less to gain than nudges cost. */
#define SPIN_SHARE_MIN 0.2
/* And less than is worth a trap. */
#define CAUGHT_SHARE_MIN 0.03
/* Being caught, measured on a virtual machine; and what part of the time may be lost to it though
 * samples show no gain: few of them cannot tell a small one from chance. */
#define CATCH_NS       (2 * NSEC_PER_USEC)
#define CATCH_COST_MAX 0.03
#define LOSS_MIN       0.85
/* A means has to bring so many times the work of none, beyond what it costs. */
#define GAIN_MIN 1.1
/* One that served before goes on while it brings this part of what it brought. */
#define GAIN_KEPT 0.8

/* The shorter the work between two barriers, the shorter the interval must be, and the more its
 * nudges cost: samples count as work what a thread runs longer because its cache is cold, and some
 * of what it does in a trap. The one that does least harm comes first. */
static const struct {
    int64_t interval_ns; /* 0: traps */
    double cost;         /* times as long that work takes */
} means[SPIN_MEANS_COUNT] = {
    {0, 1.1},
    {500 * NSEC_PER_USEC, 1.05},
    {SPIN_INTERVAL_MIN_NS, 1.18},
};

enum { TRAPS, NUDGES };

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
    *trial = (struct spin_trial){.pace = 1,
                                 .rest_ns = REST_MIN_NS,
                                 .account_ns = now_ns + ACCOUNT_MIN_NS,
                                 .account_rest_ns = ACCOUNT_MIN_NS};
    rest(trial, UNSUSPECTED, now_ns);
}

void spin_trial_slow_down(struct spin_trial *trial)
{
    if (trial->pace == SLOW_PACE)
        return;
    trial->pace = SLOW_PACE;
    trial->until_ns += (SLOW_PACE - 1) * LOOK_NS;
    trial->account_ns = INT64_MAX;
}

/* A look costs those most who sleep and yield all the time, so that it comes the more seldom, the
 * longer a program runs. */
static bool account_is_due(struct spin_trial *trial, const struct spin_sight *sight, int64_t now_ns)
{
    if (!sight->oversubscribed || now_ns < trial->account_ns)
        return false;
    trial->account_rest_ns = min_i64(UNSUSPECTED * trial->account_rest_ns, ACCOUNT_MAX_NS);
    trial->account_ns = now_ns + trial->account_rest_ns;
    return true;
}

/* Who was not sampled did as those did who were. */
static double work_rate(const struct spin_sight *sight)
{
    const bool some_unseen = sight->sampled_ran_ns > 0 && sight->ran_ns > sight->sampled_ran_ns;
    const double all = some_unseen ? (double)sight->ran_ns / (double)sight->sampled_ran_ns : 1;

    return all * (double)(sight->samples_count - sight->spinning_count) / (double)sight->sampled_ns;
}

static bool is_enough(const struct spin_sight *sight)
{
    return sight->suspect && sight->samples_count >= SAMPLES_MIN && sight->sampled_ns > 0;
}

static bool spins_for(const struct spin_sight *sight, double share)
{
    return is_enough(sight) && sight->spinning_count >= share * sight->samples_count;
}

enum spinning spin_sight_tells(const struct spin_sight *sight)
{
    if (!is_enough(sight))
        return SPINNING_UNKNOWN;
    if (spins_for(sight, SPIN_SHARE_MIN))
        return SPINNING_SEEN;
    return spins_for(sight, CAUGHT_SHARE_MIN) ? SPINNING_UNKNOWN : SPINNING_NONE;
}

static bool is_worth_a_trial(const struct spin_sight *sight)
{
    return spins_for(sight, sight->trappable ? CAUGHT_SHARE_MIN : SPIN_SHARE_MIN);
}

/* ---- trying ---- */

static void try_means(struct spin_trial *trial, int index, int64_t now_ns)
{
    trial->means = index;
    enter(trial, SPIN_TRIES, trial->pace * TRY_NS, now_ns);
}

/* Who has a processor for each thread has nobody to nudge for but other programs. */
static void try_all(struct spin_trial *trial, bool trappable, bool oversubscribed, int64_t now_ns)
{
    trial->again = false;
    trial->best = -1;
    trial->best_gain = GAIN_MIN;
    if (trappable || oversubscribed)
        try_means(trial, trappable ? TRAPS : NUDGES, now_ns);
    else
        rest(trial, IN_VAIN, now_ns);
}

static void serve(struct spin_trial *trial, int64_t now_ns)
{
    trial->means = trial->best;
    trial->again = true;
    trial->rest_ns = REST_MIN_NS;
    enter(trial, SPIN_SERVES, trial->serve_ns, now_ns);
    trial->serve_ns = min_i64(2 * trial->serve_ns, SERVE_MAX_NS);
}

static double gain(const struct spin_trial *trial, const struct spin_sight *sight)
{
    /* Who did nothing at all without nudges gains by anything. */
    const double alone = trial->alone > 0 ? trial->alone : 1 / (double)NSEC_PER_SEC;

    return sight->sampled_ns > 0 ? work_rate(sight) / alone / means[trial->means].cost : 0;
}

/* Traps that catch somebody, and seldom. */
static bool is_cheap(const struct spin_trial *trial, const struct spin_sight *sight)
{
    return trial->means == TRAPS && sight->caught_count > 0 &&
           (double)(sight->caught_count * CATCH_NS) < CATCH_COST_MAX * (double)sight->sampled_ns;
}

/* One that served before is compared with none, and with itself. */
static void tried_again(struct spin_trial *trial, const struct spin_sight *sight, int64_t now_ns)
{
    const double gained = gain(trial, sight);
    const bool cheap = is_cheap(trial, sight) && gained >= LOSS_MIN;

    if (!cheap && (gained < GAIN_MIN || gained < GAIN_KEPT * trial->best_gain))
        try_all(trial, trial->means == TRAPS, sight->oversubscribed, now_ns);
    else
        serve(trial, now_ns);
}

/* Who is caught by traps needs no nudges. Shorter intervals are tried as long as each is better
 * than the one before. */
static void tried(struct spin_trial *trial, const struct spin_sight *sight, int64_t now_ns)
{
    const double gained = gain(trial, sight);
    const bool better = gained >= trial->best_gain ||
                        (is_cheap(trial, sight) && gained >= LOSS_MIN);

    if (better) {
        trial->best = trial->means;
        trial->best_gain = gained;
    }
    if (better != (trial->means == TRAPS) && trial->means + 1 < SPIN_MEANS_COUNT &&
        sight->oversubscribed)
        try_means(trial, trial->means + 1, now_ns);
    else if (trial->best >= 0)
        serve(trial, now_ns);
    else
        rest(trial, IN_VAIN, now_ns);
}

void spin_trial_step(struct spin_trial *trial, const struct spin_sight *sight, int64_t now_ns)
{
    switch (trial->stage) {
    case SPIN_RESTS:
        trial->suspected = sight->suspect;
        if (sight->suspect || account_is_due(trial, sight, now_ns))
            enter(trial, SPIN_LOOKS, trial->pace * LOOK_NS, now_ns);
        else
            rest(trial, UNSUSPECTED, now_ns);
        break;
    case SPIN_LOOKS:
        if (!is_worth_a_trial(sight)) {
            rest(trial, trial->suspected ? IN_VAIN : UNSUSPECTED, now_ns);
            break;
        }
        trial->suspected = true;
        trial->alone = work_rate(sight);
        if (trial->again && (trial->best != TRAPS || sight->trappable))
            try_means(trial, trial->best, now_ns);
        else
            try_all(trial, sight->trappable, sight->oversubscribed, now_ns);
        break;
    case SPIN_TRIES:
        if (trial->means == TRAPS && sight->elsewhere)
            try_means(trial, TRAPS, now_ns);
        else if (trial->again)
            tried_again(trial, sight, now_ns);
        else
            tried(trial, sight, now_ns);
        break;
    case SPIN_SERVES:
        if (is_cheap(trial, sight))
            serve(trial, now_ns);
        else
            enter(trial, SPIN_LOOKS, trial->pace * LOOK_NS, now_ns);
        break;
    }
}

bool spin_trial_samples(const struct spin_trial *trial)
{
    return trial->stage != SPIN_RESTS && trial->stage != SPIN_SERVES;
}

static bool is_at_work(const struct spin_trial *trial)
{
    return trial->stage == SPIN_TRIES || trial->stage == SPIN_SERVES;
}

bool spin_trial_traps(const struct spin_trial *trial)
{
    return is_at_work(trial) && trial->means == TRAPS;
}

int64_t spin_trial_interval_ns(const struct spin_trial *trial)
{
    return is_at_work(trial) ? means[trial->means].interval_ns : 0;
}
