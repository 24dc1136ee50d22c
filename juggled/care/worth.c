/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/worth.h"

#include "libjuggle/job/allowance.h"
#include "libjuggle/policy/policy.h"

enum {
    OVERRUNS_MAX = 3, /* limits: number of judgements in a row */
    STILL_MAX = 6,
    REFUSALS_MAX = 2,
    PAIRS = 3,
    HELPER_RATIO = 10, /* a thread that ran less than 1 / HELPER_RATIO of the busiest is a helper */
};

/* Smaller differences do not count. */
#define CLEAR 0.05
/* Balancing is doubtful if an even distribution is nearly as fast as a fair one: if the possible
 * gain is below this. */
#define PROMISE_MIN 0.1

#define DOUBTFUL_NS  (30 * NSEC_PER_SEC)
#define PROMISING_NS (600 * NSEC_PER_SEC)
#define RARELY_NS    (3600 * NSEC_PER_SEC)

/* The shortest period that the share can pay for. */
static int64_t period_paid_ns(const struct worth_turns *turns)
{
    const int64_t cost_ns = turns->cost_ns / max_i64(1, turns->count);

    return cost_ns * SHARE_ALL_PPM / turns->share_ppm;
}

enum worth_finding worth_judge(struct worth *worth, const struct worth_turns *turns)
{
    const int64_t paid_ns = period_paid_ns(turns);
    const int64_t expected = turns->period_ns ? WORTH_JUDGE_NS / max_i64(turns->period_ns, paid_ns)
                                              : 0;

    worth->spent = paid_ns > PERIOD_MAX_NS ? worth->spent + 1 : 0;
    worth->overruns = turns->count * 2 < expected ? worth->overruns + 1 : 0;
    worth->still = turns->moves ? 0 : worth->still + 1;
    worth->refused = turns->failed && !turns->moves ? worth->refused + 1 : 0;
    if (worth->spent >= OVERRUNS_MAX)
        return WORTH_SPENT;
    if (worth->overruns >= OVERRUNS_MAX)
        return WORTH_OVERRUN;
    if (worth->refused >= REFUSALS_MAX)
        return WORTH_REFUSED;
    return worth->still >= STILL_MAX ? WORTH_STILL : WORTH_IT;
}

void worth_forget_costs(struct worth *worth)
{
    worth->spent = 0;
    worth->overruns = 0;
}

/* The greatest gain of swapping over threads that stay: equation (1) over (14) of the paper. */
static double promise(int threads_count, int processors_count)
{
    const int rounds = (threads_count + processors_count - 1) / processors_count;

    return threads_count < processors_count ? 0
                                            : (double)rounds * processors_count / threads_count - 1;
}

void worth_plan(struct worth *worth, int threads_count, int processors_count, int64_t now_ns)
{
    if (threads_count == worth->threads_count || threads_count < 1)
        return;
    worth->threads_count = threads_count;
    worth->suspected = false;
    worth->interval_ns = promise(threads_count, processors_count) < PROMISE_MIN ? DOUBTFUL_NS
                                                                                : PROMISING_NS;
    worth->trial_ns = now_ns + worth->interval_ns;
}

bool worth_trial_due(const struct worth *worth, int64_t now_ns)
{
    return worth->threads_count > 1 && worth->trial_ns <= now_ns;
}

void worth_give_up(struct worth *worth)
{
    worth->pairs = 0;
    worth->harms = 0;
}

static void trial_next(struct worth *worth, int64_t interval_ns, int64_t now_ns)
{
    worth_give_up(worth);
    worth->interval_ns = min_i64(interval_ns, RARELY_NS);
    worth->trial_ns = now_ns + worth->interval_ns;
}

/* A trial costs some progress, so after a gain the next one comes twice as late. After another
 * result the job rests first, and is tried again when it is back. */
bool worth_compare(struct worth *worth, double with, double without, int64_t now_ns,
                   enum worth_finding *finding)
{
    const bool gain = with > without * (1 + CLEAR);

    worth->pairs++;
    worth->harms += without > with * (1 + CLEAR);
    if (!gain && worth->pairs < PAIRS)
        return false;
    *finding = gain ? WORTH_IT : worth->harms == PAIRS ? WORTH_HARM : WORTH_NOTHING;
    worth->suspected = !gain;
    trial_next(worth, gain ? 2 * worth->interval_ns : DOUBTFUL_NS, now_ns);
    return true;
}

void worth_postpone(struct worth *worth, int64_t now_ns)
{
    trial_next(worth, 2 * worth->interval_ns, now_ns);
}

int64_t worth_slowest(const int64_t *run_ns, int count)
{
    int64_t most_ns = 0, least_ns = INT64_MAX;

    for (int i = 0; i < count; i++)
        most_ns = max_i64(most_ns, run_ns[i]);
    for (int i = 0; i < count; i++)
        if (run_ns[i] >= most_ns / HELPER_RATIO)
            least_ns = min_i64(least_ns, run_ns[i]);
    return most_ns ? least_ns : 0;
}

const char *worth_reason(enum worth_finding finding)
{
    static const char *const reasons[WORTH_FINDINGS_COUNT] = {
        [WORTH_IT] = "",
        [WORTH_OVERRUN] = "its turns take longer than its period",
        [WORTH_SPENT] = "its user's share of the processors is spent",
        [WORTH_STILL] = "there is nothing to move",
        [WORTH_REFUSED] = "its threads cannot be moved",
        [WORTH_NOTHING] = "it is as fast without balancing",
        [WORTH_HARM] = "it is faster without balancing",
    };

    return reasons[finding];
}
