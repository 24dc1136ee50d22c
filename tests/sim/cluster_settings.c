/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/cluster.h"

#include "libjuggle/ground/units.h"

#include <check.h>

struct cluster_settings cluster_basic(int ranks, uint64_t seed)
{
    return (struct cluster_settings){
        .ranks = ranks,
        .seed = seed,
        .latency_ns = 2 * NSEC_PER_USEC,
        .jitter_ns = 10 * NSEC_PER_USEC,
        .task_ns = NSEC_PER_USEC,
        .start_ns = 50 * NSEC_PER_USEC,
        .rounds = 1,
        .properties = {.seed = seed},
    };
}

void cluster_each_termination(struct cluster_settings settings,
                              void (*run)(const struct cluster_settings *settings))
{
    for (int i = 0; steal_choice_name(STEAL_CHOICE_TERMINATION, i); i++) {
        settings.properties.termination = (enum steal_termination)i;
        settings.properties.lifelines = 0;
        run(&settings);
        settings.properties.lifelines = 2;
        run(&settings);
    }
}

void cluster_expect_none(const struct cluster_settings *settings, const char *wrong)
{
    const struct steal_properties *properties = &settings->properties;

    ck_assert_msg(!wrong,
                  "%d ranks, then %d, every %ld visits, seed %lu, victim %d, amount %d, "
                  "termination %d, levels %d, weighted %d, lifelines %d: %s",
                  settings->ranks, settings->resume_ranks, (long)settings->pause_every,
                  (unsigned long)settings->seed, properties->victim, properties->amount,
                  properties->termination, properties->levels, properties->weighted,
                  properties->lifelines, wrong);
}

void cluster_expect_right(const struct cluster_settings *settings)
{
    struct cluster_result result;

    cluster_expect_none(settings, cluster_run(settings, &result));
}
