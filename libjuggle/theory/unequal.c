/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/theory/unequal.h"

#include "libjuggle/theory/condition.h"

#include <errno.h>
#include <math.h>

/* ---- the machine ---- */

void unequal_machine_begin(double smt, struct unequal_machine *machine)
{
    machine->smt = smt;
    machine->processors_count = 0;
    machine->cores_count = 0;
}

int unequal_machine_add(struct unequal_machine *machine, double speed, int width)
{
    int place = machine->cores_count;

    if (!isfinite(speed) || speed <= 0 || width < 1 || width > UNEQUAL_WIDTH_MAX ||
        machine->processors_count + width > MACHINE_PROCESSORS_MAX)
        return -EINVAL;
    for (; place > 0 && machine->cores[place - 1].speed < speed; place--)
        machine->cores[place] = machine->cores[place - 1];
    machine->cores[place] = (struct unequal_core){.speed = speed, .width = width};
    machine->cores_count++;
    machine->processors_count += width;
    return 0;
}

static enum theory_condition check(const struct theory_case *app,
                                   const struct unequal_machine *machine)
{
    const bool sound = machine->cores_count >= 1 && app->m == machine->processors_count &&
                       app->domains == 1 && machine->smt > 0 && machine->smt <= 1;

    return sound ? condition_check_case(app) : THEORY_NEEDS_A_CASE;
}

static double phases_ns(const struct theory_case *app, double phase)
{
    return phase * (double)app->phases * (double)app->e_ns;
}

/* ---- slots ---- */

/* How many cores run at least one thread, and how many of those run two. Both count from the
 * fastest core. */
struct cover {
    int firsts;
    int seconds; /* of the cores that have two processors */
};

static int next_wide(const struct unequal_machine *machine, int core)
{
    while (core < machine->cores_count && machine->cores[core].width < UNEQUAL_WIDTH_MAX)
        core++;
    return core;
}

/* Finds the n <= P processors that add most. A core's second processor never adds more than its
 * first. */
static double cover_best(const struct unequal_machine *machine, int n, struct cover *cover)
{
    const double second_share = 2 * machine->smt - 1;
    const int none = machine->cores_count;
    double rate = 0;
    int second = next_wide(machine, 0);

    *cover = (struct cover){0};
    while (n-- > 0) {
        const int first = cover->firsts;
        const double added = second < none ? machine->cores[second].speed * second_share : -1;

        if (first < none && machine->cores[first].speed >= added) {
            rate += machine->cores[first].speed;
            cover->firsts++;
        } else {
            rate += fmax(added, 0);
            cover->seconds++;
            second = next_wide(machine, second + 1);
        }
    }
    return rate;
}

double unequal_rate(const struct unequal_machine *machine, int n)
{
    struct cover cover;

    return cover_best(machine, n < machine->processors_count ? n : machine->processors_count,
                      &cover);
}

/* Shell's sort: insertion by strides that shrink. */
static void sort_descending(double *values, int count)
{
    for (int stride = count / 2; stride > 0; stride /= 2)
        for (int i = stride; i < count; i++) {
            const double value = values[i];
            int place = i;

            for (; place >= stride && values[place - stride] < value; place -= stride)
                values[place] = values[place - stride];
            values[place] = value;
        }
}

static void slots_of_few(const struct unequal_machine *machine, int n, double *rates)
{
    struct cover cover;
    int count = 0;

    cover_best(machine, n, &cover);
    for (int i = 0; i < cover.firsts; i++) {
        const struct unequal_core *core = &machine->cores[i];
        const bool both = core->width == UNEQUAL_WIDTH_MAX && cover.seconds-- > 0;

        rates[count++] = core->speed * (both ? machine->smt : 1);
        if (both)
            rates[count++] = core->speed * machine->smt;
    }
}

/* Every processor has n / P threads, and the n mod P fastest ones have one more. */
static void slots_of_many(const struct unequal_machine *machine, int n, double *rates)
{
    double speeds[MACHINE_PROCESSORS_MAX];
    int count = 0;

    slots_of_few(machine, machine->processors_count, speeds);
    sort_descending(speeds, machine->processors_count);
    for (int i = 0; i < machine->processors_count; i++) {
        const int threads = n / machine->processors_count + (i < n % machine->processors_count);

        for (int j = 0; j < threads; j++)
            rates[count++] = speeds[i] / threads;
    }
}

void unequal_slots(const struct unequal_machine *machine, int n, double *rates)
{
    if (n <= machine->processors_count)
        slots_of_few(machine, n, rates);
    else
        slots_of_many(machine, n, rates);
    sort_descending(rates, n);
}

/* ---- without moves ---- */

/* The time of a core with `most` threads on one processor and `least` <= most on the other, for e =
 * 1. */
static double core_time(const struct unequal_machine *machine, int core, int most, int least)
{
    return (least / machine->smt + (most - least)) / machine->cores[core].speed;
}

/* The time of a core if threads are dealt out evenly, each core one before any has two. Faster
 * cores have `seconds_before` second processors. */
static double even_time(const struct unequal_machine *machine, int core, int seconds_before, int n)
{
    const int each = n / machine->processors_count;
    const int extra = n % machine->processors_count;
    const int first = each + (core < extra);

    if (machine->cores[core].width == 1)
        return core_time(machine, core, first, 0);
    return core_time(machine, core, first, each + (machine->cores_count + seconds_before < extra));
}

enum theory_condition unequal_static(const struct theory_case *app,
                                     const struct unequal_machine *machine, double *time_ns)
{
    const enum theory_condition condition = check(app, machine);
    double longest = 0;
    int seconds = 0;

    if (condition)
        return condition;
    for (int i = 0; i < machine->cores_count; i++) {
        longest = fmax(longest, even_time(machine, i, seconds, app->n));
        seconds += machine->cores[i].width - 1;
    }
    *time_ns = phases_ns(app, longest);
    return THEORY_HOLDS;
}

/* The time of `count` threads on the core, on both processors or on one, whichever is better. */
static double packed_time(const struct unequal_machine *machine, int core, int count)
{
    const double alone = core_time(machine, core, count, 0);

    if (machine->cores[core].width == 1)
        return alone;
    return fmin(alone, core_time(machine, core, ceil_div(count, 2), count / 2));
}

/* Each thread goes where it ends soonest. That is best, because threads are equal and a core's time
 * grows with its threads. */
enum theory_condition unequal_placed(const struct theory_case *app,
                                     const struct unequal_machine *machine, double *time_ns)
{
    const enum theory_condition condition = check(app, machine);
    int counts[MACHINE_PROCESSORS_MAX] = {0};
    double longest = 0;

    if (condition)
        return condition;
    for (int thread = 0; thread < app->n; thread++) {
        int best = 0;

        for (int i = 1; i < machine->cores_count; i++)
            if (packed_time(machine, i, counts[i] + 1) <
                packed_time(machine, best, counts[best] + 1))
                best = i;
        counts[best]++;
        longest = fmax(longest, packed_time(machine, best, counts[best]));
    }
    *time_ns = phases_ns(app, longest);
    return THEORY_HOLDS;
}

/* ---- proactive ---- */

enum theory_condition unequal_continuous(const struct theory_case *app,
                                         const struct unequal_machine *machine, double *time_ns)
{
    const enum theory_condition condition = check(app, machine);

    if (!condition)
        *time_ns = phases_ns(app, app->n / unequal_rate(machine, app->n));
    return condition;
}

static enum theory_condition check_threads(const struct theory_case *app,
                                           const struct unequal_machine *machine)
{
    const enum theory_condition condition = check(app, machine);

    if (condition)
        return condition;
    return app->n <= UNEQUAL_THREADS_MAX ? THEORY_HOLDS : THEORY_NEEDS_FEWER_THREADS;
}

enum theory_condition unequal_short_period(const struct theory_case *app,
                                           const struct unequal_machine *machine, double *time_ns)
{
    const enum theory_condition condition = check_threads(app, machine);
    double rates[UNEQUAL_THREADS_MAX];

    if (condition)
        return condition;
    unequal_slots(machine, app->n, rates);
    const double fastest = rates[0];
    const double slowest = rates[app->n - 1];
    const double lambda = (double)app->lambda_ns / (double)app->e_ns;
    if (lambda * fastest > 1)
        return THEORY_NEEDS_RUNNING;
    *time_ns = phases_ns(app, 1 / fastest + lambda * (fastest - slowest) / machine->cores[0].speed);
    return THEORY_HOLDS;
}

/* ---- reactive ---- */

/* The time until the first of the running threads is done. `left` and `rates` are in descending
 * order. */
static double spell_of(const double *left, const double *rates, int running)
{
    double spell = INFINITY;

    for (int i = 0; i < running; i++)
        spell = fmin(spell, left[i] / rates[i]);
    return spell;
}

enum theory_condition unequal_reactive(const struct theory_case *app,
                                       const struct unequal_machine *machine, double *time_ns)
{
    static const double rounding = 1e-12;
    const enum theory_condition condition = check_threads(app, machine);
    double left[UNEQUAL_THREADS_MAX], rates[UNEQUAL_THREADS_MAX];
    double spent = 0;

    if (condition)
        return condition;
    for (int i = 0; i < app->n; i++)
        left[i] = 1;
    for (int running = app->n; running > 0;) {
        unequal_slots(machine, running, rates);
        const double spell = spell_of(left, rates, running);

        for (int i = 0; i < running; i++)
            left[i] -= rates[i] * spell;
        spent += spell;
        sort_descending(left, running);
        while (running > 0 && left[running - 1] < rounding)
            running--;
    }
    *time_ns = phases_ns(app, spent);
    return THEORY_HOLDS;
}
