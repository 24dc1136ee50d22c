/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/waiting/patience.h"

/* Spans several time slices of other programs. */
#define WINDOW_NS    (40 * NSEC_PER_MSEC)
#define REST_MIN_NS  (100 * NSEC_PER_MSEC)
#define REST_MAX_NS  (6400 * NSEC_PER_MSEC)
#define SLEEP_MIN_NS (400 * NSEC_PER_MSEC)
#define SLEEP_MAX_NS (1600 * NSEC_PER_MSEC)
/* Turns come too late for regions with less work than SHORT_WORK_NS, and do harm beside other
 * programs. These make some regions last for a slice or two: so only SHORT_SHARE of the time must
 * be of regions shorter than SHORT_GAP_NS. */
#define SHORT_WORK_NS NSEC_PER_MSEC
#define SHORT_GAP_NS  (8 * NSEC_PER_MSEC)
#define SHORT_SHARE   0.75

enum { REST_GROWTH = 4, SLEEP_GROWTH = 2 };

/* Polling threads lack less than this part of a processor if no other program wants it. */
#define LACK_MIN 0.25
/* With sleep there must be this many times the regions of polling: fewer may be chance. */
#define GAIN_MIN 1.3
/* If regions are this many times fewer than at the last trial, its result does not hold any
 * more. */
#define FALL_MIN 2

static void window_begin(struct patience *patience, int64_t now_ns, int64_t cpu_ns)
{
    patience->began_ns = now_ns;
    patience->began_cpu_ns = cpu_ns;
    patience->regions_count = 0;
    patience->threads_count = 0;
    patience->last_ns = now_ns;
    patience->short_ns = 0;
}

void patience_begin(struct patience *patience, int processors_count, int64_t now_ns, int64_t cpu_ns)
{
    *patience = (struct patience){
        .processors_count = processors_count,
        .rest_ns = REST_MIN_NS,
        .sleep_ns = SLEEP_MIN_NS,
    };
    window_begin(patience, now_ns, cpu_ns);
}

bool patience_region(struct patience *patience, int threads_count, int64_t now_ns)
{
    const int64_t passed_ns = now_ns - patience->last_ns;

    patience->last_ns = now_ns;
    if (passed_ns < SHORT_GAP_NS)
        patience->short_ns += passed_ns;
    patience->regions_count++;
    if (patience->threads_count < threads_count)
        patience->threads_count = threads_count;
    return now_ns - patience->began_ns >= WINDOW_NS;
}

static void poll_again(struct patience *patience, int64_t until_ns)
{
    patience->stage = PATIENCE_POLLS;
    patience->until_ns = until_ns;
}

/* How many threads can run at a time. */
static int running_max(const struct patience *patience)
{
    return (int)max_i64(1, min_i64(patience->threads_count, patience->processors_count));
}

static bool is_disturbed(const struct patience *patience, int64_t elapsed_ns, int64_t ran_ns)
{
    return (double)ran_ns < (double)elapsed_ns * (running_max(patience) - LACK_MIN);
}

/* True if regions have little work in the mean, and none of them much: no region has more work than
 * all together. */
static bool are_short(const struct patience *patience, int64_t elapsed_ns, int64_t ran_ns)
{
    const int64_t work_ns = ran_ns / running_max(patience);

    return work_ns < SHORT_WORK_NS * patience->regions_count &&
           (work_ns < SHORT_GAP_NS ||
            (double)patience->short_ns > SHORT_SHARE * (double)elapsed_ns);
}

static void tried(struct patience *patience, double rate, int64_t now_ns)
{
    if (rate < GAIN_MIN * patience->polled_rate) {
        poll_again(patience, now_ns + patience->rest_ns);
        patience->rest_ns = min_i64(REST_GROWTH * patience->rest_ns, REST_MAX_NS);
        patience->sleep_ns = SLEEP_MIN_NS;
        return;
    }
    patience->stage = PATIENCE_SLEEPS;
    patience->until_ns = now_ns + patience->sleep_ns;
    patience->sleep_ns = min_i64(SLEEP_GROWTH * patience->sleep_ns, SLEEP_MAX_NS);
    patience->rest_ns = REST_MIN_NS;
}

void patience_step(struct patience *patience, int64_t now_ns, int64_t cpu_ns)
{
    const int64_t elapsed_ns = max_i64(now_ns - patience->began_ns, 1);
    const int64_t ran_ns = cpu_ns - patience->began_cpu_ns;
    const double rate = (double)patience->regions_count / (double)elapsed_ns;

    patience->regions_are_short = are_short(patience, elapsed_ns, ran_ns);
    switch (patience->stage) {
    case PATIENCE_POLLS:
        if (is_disturbed(patience, elapsed_ns, ran_ns) &&
            (patience->until_ns <= now_ns || FALL_MIN * rate < patience->polled_rate)) {
            patience->stage = PATIENCE_TRIES;
            patience->polled_rate = rate;
        }
        break;
    case PATIENCE_TRIES:
        tried(patience, rate, now_ns);
        break;
    case PATIENCE_SLEEPS:
        if (patience->until_ns <= now_ns)
            poll_again(patience, now_ns);
        break;
    }
    window_begin(patience, now_ns, cpu_ns);
}

bool patience_regions_are_short(const struct patience *patience)
{
    return patience->regions_are_short;
}

bool patience_sleeps(const struct patience *patience)
{
    return patience->stage != PATIENCE_POLLS;
}
