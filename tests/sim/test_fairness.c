/* SPDX-License-Identifier: BSD-3-Clause */
/* No thread starves: in any scenario a thread that has work runs within a bounded number of turns,
 * and no run takes over three times as long as threads that are never moved. */
#include "tests/lib/scene.h"

#include "libjuggle/ground/prng.h"
#include "tools/sim/task.h"

#include <string.h>

#define MS NSEC_PER_MSEC
#define US NSEC_PER_USEC

enum {
    THREADS_MAX = 24,
    SEEDS = 3000,
    SEEDS_STRESS = 100000,
    PHASES = 20,
    TIMES_STATIC = 3,
    /* A thread may have to wait for this many rounds, in each of which all threads of a processor
     * run. */
    ROUNDS = 8,
};

/* Learning, resting and probing take this long at most. */
#define BEGINNING_NS (200 * MS)

static struct scenario scene;

struct watch {
    uint64_t seed;
    double end_ns;
    double ran_ns[THREADS_MAX];
    int64_t since_ns[THREADS_MAX]; /* when it last ran, or had no work */
    int turns_count[THREADS_MAX];  /* turns since then */
};

static void describe(uint64_t seed, char *text, size_t size)
{
    snprintf(text, size,
             "seed %llu: -n %d -m %d -e %lldus -p %lldus --barrier %s --telling %s --tick %lldms",
             (unsigned long long)seed, scene.threads_count, scene.machine.processors_count,
             (long long)(scene.phase_ns / US), (long long)(scene.policy.period_ns / US),
             barrier_style_names[scene.barrier], telling_names[scene.telling],
             (long long)(scene.tick_ns / MS));
}

/* Returns how long a thread may have to wait. Under the kernel alone it runs once in each round of
 * slices; exchanges may put threads before it. */
static int64_t longest_wait_ns(void)
{
    const int sharers = ceil_div(scene.threads_count + scene.hogs.count,
                                 scene.machine.processors_count);

    return ROUNDS * (sharers + 1) * max_i64(scene.sharing.slice_ns, 4 * MS);
}

static void check_turn(void *context, struct rig *rig, int domain)
{
    struct watch *watch = context;
    const int64_t now_ns = rig_now_ns(rig);
    char text[256];

    (void)domain;
    rig_settle(rig);
    for (int i = 0; i < scene.threads_count; i++) {
        const struct task *task = rig_task(rig, i);
        watch->turns_count[i]++;
        if (task->state != TASK_COMPUTING || task->run_ns > watch->ran_ns[i]) {
            watch->since_ns[i] = now_ns;
            watch->turns_count[i] = 0;
        }
        watch->ran_ns[i] = task->run_ns;
        if (now_ns - watch->since_ns[i] <= longest_wait_ns() || watch->turns_count[i] < ROUNDS)
            continue;
        describe(watch->seed, text, sizeof(text));
        ck_abort_msg("%s: thread %d has not run for %lld ms and %d turns", text, i,
                     (long long)((now_ns - watch->since_ns[i]) / MS), watch->turns_count[i]);
    }
    if ((double)now_ns <= watch->end_ns)
        return;
    describe(watch->seed, text, sizeof(text));
    ck_abort_msg("%s: has not ended after %.1f s", text, watch->end_ns / (double)NSEC_PER_SEC);
}

static void check_run(uint64_t seed)
{
    struct watch watch = {
        .seed = seed,
        .end_ns = TIMES_STATIC * scene_time_ns(&scene, CONTENDER_STATIC) + (double)BEGINNING_NS,
    };
    const struct run_observers observers = {.context = &watch, .before_turn = check_turn};
    struct outcome outcome;

    ck_assert_int_eq(simulate(&scene, CONTENDER_POLICY, &observers, &outcome), 0);
}

static int64_t one_of(struct prng *prng, const int64_t *values, size_t count)
{
    return values[prng_below(prng, count)];
}

static void scene_speeds(struct prng *prng)
{
    struct machine *machine = &scene.machine;
    const bool told = prng_below(prng, 2), siblings = prng_below(prng, 2);

    for (int i = 0; i < machine->processors_count; i++) {
        scene.speeds[i] = siblings || i % 3 ? 1 : 0.5;
        machine->processors[i].rate = told ? (int64_t)(scene.speeds[i] * (double)RATE_ONE) : 0;
        if (siblings)
            machine->processors[i].core = i & ~1;
    }
    scene.smt_speed = siblings ? 0.62 : 1;
    machine->smt_rate = told ? (int64_t)(scene.smt_speed * (double)RATE_ONE) : 0;
}

static void scene_random(uint64_t seed)
{
    static const int64_t periods_ns[] = {0, 0, 0, 1 * MS, 2 * MS, 3 * MS, 5 * MS, 10 * MS, 40 * MS};
    static const int64_t lengths_ns[] = {500 * US, 1 * MS,  2 * MS,  3 * MS,  5 * MS,
                                         10 * MS,  20 * MS, 30 * MS, 100 * MS};
    struct prng prng;

    prng_seed(&prng, seed);
    const int m = 1 + (int)prng_below(&prng, 8);
    const int n = 1 + (int)prng_below(&prng, THREADS_MAX);
    scene_init(&scene, n, m, POLICY_JUGGLE, one_of(&prng, lengths_ns, ARRAY_COUNT(lengths_ns)),
               one_of(&prng, periods_ns, ARRAY_COUNT(periods_ns)));
    scene.seed = seed;
    scene.phases_count = PHASES;
    scene.barrier = (enum barrier_style)prng_below(&prng, BARRIER_BUSY + 1);
    scene.telling = (enum telling)prng_below(&prng, TELLING_UNITS + 1);
    scene.opponent = prng_below(&prng, 4) ? OPPONENT_KERNEL : OPPONENT_NONE;
    scene.sharing.slice_ns = prng_below(&prng, 4) ? 4 * MS : 0;
    scene.tick_ns = prng_below(&prng, 3) ? 0 : 4 * MS;
    scene.turn_cost_ns = 40 * US;
    scene.migration_cost_ns = 5 * US;
    scene.uneven = prng_below(&prng, 3) ? 0 : 0.3;
    if (prng_below(&prng, 4) == 0)
        scene.hogs = (struct scenario_hogs){
            .count = 1, .pinned = prng_below(&prng, 2), .scale = 0.02};
    if (prng_below(&prng, 3) == 0)
        scene_speeds(&prng);
}

START_TEST(who_has_work_runs_within_a_bounded_number_of_turns)
{
    const struct seeds seeds = seeds_wanted(1, stress() ? SEEDS_STRESS : SEEDS);

    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        scene_random(seed);
        check_run(seed);
    }
}

/* Here the thread that was furthest behind was once moved at every turn and came last in each run
 * queue. */
START_TEST(who_is_moved_every_turn_runs_nevertheless)
{
    for (enum telling telling = TELLING_NOTHING; telling <= TELLING_UNITS; telling++)
        for (enum barrier_style barrier = BARRIER_BLOCK; barrier <= BARRIER_BUSY; barrier++)
            for (int64_t period_ns = MS; period_ns <= 3 * MS; period_ns += MS)
                for (int n = 5; n <= 9; n += 2) {
                    scene_init(&scene, n, 2, POLICY_JUGGLE, 100 * MS, period_ns);
                    scene.barrier = barrier;
                    scene.telling = telling;
                    scene.phases_count = PHASES;
                    scene.opponent = OPPONENT_KERNEL;
                    scene.sharing.slice_ns = 4 * MS;
                    scene.turn_cost_ns = 40 * US;
                    scene.migration_cost_ns = 5 * US;
                    check_run(0);
                }
}

SUITE("fairness")
