/* SPDX-License-Identifier: BSD-3-Clause */
/* Short scenarios for tests: n threads on m equal processors. */
#ifndef JUGGLE_TESTS_SCENE_H
#define JUGGLE_TESTS_SCENE_H

#include "tests/lib/suite.h"

#include "tools/sim/settings.h"
#include "tools/sim/simulation.h"

/* Sets up one phase of length e under the policy, on a machine with no other program and with an
 * exact clock. */
static inline void scene_init(struct scenario *scene, int n, int m, enum policy_kind kind,
                              int64_t e_ns, int64_t period_ns)
{
    static struct settings settings;

    settings_init(&settings);
    settings.processors_count = m;
    settings.scenario.threads_count = n;
    settings.scenario.phase_ns = e_ns;
    settings.scenario.policy.kind = kind;
    settings.scenario.policy.period_ns = period_ns;
    settings_scenario(&settings, scene);
}

/* Sets up phases that end at barriers, beside the kernel's balancing, with the costs of
 * docs/performance.md: slices of 4 ms, 40 us a turn, 5 us a migration. */
static inline void scene_costly(struct scenario *scene, int n, int m, enum barrier_style barrier,
                                int64_t e_ns, int phases_count)
{
    scene_init(scene, n, m, POLICY_JUGGLE, e_ns, 0);
    scene->barrier = barrier;
    scene->phases_count = phases_count;
    scene->opponent = OPPONENT_KERNEL;
    scene->sharing.slice_ns = 4 * NSEC_PER_MSEC;
    scene->turn_cost_ns = 40 * NSEC_PER_USEC;
    scene->migration_cost_ns = 5 * NSEC_PER_USEC;
}

static inline struct outcome scene_play(const struct scenario *scene, enum contender contender)
{
    struct outcome outcome;

    ck_assert_int_eq(simulate(scene, contender, NULL, &outcome), 0);
    return outcome;
}

static inline double scene_time_ns(const struct scenario *scene, enum contender contender)
{
    return (double)scene_play(scene, contender).completion_ns;
}

#endif
