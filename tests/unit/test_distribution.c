/* SPDX-License-Identifier: BSD-3-Clause */
/* How speed decides where threads are placed: threads of equal work that are placed once. */
#include "tests/lib/suite.h"

#include "libjuggle/policy/policy.h"
#include "libjuggle/ground/prng.h"
#include "libjuggle/theory/unequal.h"

#include <stdio.h>
#include <string.h>

enum { THREADS_MAX = 32, RANDOM_CASES = 500 };

static struct machine machine; /* too large for the stack */
static struct unequal_machine theory;
static struct move moves[THREADS_MAX];
static struct plan plan;
static struct policy *policy;

static void machine_of(const char *text)
{
    int count = 0;

    machine = (struct machine){.domains_count = 1};
    for (const char *at = text; *at; at += strcspn(at, " "), at += *at == ' ', count++)
        machine.processors[count] = (struct processor){
            .os_index = count, .core = count, .rate = (int64_t)(strtod(at, NULL) * RATE_ONE)};
    machine.processors_count = count;
}

static void step(enum event_type type, int subject)
{
    const struct event event = {
        .type = type, .subject = subject, .domain = -1, .now_ns = NSEC_PER_SEC};

    policy_step(policy, &event, &plan);
}

static void begin(enum policy_kind kind)
{
    const struct policy_options options = {.kind = kind, .threads_max = THREADS_MAX};

    free(policy);
    policy = policy_init(malloc((size_t)policy_footprint(&machine, &options)), &machine, &options);
    plan = (struct plan){.moves = moves, .moves_max = THREADS_MAX};
}

static void place_by(enum policy_kind kind, int threads)
{
    begin(kind);
    for (int i = 0; i < threads; i++)
        step(EVENT_THREAD_ARRIVED, i);
    step(EVENT_START, -1);
}

static void place(int threads)
{
    place_by(POLICY_STATIC, threads);
}

static int held(int processor)
{
    int count = 0;

    for (int slot = -1; (slot = policy_thread_after(policy, processor, slot)) >= 0;)
        count++;
    return count;
}

static void expect_by(enum policy_kind kind, const char *speeds, int threads, const char *counts)
{
    char text[128] = "";

    machine_of(speeds);
    place_by(kind, threads);
    for (int i = 0; i < machine.processors_count; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%d", i ? " " : "", held(i));
    ck_assert_msg(!strcmp(text, counts), "%d threads on %s: %s, not %s", threads, speeds, text,
                  counts);
}

START_TEST(fast_processors_hold_more)
{
    static const struct {
        const char *speeds;
        int threads;
        const char *counts;
    } cases[] = {
        {"1 0.2", 6, "5 1"}, /* both take 5 units of time */
        {"0.2 1", 6, "1 5"}, /* independent of the order */
        {"1 0.2", 3, "3 0"}, /* one thread may take longer on the slow one than all on the fast */
        {"1 0.2", 5, "5 0"}, /* a tie: the fast processor, where the next thread is done sooner */
        {"1 1 0.5", 5, "2 2 1"},       /* all take 2 units */
        {"1 1 0.5 0.5", 7, "3 2 1 1"}, /* ties go to the processor that comes first */
        {"2 1", 3, "2 1"},
        {"1 1", 5, "3 2"}, /* equal speeds: equal counts */
        {"1000 0.001", 8, "8 0"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
        expect_by(POLICY_STATIC, cases[i].speeds, cases[i].threads, cases[i].counts);
}

/* A slow processor that has nothing to do would be lost to threads that change places. */
START_TEST(who_balances_leaves_no_processor_empty)
{
    expect_by(POLICY_JUGGLE, "1 0.2", 6, "5 1");
    expect_by(POLICY_JUGGLE, "1 0.2", 3, "2 1");
    expect_by(POLICY_JUGGLE, "1 1 0.1 0.1", 5, "2 1 1 1");
    expect_by(POLICY_JUGGLE, "1 0.2", 1, "1 0");
    step(EVENT_THREAD_ARRIVED, 1);
    step(EVENT_THREAD_ARRIVED, 2);
    step(EVENT_THREAD_ARRIVED, 3);
    ck_assert_int_eq(held(0), 3);
    step(EVENT_THREAD_EXITED, 1);
    ck_assert_int_eq(held(1), 1);
    expect_by(POLICY_PAPER, "1 0.2", 6, "3 3");
}

static double finish(const int *counts)
{
    double latest = 0;

    for (int i = 0; i < machine.processors_count; i++) {
        const double time = (double)counts[i] / (double)machine_rate(&machine, i);
        latest = time > latest ? time : latest;
    }
    return latest;
}

/* Tries all ways to place the threads that are left on the processors from `processor` on;
 * returns the least finish time. */
static double least_finish(int *counts, int processor, int left)
{
    double least = 1e300;

    if (processor == machine.processors_count - 1) {
        counts[processor] = left;
        return finish(counts);
    }
    for (counts[processor] = 0; counts[processor] <= left; counts[processor]++) {
        const double time = least_finish(counts, processor + 1, left - counts[processor]);
        least = time < least ? time : least;
    }
    return least;
}

static void random_machine(struct prng *prng)
{
    static const int64_t rates[] = {1000000, 900000, 620000, 500000, 333333, 200000, 1500000};
    const int count = 1 + (int)prng_below(prng, 4);

    machine = (struct machine){.processors_count = count, .domains_count = 1};
    if (count > 1 && prng_below(prng, 2))
        machine.domains_count = 2;
    for (int i = 0; i < count; i++)
        machine.processors[i] = (struct processor){
            .os_index = i,
            .core = i,
            .domain = i * machine.domains_count / count,
            .rate = rates[prng_below(prng, ARRAY_COUNT(rates))]};
}

static double finish_now(void)
{
    int counts[MACHINE_PROCESSORS_MAX];

    for (int i = 0; i < machine.processors_count; i++)
        counts[i] = held(i);
    return finish(counts);
}

START_TEST(no_other_placement_is_done_earlier)
{
    struct prng prng;
    int counts[MACHINE_PROCESSORS_MAX];

    prng_seed(&prng, 1);
    for (int i = 0; i < RANDOM_CASES; i++) {
        const int threads = 1 + (int)prng_below(&prng, 8);

        random_machine(&prng);
        place(threads);
        ck_assert_double_eq_tol(finish_now(), least_finish(counts, 0, threads), 1e-12);
    }
}

/* Threads that come and go later are placed by the same rule within their domain. */
START_TEST(nor_after_threads_have_come_and_gone)
{
    struct prng prng;
    int counts[MACHINE_PROCESSORS_MAX];

    prng_seed(&prng, 2);
    for (int i = 0; i < RANDOM_CASES; i++) {
        int threads = 4 + (int)prng_below(&prng, 5);

        random_machine(&prng);
        for (int j = 0; j < machine.processors_count; j++)
            machine.processors[j].domain = 0;
        machine.domains_count = 1;
        place(threads - 2);
        step(EVENT_THREAD_ARRIVED, threads - 2);
        step(EVENT_THREAD_ARRIVED, threads - 1);
        ck_assert_double_eq_tol(finish_now(), least_finish(counts, 0, threads), 1e-12);
        for (int gone = 0; gone < 3; gone++) {
            step(EVENT_THREAD_EXITED, gone);
            threads--;
            ck_assert_double_eq_tol(finish_now(), least_finish(counts, 0, threads), 1e-12);
        }
    }
}

/* Adds a core of one processor, or of two siblings, which slow each other down by the factor. */
static int add_core(double speed, int width)
{
    const int core = machine.processors_count;

    for (int i = 0; i < width; i++)
        machine.processors[machine.processors_count++] = (struct processor){
            .os_index = core + i, .core = core, .rate = (int64_t)(speed * RATE_ONE)};
    return unequal_machine_add(&theory, speed, width);
}

static double core_finish(int core)
{
    const int here = held(core);
    const int there = core + 1 < machine.processors_count &&
                              machine.processors[core + 1].core == core
                          ? held(core + 1)
                          : 0;
    const int least = here < there ? here : there, most = here + there - least;

    return (least / theory.smt + (most - least)) * (double)RATE_ONE /
           (double)machine_rate(&machine, core);
}

START_TEST(siblings_are_placed_as_the_theory_says)
{
    static const double speeds[] = {1, 0.6, 0.45, 1.3}, factors[] = {0.4, 0.55, 0.62, 0.8, 1};
    struct prng prng;

    prng_seed(&prng, 3);
    for (int i = 0; i < RANDOM_CASES; i++) {
        double time_ns, latest = 0;

        machine = (struct machine){.domains_count = 1};
        unequal_machine_begin(factors[prng_below(&prng, ARRAY_COUNT(factors))], &theory);
        machine.smt_rate = (int64_t)(theory.smt * RATE_ONE);
        for (int cores = 2 + (int)prng_below(&prng, 3); cores > 0; cores--)
            ck_assert_int_eq(add_core(speeds[prng_below(&prng, ARRAY_COUNT(speeds))],
                                      1 + (int)prng_below(&prng, 2)),
                             0);
        if (!machine_unequal(&machine))
            continue; /* placed by counts, as before */
        const struct theory_case app = {
            .n = 1 + (int)prng_below(&prng, 16),
            .m = machine.processors_count,
            .e_ns = NSEC_PER_SEC,
            .lambda_ns = NSEC_PER_MSEC,
            .phases = 1,
            .domains = 1,
        };
        place(app.n);
        for (int core = 0; core < machine.processors_count; core++)
            if (machine.processors[core].core == core && core_finish(core) > latest)
                latest = core_finish(core);
        ck_assert_int_eq(unequal_placed(&app, &theory, &time_ns), THEORY_HOLDS);
        ck_assert_double_eq_tol(latest * NSEC_PER_SEC, time_ns, 1000);
    }
}

START_TEST(with_no_processor_nobody_is_placed)
{
    machine_of("1 0.5");
    begin(POLICY_STATIC);
    step(EVENT_THREAD_ARRIVED, 0);
    step(EVENT_PROCESSOR_LOST, 0);
    step(EVENT_PROCESSOR_LOST, 1);
    step(EVENT_START, -1);
    ck_assert_int_eq(plan.moves_count, 0);
}

SUITE("distribution")
