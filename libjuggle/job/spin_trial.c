/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/spin_trial.h"

enum { SAMPLES_MIN = 16 };

#define REST_MIN_NS (100 * NSEC_PER_MSEC)
#define REST_MAX_NS (4 * NSEC_PER_SEC)
#define LOOK_NS     (50 * NSEC_PER_MSEC)
#define SERVE_NS    (2 * NSEC_PER_SEC)

/* Below, there is less to gain than nudges cost. */
#define SPIN_SHARE_MIN 0.2
/* A trial has to bring so much more work per time: what the nudges cost counts as work, too, a
 * tenth where a wake takes 10 us. */
#define GAIN_MIN 1.4

static void enter(struct spin_trial *trial, enum spin_stage stage, int64_t for_ns, int64_t now_ns)
{
    trial->stage = stage;
    trial->until_ns = now_ns + for_ns;
}

static void rest(struct spin_trial *trial, int64_t now_ns)
{
    enter(trial, SPIN_RESTS, trial->rest_ns, now_ns);
    trial->rest_ns = min_i64(2 * trial->rest_ns, REST_MAX_NS);
}

void spin_trial_begin(struct spin_trial *trial, int64_t now_ns)
{
    trial->rest_ns = REST_MIN_NS;
    trial->alone = 0;
    rest(trial, now_ns);
}

static double work_rate(const struct spin_sight *sight)
{
    return (double)(sight->samples_count - sight->spinning_count) / (double)sight->sampled_ns;
}

static bool is_spinning(const struct spin_sight *sight)
{
    return sight->samples_count >= SAMPLES_MIN && sight->sampled_ns > 0 &&
           sight->spinning_count >= SPIN_SHARE_MIN * sight->samples_count;
}

void spin_trial_step(struct spin_trial *trial, const struct spin_sight *sight, int64_t now_ns)
{
    switch (trial->stage) {
    case SPIN_RESTS:
        if (sight->suspect)
            enter(trial, SPIN_LOOKS, LOOK_NS, now_ns);
        else
            rest(trial, now_ns);
        break;
    case SPIN_LOOKS:
        if (!sight->suspect || !is_spinning(sight)) {
            rest(trial, now_ns);
            break;
        }
        trial->alone = work_rate(sight);
        enter(trial, SPIN_TRIES, LOOK_NS, now_ns);
        break;
    case SPIN_TRIES:
        if (sight->sampled_ns <= 0 || work_rate(sight) < GAIN_MIN * trial->alone) {
            rest(trial, now_ns);
            break;
        }
        trial->rest_ns = REST_MIN_NS;
        enter(trial, SPIN_SERVES, SERVE_NS, now_ns);
        break;
    case SPIN_SERVES:
        enter(trial, SPIN_LOOKS, LOOK_NS, now_ns);
        break;
    }
}

bool spin_trial_samples(const struct spin_trial *trial)
{
    return trial->stage == SPIN_LOOKS || trial->stage == SPIN_TRIES;
}

bool spin_trial_nudges(const struct spin_trial *trial)
{
    return trial->stage == SPIN_TRIES || trial->stage == SPIN_SERVES;
}
