/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The theory of unequal processors compared with the paper's, for equal processors, and with brute
 * force: a fair machine that runs threads wherever a test puts them.
 */
#include "tests/lib/suite.h"
#include "tests/lib/theory_case.h"

#include "libjuggle/ground/prng.h"
#include "libjuggle/theory/unequal.h"

#include <stdbool.h>

enum { N_MAX = 32, RANDOM_CASES = 2000 };

static const double tolerance = 1e-9;

typedef enum theory_condition result_fn(const struct theory_case *, const struct unequal_machine *,
                                        double *);

static double value(result_fn *function, const struct theory_case *app,
                    const struct unequal_machine *machine)
{
    double time_ns = NAN;
    const enum theory_condition condition = function(app, machine, &time_ns);

    ck_assert_msg(condition == THEORY_HOLDS, "n=%d m=%d needs %s", app->n, app->m,
                  theory_condition_text(condition));
    return in_e(time_ns);
}

/* Adds `count` cores of this speed and width to the end of the machine. */
static void add(struct unequal_machine *machine, int count, double speed, int width)
{
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(unequal_machine_add(machine, speed, width), 0);
}

static struct unequal_machine hybrid(int fast, double slow_speed, int slow)
{
    struct unequal_machine machine;

    unequal_machine_begin(1, &machine);
    add(&machine, slow, slow_speed, 1);
    add(&machine, fast, 1, 1);
    return machine;
}

static struct unequal_machine smt_server(int cores, double smt)
{
    struct unequal_machine machine;

    unequal_machine_begin(smt, &machine);
    add(&machine, cores, 1, 2);
    return machine;
}

static struct unequal_machine random_machine(struct prng *prng, double smt_least)
{
    struct unequal_machine machine;

    unequal_machine_begin(smt_least + (1 - smt_least) * prng_unit(prng), &machine);
    for (int kinds = 1 + (int)prng_below(prng, 3); kinds > 0; kinds--)
        add(&machine, 1 + (int)prng_below(prng, 3), 0.1 + 2 * prng_unit(prng),
            1 + (int)prng_below(prng, 2));
    return machine;
}

/* ---- the fair machine ---- */

struct fair {
    const struct unequal_machine *machine;
    int n;
    double now;
    double left[N_MAX];
    int core[N_MAX]; /* the core of each thread, */
    int side[N_MAX]; /* and the processor of that core */
};

static struct fair fair_start(const struct unequal_machine *machine, int n)
{
    struct fair fair = {.machine = machine, .n = n};

    for (int i = 0; i < n; i++)
        fair.left[i] = 1;
    return fair;
}

static int fair_load(const struct fair *fair, int core, int side)
{
    int load = 0;

    for (int i = 0; i < fair->n; i++)
        load += fair->left[i] > 0 && fair->core[i] == core && fair->side[i] == side;
    return load;
}

static double fair_rate(const struct fair *fair, int thread)
{
    const int core = fair->core[thread];
    const int side = fair->side[thread];
    const bool both = fair_load(fair, core, !side) > 0;

    return fair->machine->cores[core].speed * (both ? fair->machine->smt : 1) /
           fair_load(fair, core, side);
}

static bool fair_done(const struct fair *fair)
{
    for (int i = 0; i < fair->n; i++)
        if (fair->left[i] > 0)
            return false;
    return true;
}

/* Runs until `limit`, or until a thread is done. */
static void fair_run(struct fair *fair, double limit)
{
    double rates[N_MAX] = {0};
    double spell = limit - fair->now;

    for (int i = 0; i < fair->n; i++)
        if (fair->left[i] > 0) {
            rates[i] = fair_rate(fair, i);
            spell = fmin(spell, fair->left[i] / rates[i]);
        }
    for (int i = 0; i < fair->n; i++)
        fair->left[i] = fair->left[i] - rates[i] * spell < tolerance / 10
                            ? 0
                            : fair->left[i] - rates[i] * spell;
    fair->now += spell;
}

static double fair_finish(struct fair *fair)
{
    while (!fair_done(fair))
        fair_run(fair, INFINITY);
    return fair->now;
}

/* Puts the thread on processor number `index`, in the order in which static placement fills
 * them. */
static void fair_put_in_order(struct fair *fair, int thread, int index)
{
    const struct unequal_machine *machine = fair->machine;
    int left = index % machine->processors_count;

    for (int side = 0; side < UNEQUAL_WIDTH_MAX; side++)
        for (int core = 0; core < machine->cores_count; core++)
            if (side < machine->cores[core].width && left-- == 0) {
                fair->core[thread] = core;
                fair->side[thread] = side;
            }
}

static void fair_scatter(struct fair *fair, struct prng *prng)
{
    for (int i = 0; i < fair->n; i++)
        fair_put_in_order(fair, i,
                          (int)prng_below(prng, (uint64_t)fair->machine->processors_count));
}

/* ---- numbers ---- */

START_TEST(a_hybrid_machine_in_numbers)
{
    static const struct {
        int n;
        double fixed, placed, reactive, continuous;
    } cases[] = {
        {4, 1, 1, 1, 1},
        {6, 1 / 0.6, 1 / 0.6, 1.4, 6 / 5.2}, /* fewer threads than processors */
        {8, 1 / 0.6, 1 / 0.6, 1.4, 8 / 6.4},
        {9, 2, 2, 0, 9 / 6.4},
        {12, 2, 2, 0, 12 / 6.4},
    };
    const struct unequal_machine machine = hybrid(4, 0.6, 4);

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        const struct theory_case app = case_of(cases[i].n, 8, 0.01, 1);

        ck_assert_double_eq_tol(value(unequal_static, &app, &machine), cases[i].fixed, tolerance);
        ck_assert_double_eq_tol(value(unequal_placed, &app, &machine), cases[i].placed, tolerance);
        ck_assert_double_eq_tol(value(unequal_continuous, &app, &machine), cases[i].continuous,
                                tolerance);
        if (cases[i].reactive > 0)
            ck_assert_double_eq_tol(value(unequal_reactive, &app, &machine), cases[i].reactive,
                                    tolerance);
    }
}

START_TEST(siblings_in_numbers)
{
    static const struct {
        int n;
        double fixed, continuous;
    } cases[] = {
        {8, 1, 1},
        {9, 1 / 0.62, 9 / 8.24},
        {12, 1 / 0.62, 12 / 8.96},
        {16, 1 / 0.62, 1 / 0.62},
        {17, 1 / 0.62 + 1, 17 / 9.92}, /* the lone thread ends alone on its core */
    };
    const struct unequal_machine machine = smt_server(8, 0.62);

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        const struct theory_case app = case_of(cases[i].n, 16, 0.01, 1);

        ck_assert_double_eq_tol(value(unequal_static, &app, &machine), cases[i].fixed, tolerance);
        ck_assert_double_eq_tol(value(unequal_continuous, &app, &machine), cases[i].continuous,
                                tolerance);
    }
}

START_TEST(a_second_thread_that_harms_its_core_is_left_out)
{
    const struct unequal_machine machine = smt_server(4, 0.4);

    ck_assert_double_eq_tol(unequal_rate(&machine, 4), 4, tolerance);
    ck_assert_double_eq_tol(unequal_rate(&machine, 8), 4, tolerance);
}

/* ---- the paper's results are the equal case ---- */

START_TEST(equal_processors_give_the_papers_results)
{
    for (int m = 1; m <= 12; m++)
        for (int n = m; n <= 40; n++) {
            const struct unequal_machine machine = hybrid(m, 1, 0);
            const struct theory_case app = case_of(n, m, 0.3, 2);
            double paper_ns;

            ck_assert_int_eq(theory_static(&app, &paper_ns), THEORY_HOLDS);
            ck_assert_double_eq_tol(value(unequal_static, &app, &machine), in_e(paper_ns), 1e-6);
            ck_assert_double_eq_tol(value(unequal_placed, &app, &machine), in_e(paper_ns), 1e-6);
            ck_assert_int_eq(theory_reactive_recurrence(&app, &paper_ns), THEORY_HOLDS);
            ck_assert_double_eq_tol(value(unequal_reactive, &app, &machine), in_e(paper_ns), 1e-6);
            if (n % m == 0)
                continue;
            ck_assert_int_eq(theory_continuous(&app, &paper_ns), THEORY_HOLDS);
            ck_assert_double_eq_tol(value(unequal_continuous, &app, &machine), in_e(paper_ns),
                                    1e-6);
            ck_assert_int_eq(theory_short_period(&app, &paper_ns), THEORY_HOLDS);
            ck_assert_double_eq_tol(value(unequal_short_period, &app, &machine), in_e(paper_ns),
                                    1e-6);
        }
}

/* ---- against brute force ---- */

START_TEST(static_is_what_a_fair_machine_takes)
{
    struct prng prng;

    prng_seed(&prng, 1);
    for (int i = 0; i < RANDOM_CASES; i++) {
        const struct unequal_machine machine = random_machine(&prng, 0.3);
        const int n = 1 + (int)prng_below(&prng, N_MAX);
        const struct theory_case app = case_of(n, machine.processors_count, 1, 1);
        struct fair fair = fair_start(&machine, n);

        for (int thread = 0; thread < n; thread++)
            fair_put_in_order(&fair, thread, thread);
        ck_assert_double_eq_tol(value(unequal_static, &app, &machine), fair_finish(&fair), 1e-6);
    }
}

/* Threads that change places at random may be lucky, but cannot beat (14'). */
START_TEST(the_continuous_bound_is_never_beaten)
{
    struct prng prng;

    prng_seed(&prng, 2);
    for (int i = 0; i < RANDOM_CASES; i++) {
        const struct unequal_machine machine = random_machine(&prng, 0.3);
        const int n = 1 + (int)prng_below(&prng, N_MAX);
        const struct theory_case app = case_of(n, machine.processors_count, 1, 1);
        struct fair fair = fair_start(&machine, n);

        while (!fair_done(&fair)) {
            fair_scatter(&fair, &prng);
            fair_run(&fair, fair.now + prng_unit(&prng));
        }
        ck_assert_double_ge(fair.now, value(unequal_continuous, &app, &machine) - 1e-6);
    }
}

/* Every thread has every slot for the same time. */
START_TEST(passing_the_slots_round_attains_the_continuous_bound)
{
    struct prng prng;

    prng_seed(&prng, 3);
    for (int i = 0; i < RANDOM_CASES; i++) {
        const struct unequal_machine machine = random_machine(&prng, 0.5);
        const int n = 1 + (int)prng_below(&prng, N_MAX);
        const struct theory_case app = case_of(n, machine.processors_count, 1, 1);
        double rates[N_MAX];
        double sum = 0;

        unequal_slots(&machine, n, rates);
        for (int slot = 0; slot < n; slot++) {
            ck_assert(slot == 0 || rates[slot] <= rates[slot - 1]);
            sum += rates[slot];
        }
        ck_assert_double_eq_tol(n / sum, value(unequal_continuous, &app, &machine), 1e-6);
    }
}

/* Deals the slots out by need, every lambda, as rates: the thread with most work left comes
 * first. */
static double dealt_every(const struct unequal_machine *machine, int n, double lambda)
{
    double left[N_MAX], rates[N_MAX];
    double now = 0;

    for (int i = 0; i < n; i++)
        left[i] = 1;
    for (int running = n; running > 0;) {
        double spell = lambda - fmod(now, lambda);

        for (int i = 1; i < running; i++) /* insertion sort */
            for (int j = i; j > 0 && left[j] > left[j - 1]; j--) {
                const double more = left[j];
                left[j] = left[j - 1];
                left[j - 1] = more;
            }
        while (running > 0 && left[running - 1] < tolerance)
            running--;
        if (running == 0)
            break;
        unequal_slots(machine, running, rates);
        for (int i = 0; i < running; i++)
            spell = fmin(spell, left[i] / rates[i]);
        spell = fmax(spell, tolerance);
        for (int i = 0; i < running; i++)
            left[i] -= rates[i] * spell;
        now += spell;
    }
    return now;
}

START_TEST(the_bound_of_a_period_is_never_beaten)
{
    struct prng prng;

    prng_seed(&prng, 4);
    for (int i = 0; i < RANDOM_CASES; i++) {
        const struct unequal_machine machine = random_machine(&prng, 0.5);
        const int n = 1 + (int)prng_below(&prng, N_MAX);
        double rates[N_MAX];
        unequal_slots(&machine, n, rates);
        const double lambda = (0.05 + 0.94 * prng_unit(&prng)) / rates[0];
        const struct theory_case app = case_of(n, machine.processors_count, lambda, 1);

        ck_assert_double_ge(dealt_every(&machine, n, in_e((double)app.lambda_ns)),
                            value(unequal_short_period, &app, &machine) - 1e-6);
    }
}

START_TEST(reactive_lies_between_static_and_the_bound)
{
    struct prng prng;

    prng_seed(&prng, 5);
    for (int i = 0; i < RANDOM_CASES; i++) {
        const struct unequal_machine machine = random_machine(&prng, 0.5);
        const int n = 1 + (int)prng_below(&prng, N_MAX);
        const struct theory_case app = case_of(n, machine.processors_count, 1, 1);
        const double time = value(unequal_reactive, &app, &machine);

        ck_assert_double_ge(time, value(unequal_continuous, &app, &machine) - 1e-6);
        ck_assert_double_le(time, value(unequal_static, &app, &machine) + 1e-6);
    }
}

/* Returns the least time over all ways to divide n threads among the processors. */
static double best_placement(struct fair *fair, int thread, int first)
{
    double best = INFINITY;

    if (thread == fair->n) {
        struct fair run = *fair;
        return fair_finish(&run);
    }
    for (int index = first; index < fair->machine->processors_count; index++) {
        fair_put_in_order(fair, thread, index);
        best = fmin(best, best_placement(fair, thread + 1, index));
    }
    return best;
}

START_TEST(placement_by_speed_is_the_best_there_is)
{
    struct prng prng;

    prng_seed(&prng, 6);
    for (int i = 0; i < 40; i++) {
        const struct unequal_machine machine = random_machine(&prng, 0.4);
        const int n = 1 + (int)prng_below(&prng, 4);
        const struct theory_case app = case_of(n, machine.processors_count, 1, 1);
        struct fair fair = fair_start(&machine, n);

        ck_assert_double_eq_tol(value(unequal_placed, &app, &machine), best_placement(&fair, 0, 0),
                                1e-6);
    }
}

/* ---- conditions ---- */

START_TEST(machines_that_cannot_be_are_refused)
{
    struct unequal_machine machine = hybrid(2, 0.5, 2);

    ck_assert_int_ne(unequal_machine_add(&machine, 0, 1), 0);
    ck_assert_int_ne(unequal_machine_add(&machine, -1, 1), 0);
    ck_assert_int_ne(unequal_machine_add(&machine, NAN, 1), 0);
    ck_assert_int_ne(unequal_machine_add(&machine, INFINITY, 1), 0);
    ck_assert_int_ne(unequal_machine_add(&machine, 1, 3), 0);
    ck_assert_int_eq(machine.processors_count, 4);
    while (machine.processors_count < MACHINE_PROCESSORS_MAX)
        add(&machine, 1, 1, 1);
    ck_assert_int_ne(unequal_machine_add(&machine, 1, 1), 0);
}

START_TEST(conditions_leave_the_output_alone)
{
    const struct unequal_machine machine = hybrid(2, 0.5, 2);
    const struct unequal_machine siblings = smt_server(2, 1.5);
    const struct unequal_machine none = smt_server(0, 0.5);
    const struct theory_case sound = case_of(4, 4, 0.1, 1);
    const struct theory_case other_machine = case_of(4, 3, 0.1, 1);
    const struct theory_case no_threads = case_of(0, 4, 0.1, 1);
    const struct theory_case many = case_of(UNEQUAL_THREADS_MAX + 1, 4, 0.1, 1);
    const struct theory_case late = case_of(4, 4, 1.01, 1);
    double time_ns = -1;

    ck_assert_int_eq(unequal_static(&other_machine, &machine, &time_ns), THEORY_NEEDS_A_CASE);
    ck_assert_int_eq(unequal_static(&no_threads, &machine, &time_ns), THEORY_NEEDS_A_CASE);
    ck_assert_int_eq(unequal_static(&sound, &siblings, &time_ns), THEORY_NEEDS_A_CASE);
    ck_assert_int_eq(unequal_static(&sound, &none, &time_ns), THEORY_NEEDS_A_CASE);
    ck_assert_int_eq(unequal_reactive(&many, &machine, &time_ns), THEORY_NEEDS_FEWER_THREADS);
    ck_assert_int_eq(unequal_short_period(&late, &machine, &time_ns), THEORY_NEEDS_RUNNING);
    ck_assert_double_eq(time_ns, -1);
}

SUITE("unequal")
