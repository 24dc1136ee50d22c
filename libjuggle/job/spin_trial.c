/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - stages, and how one goes over into the next
 * - whether there is a reason to look
 * - what a look says of spinning and of work
 * - trying: which means bring how much
 * - views: samples, traps, open masks, the interval */
#include "libjuggle/job/spin_trial.h"

enum { SAMPLES_MIN = 16, SLEEPERS_SAMPLES_MIN = 6 };
enum { SLOW_PACE = 4, BESIDE_PACE = 2, SLEEPERS_PACE = 8 };

/* How often reasons to look are sought, which costs next to nothing. */
#define WATCH_MIN_NS (20 * NSEC_PER_MSEC)
#define WATCH_MAX_NS (320 * NSEC_PER_MSEC)
#define LOOK_NS      (20 * NSEC_PER_MSEC)
#define TRY_NS       (40 * NSEC_PER_MSEC)
/* The most that a look or a trial lasts if samples are few. */
#define STAGE_MAX_NS (320 * NSEC_PER_MSEC)
#define SERVE_MIN_NS (250 * NSEC_PER_MSEC)
#define SERVE_MAX_NS (16 * NSEC_PER_SEC)
/* During a look the means that serves is off, so none begins before a service of this length. */
#define LOOK_AFTER_NS (2 * NSEC_PER_SEC)

/* If a smaller share of the samples spins, there is less to gain than nudges cost. */
#define SPIN_SHARE_MIN 0.2
/* If a smaller share spins, there is less to gain than traps cost. */
#define CAUGHT_SHARE_MIN 0.03
/* Being caught once, measured on a virtual machine; and the part of the time that may be lost to it
 * though samples show no gain, because few samples cannot tell a small gain from chance. */
#define CATCH_NS       (2 * NSEC_PER_USEC)
#define CATCH_COST_MAX 0.03
#define LOSS_MIN       0.85
/* A means has to bring this many times the work without any, its own cost subtracted. */
#define GAIN_MIN 1.1
/* Threads that sleep work little, so that samples of their work are few and the ratio is noisy. */
#define SLEEPERS_GAIN_MIN 1.3
/* A means that served before goes on while it brings this part of its gain then. */
#define GAIN_KEPT 0.8
/* Open masks bring two threads on two processors 0.5 to 1 of what is_well_off() expects of them. */
#define WELL_OFF_MIN 0.7

enum { TRAPS, NUDGES, NUDGES_OFTEN, OPEN };

/* The shorter the work between two barriers, the shorter the interval must be, and the more its
 * nudges cost. Samples count as work what a thread runs longer because its cache is cold, and some
 * of its time in a trap: `cost` corrects that. The means that does least harm comes first. */
static const struct {
    int64_t interval_ns; /* 0: no nudges */
    double cost;         /* work takes this many times as long */
} means[SPIN_MEANS_COUNT] = {
    [TRAPS] = {0, 1.1},
    [NUDGES] = {500 * NSEC_PER_USEC, 1.05},
    [NUDGES_OFTEN] = {SPIN_INTERVAL_MIN_NS, 1.18},
    [OPEN] = {0, 1},
};

/* A look or a trial in vain puts off the next look for the same reason; each time longer, by these
 * factors. A trial costs threads that sleep all the time much beside other programs, a look next to
 * nothing; an account costs most if threads sleep and yield all the time. */
static const struct {
    int64_t first_ns;
    int look_growth, trial_growth;
    int64_t max_ns;
} rests[SPIN_REASONS_COUNT] = {
    [SPIN_STRETCHES] = {20 * NSEC_PER_MSEC, 4, 4, 4 * NSEC_PER_SEC},
    [SPIN_SLEEPERS] = {160 * NSEC_PER_MSEC, 1, 4, 4 * NSEC_PER_SEC},
    [SPIN_ACCOUNT] = {100 * NSEC_PER_MSEC, 2, 2, 8 * NSEC_PER_SEC},
};

static void enter(struct spin_trial *trial, enum spin_stage stage, int64_t for_ns, int64_t now_ns)
{
    trial->stage = stage;
    trial->until_ns = now_ns + for_ns;
}

static void watch(struct spin_trial *trial, int64_t now_ns)
{
    enter(trial, SPIN_RESTS, trial->watch_ns, now_ns);
    trial->watch_ns = min_i64(2 * trial->watch_ns, WATCH_MAX_NS);
}

static void put_off(struct spin_trial *trial, enum spin_reason reason, int64_t now_ns)
{
    struct spin_rest *rest = &trial->rests[reason];
    const int growth = trial->stage == SPIN_TRIES ? rests[reason].trial_growth
                                                  : rests[reason].look_growth;

    rest->until_ns = now_ns + rest->next_ns;
    rest->next_ns = min_i64(growth * rest->next_ns, rests[reason].max_ns);
}

/* No means would have paid. Each look accounts, too, so the next account is put off; for long, if
 * samples hinder threads. */
static void rest(struct spin_trial *trial, int64_t now_ns)
{
    put_off(trial, trial->reason, now_ns);
    if (trial->reason != SPIN_ACCOUNT)
        put_off(trial, SPIN_ACCOUNT, now_ns);
    if (trial->hinders)
        trial->rests[SPIN_ACCOUNT].next_ns = rests[SPIN_ACCOUNT].max_ns;
    trial->serve_ns = SERVE_MIN_NS;
    trial->again = false;
    watch(trial, now_ns);
}

void spin_trial_begin(struct spin_trial *trial, int64_t now_ns)
{
    *trial = (struct spin_trial){
        .watch_ns = WATCH_MIN_NS,
        .serve_ns = SERVE_MIN_NS,
        .reason = SPIN_ACCOUNT,
        .oversubscribed = true,
    };
    for (int i = 0; i < SPIN_REASONS_COUNT; i++)
        trial->rests[i].next_ns = rests[i].first_ns;
    put_off(trial, SPIN_ACCOUNT, now_ns);
    watch(trial, now_ns);
}

bool spin_trial_suspects(const struct spin_trial *trial)
{
    return trial->reason == SPIN_STRETCHES;
}

bool spin_trial_wants_self_sampling(const struct spin_trial *trial)
{
    return trial->reason == SPIN_SLEEPERS && trial->stage != SPIN_RESTS;
}

/* Beside other programs all depends on their slices: a look has to last for many of them. */
int spin_trial_pace(const struct spin_trial *trial)
{
    if (trial->reason == SPIN_SLEEPERS)
        return SLEEPERS_PACE;
    return trial->slow ? SLOW_PACE : trial->oversubscribed ? 1 : BESIDE_PACE;
}

void spin_trial_account_no_more(struct spin_trial *trial)
{
    trial->unaccounted = true;
}

void spin_trial_slow_down(struct spin_trial *trial)
{
    trial->until_ns += (SLOW_PACE - spin_trial_pace(trial)) * LOOK_NS;
    trial->slow = true;
    spin_trial_account_no_more(trial);
}

static void look_for(struct spin_trial *trial, int64_t for_ns, int64_t now_ns)
{
    trial->look_ns = for_ns;
    enter(trial, SPIN_LOOKS, for_ns, now_ns);
}

static void look(struct spin_trial *trial, int64_t now_ns)
{
    look_for(trial, spin_trial_pace(trial) * LOOK_NS, now_ns);
}

void spin_trial_give_up_look(struct spin_trial *trial, int64_t now_ns)
{
    trial->no_self_sampling = true;
    trial->rests[trial->reason].until_ns = now_ns + rests[trial->reason].max_ns;
    watch(trial, now_ns);
}

static bool is_reason(const struct spin_trial *trial, const struct spin_sight *sight,
                      enum spin_reason reason)
{
    switch (reason) {
    case SPIN_STRETCHES:
        return sight->suspect;
    case SPIN_SLEEPERS:
        return sight->sleepers && sight->oversubscribed && !sight->suspect;
    case SPIN_ACCOUNT:
        return sight->oversubscribed && !sight->suspect && !trial->unaccounted &&
               (!sight->sleepers || trial->no_self_sampling);
    }
    return false;
}

static void look_if_there_is_reason(struct spin_trial *trial, const struct spin_sight *sight,
                                    int64_t now_ns)
{
    for (int i = 0; i < SPIN_REASONS_COUNT; i++)
        if (trial->rests[i].until_ns <= now_ns && is_reason(trial, sight, i)) {
            trial->reason = i;
            trial->no_self_sampling &= i != SPIN_SLEEPERS;
            look(trial, now_ns);
            return;
        }
    watch(trial, now_ns);
}

/* Work per time on all processors. Threads that were not sampled count like those that were. */
static double work_rate(const struct spin_sight *sight)
{
    const bool some_unseen = sight->sampled_ran_ns > 0 && sight->ran_ns > sight->sampled_ran_ns;
    const double all = some_unseen ? (double)sight->ran_ns / (double)sight->sampled_ran_ns : 1;

    return all * (double)sight->work_ns / (double)sight->sampled_ns;
}

static bool is_enough(const struct spin_sight *sight)
{
    const int samples_min = sight->suspect ? SAMPLES_MIN : SLEEPERS_SAMPLES_MIN;

    return (sight->suspect || sight->sleepers) && sight->samples_count >= samples_min &&
           sight->sampled_ns > 0;
}

static bool spins_for(const struct spin_sight *sight, double share)
{
    return is_enough(sight) && sight->spinning_count >= share * sight->samples_count;
}

enum spinning spin_sight_verdict(const struct spin_sight *sight)
{
    if (!is_enough(sight))
        return SPINNING_UNKNOWN;
    if (spins_for(sight, SPIN_SHARE_MIN))
        return SPINNING_SEEN;
    return sight->spinning_count + sight->waiting_count < CAUGHT_SHARE_MIN * sight->samples_count
               ? SPINNING_NONE
               : SPINNING_UNKNOWN;
}

/* True if there is a processor for each thread, and work is as much as the kernel would bring: if
 * one thread shares its processor with another program, all wait for it one half of the time. */
static bool is_well_off(const struct spin_sight *sight)
{
    return !sight->oversubscribed &&
           work_rate(sight) >= WELL_OFF_MIN * (double)sight->threads_count / 2;
}

static bool is_worth_a_trial(const struct spin_sight *sight)
{
    return spins_for(sight, sight->trappable ? CAUGHT_SHARE_MIN : SPIN_SHARE_MIN) &&
           !is_well_off(sight);
}

/* ---- trying ---- */

/* If there is a processor for each thread, nudges would serve other programs only, and threads may
 * be better off where the kernel puts them. But the kernel puts two that only spin onto one
 * processor now and then, and leaves them there: for these, masks are not opened. */
static bool is_possible(const struct spin_trial *trial, int index)
{
    if (index == TRAPS)
        return trial->trappable;
    if (index == OPEN)
        return !trial->oversubscribed && trial->gives_way;
    return trial->oversubscribed && trial->reason != SPIN_SLEEPERS;
}

static double gain_min(const struct spin_trial *trial)
{
    return trial->reason == SPIN_SLEEPERS ? SLEEPERS_GAIN_MIN : GAIN_MIN;
}

static void try_means(struct spin_trial *trial, int index, int64_t now_ns)
{
    const int64_t usual_ns = spin_trial_pace(trial) * TRY_NS;
    const int64_t seen_ns = min_i64(2 * trial->look_ns, STAGE_MAX_NS);

    trial->means = index;
    enter(trial, SPIN_TRIES, max_i64(usual_ns, seen_ns), now_ns);
}

static void try_all(struct spin_trial *trial, int64_t now_ns)
{
    trial->again = false;
    trial->best = -1;
    trial->best_gain = gain_min(trial);
    for (int i = 0; i < SPIN_MEANS_COUNT; i++)
        if (is_possible(trial, i)) {
            try_means(trial, i, now_ns);
            return;
        }
    rest(trial, now_ns);
}

static void serve(struct spin_trial *trial, int64_t now_ns)
{
    /* Threads have come or gone since the trial began. */
    if (!is_possible(trial, trial->best)) {
        rest(trial, now_ns);
        return;
    }
    trial->means = trial->best;
    trial->again = true;
    trial->watch_ns = WATCH_MIN_NS;
    trial->rests[trial->reason].next_ns = rests[trial->reason].first_ns;
    if (trial->means != TRAPS)
        trial->serve_ns = max_i64(trial->serve_ns, LOOK_AFTER_NS);
    enter(trial, SPIN_SERVES, trial->serve_ns, now_ns);
    trial->serve_ns = min_i64(2 * trial->serve_ns, SERVE_MAX_NS);
}

static double gain(const struct spin_trial *trial, const struct spin_sight *sight)
{
    /* A program that did nothing at all without nudges gains by any work. */
    const double without = trial->work_rate_without > 0 ? trial->work_rate_without
                                                        : 1 / (double)NSEC_PER_SEC;

    return sight->sampled_ns > 0 ? work_rate(sight) / without / means[trial->means].cost : 0;
}

/* True if traps catch threads, but seldom: they serve without a gain, for what they tell of
 * barriers. */
static bool is_cheap(const struct spin_trial *trial, const struct spin_sight *sight)
{
    return trial->means == TRAPS && trial->oversubscribed && sight->caught_count > 0 &&
           (double)(sight->caught_count * CATCH_NS) < CATCH_COST_MAX * (double)sight->sampled_ns;
}

/* Compares a means that served before with none, and with its own gain before. */
static void tried_again(struct spin_trial *trial, const struct spin_sight *sight, int64_t now_ns)
{
    const double gained = gain(trial, sight);
    const bool cheap = is_cheap(trial, sight) && gained >= LOSS_MIN;

    if (!cheap && (gained < gain_min(trial) || gained < GAIN_KEPT * trial->best_gain))
        try_all(trial, now_ns);
    else
        serve(trial, now_ns);
}

/* The means to try after one that was better than those before, or not; -1: none. Threads that are
 * caught by traps need no nudges. Shorter intervals are tried as long as each is better than the
 * one before. */
static int next_means(const struct spin_trial *trial, const struct spin_sight *sight, bool better)
{
    if (!trial->oversubscribed)
        return trial->means != OPEN && is_possible(trial, OPEN) && !is_well_off(sight) ? OPEN : -1;
    if (better == (trial->means == TRAPS) || trial->means >= NUDGES_OFTEN)
        return -1;
    return is_possible(trial, trial->means + 1) ? trial->means + 1 : -1;
}

static void tried(struct spin_trial *trial, const struct spin_sight *sight, int64_t now_ns)
{
    const double gained = gain(trial, sight);
    const bool better = gained >= trial->best_gain ||
                        (is_cheap(trial, sight) && gained >= LOSS_MIN);
    const int next = next_means(trial, sight, better);

    if (better) {
        trial->best = trial->means;
        trial->best_gain = gained;
    }
    if (next >= 0)
        try_means(trial, next, now_ns);
    else if (trial->best >= 0)
        serve(trial, now_ns);
    else
        rest(trial, now_ns);
}

/* True if a look brought too few samples, as of threads that mostly sleep, or that get little of
 * the processors beside other programs. */
static bool saw_few(const struct spin_trial *trial, const struct spin_sight *sight)
{
    return trial->reason != SPIN_ACCOUNT && (sight->suspect || sight->sleepers) &&
           !is_enough(sight);
}

static void looked(struct spin_trial *trial, const struct spin_sight *sight, int64_t now_ns)
{
    if (saw_few(trial, sight) && 2 * trial->look_ns <= STAGE_MAX_NS) {
        look_for(trial, 2 * trial->look_ns, now_ns);
        return;
    }
    if (!is_worth_a_trial(sight)) {
        rest(trial, now_ns);
        return;
    }
    if (trial->reason == SPIN_ACCOUNT)
        trial->reason = SPIN_STRETCHES;
    trial->work_rate_without = work_rate(sight);
    trial->trappable = sight->trappable;
    trial->gives_way = sight->waiting_count >= sight->spinning_count;
    if (trial->again && is_possible(trial, trial->best))
        try_means(trial, trial->best, now_ns);
    else
        try_all(trial, now_ns);
}

/* Threads may have come to loops where there is no trap yet. Sampling while others are caught shows
 * these loops, too, and nothing is lost by it. */
static void served(struct spin_trial *trial, const struct spin_sight *sight, int64_t now_ns)
{
    const bool cheap = is_cheap(trial, sight);

    if (cheap && !sight->suspect)
        serve(trial, now_ns);
    else if (trial->means == TRAPS && (cheap || trial->serve_ns <= LOOK_AFTER_NS))
        try_means(trial, TRAPS, now_ns);
    else
        look(trial, now_ns);
}

void spin_trial_step(struct spin_trial *trial, const struct spin_sight *sight, int64_t now_ns)
{
    trial->oversubscribed = sight->oversubscribed;
    trial->hinders = sight->hinders;
    switch (trial->stage) {
    case SPIN_RESTS:
        look_if_there_is_reason(trial, sight, now_ns);
        break;
    case SPIN_LOOKS:
        looked(trial, sight, now_ns);
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
        served(trial, sight, now_ns);
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

bool spin_trial_opens(const struct spin_trial *trial)
{
    return is_at_work(trial) && !trial->oversubscribed;
}

int64_t spin_trial_interval_ns(const struct spin_trial *trial)
{
    return is_at_work(trial) ? means[trial->means].interval_ns : 0;
}
