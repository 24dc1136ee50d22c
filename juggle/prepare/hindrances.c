/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/prepare/hindrances.h"

#include "cli/foreign.h"
#include "juggle/prepare/places.h"
#include "juggle/prepare/ranks.h"
#include "libjuggle/ground/units.h"
#include "libjuggle/wish/value.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LIST_SIZE = 96 };

static void __attribute__((format(printf, 2, 3)))
say(struct hindrances *hindrances, const char *format, ...)
{
    va_list arguments;

    if (hindrances->count == HINDRANCES_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(hindrances->lines[hindrances->count++], HINDRANCE_SIZE, format, arguments);
    va_end(arguments);
}

/* ---- processors ---- */

static void say_processors(const struct setup *setup, struct hindrances *hindrances)
{
    const char *slurm = setup->variable("SLURM_CPU_BIND");

    if (setup->bound && slurm)
        say(hindrances,
            "this task is bound to %d processor%s by Slurm (SLURM_CPU_BIND=%.40s): nothing is "
            "balanced across tasks; start them with srun --cpu-bind=none",
            setup->processors, plural(setup->processors), slurm);
    else if (setup->bound && setup->ranks > 1)
        say(hindrances,
            "this rank is bound to %d processor%s by its launcher: nothing is balanced across "
            "ranks; start them with --bind-to none",
            setup->processors, plural(setup->processors));
    else if (setup->processors == 1)
        say(hindrances, "there is one processor only (%s): nothing can be balanced; widen it",
            setup->limit);
    if (setup->binds)
        say(hindrances,
            "the launcher binds each rank: nothing is balanced across ranks; give it --bind-to "
            "none (srun: --cpu-bind=none)");
}

/* ---- threads ---- */

static const char *are(int count)
{
    return count == 1 ? "is" : "are";
}

static int ranks_of(const struct setup *setup)
{
    return setup->started ? setup->started : setup->ranks;
}

static void say_threads(const struct setup *setup, struct hindrances *hindrances)
{
    const char *text = setup->variable("OMP_NUM_THREADS");
    const int threads = crowd_threads(setup->variable), ranks = ranks_of(setup);

    if (text && ranks == 1 && threads > setup->fitting)
        say(hindrances,
            "OMP_NUM_THREADS=%.40s starts more threads than are of use, %d (%s): unset it, and use "
            "--fit",
            text, setup->fitting, setup->limit);
    else if (text && ranks > 1 && ranks < RANKS_UNKNOWN && (long)ranks * threads > setup->fitting)
        say(hindrances,
            "%d ranks with OMP_NUM_THREADS=%.40s are %ld threads, and %d %s of use (%s): unset it, "
            "and use --fit",
            ranks, text, (long)ranks * threads, setup->fitting, are(setup->fitting), setup->limit);
    else if (!text && !setup->fit && setup->fitting < setup->processors)
        say(hindrances,
            "runtimes start a thread for each of %d processors, and %d %s of use (%s): use --fit",
            setup->processors, setup->fitting, are(setup->fitting), setup->limit);
}

/* SLURM_CPUS_PER_TASK does not limit a task that has the node to itself, so `fitting` does not
 * consider it. Beside other tasks it is a limit. */
static void say_slurm(const struct setup *setup, struct hindrances *hindrances)
{
    const char *text = setup->variable("SLURM_CPUS_PER_TASK");
    const long given = text ? strtol(text, NULL, 10) : 0;
    const int threads = crowd_threads(setup->variable);

    if (ranks_of(setup) > 1 && given > 0 && threads > given && threads <= setup->fitting)
        say(hindrances,
            "OMP_NUM_THREADS=%d, and Slurm gives each task %ld processor%s "
            "(SLURM_CPUS_PER_TASK): ask for as many, --cpus-per-task=%d, or unset it and use --fit",
            threads, given, plural(given), threads);
}

/* ---- others ---- */

static void say_others(const struct setup *setup, struct hindrances *hindrances)
{
    const struct pins *pins = setup->pins;
    char list[LIST_SIZE];

    if (!pins || !setup->usable)
        return;
    struct cpu_mask busy = pins->busy;
    cpu_mask_intersect(&busy, setup->usable);
    const int idle = cpu_mask_count(setup->usable) - cpu_mask_count(&busy);
    const int bound = cpu_mask_count(&pins->processors);
    if (idle < 1 || pins->threads_count <= bound)
        return;
    cpu_mask_format(&pins->processors, list, sizeof(list));
    say(hindrances,
        "%d running threads of others are pinned to %d processor%s (cpu %s) while %d %s idle: "
        "have their launcher bind nothing, or spread them with juggle --override --attach",
        pins->threads_count, bound, plural(bound), list, idle, are(idle));
}

static void say_launchers(const struct setup *setup, struct hindrances *hindrances)
{
    const struct bindings *bindings = setup->bindings;
    char list[LIST_SIZE];

    if (!bindings || !bindings->launchers[0])
        return;
    cpu_mask_format(&bindings->shared, list, sizeof(list));
    say(hindrances,
        "ranks of two launchers are bound to the same processors, cpu %s: %s (process %d) and %s "
        "(process %d); start them with --bind-to none, or each on processors of its own",
        list, FOREIGN(bindings->names[0]), (int)bindings->launchers[0], FOREIGN(bindings->names[1]),
        (int)bindings->launchers[1]);
}

/* ---- pins ---- */

static const char *const unbound[] = {"false", "none", "disabled"};

static bool is_unbound(const char *text)
{
    for (size_t i = 0; i < ARRAY_COUNT(unbound); i++)
        if (!strcasecmp(text, unbound[i]))
            return true;
    return !*text;
}

/* Runtimes use places that are named by number whatever the affinity mask is. */
static void say_places(const struct setup *setup, struct hindrances *hindrances)
{
    static const char *const names[] = {"OMP_PLACES", "GOMP_CPU_AFFINITY"};
    char wrong[LIST_SIZE], usable[LIST_SIZE];

    for (size_t i = 0; setup->usable && i < ARRAY_COUNT(names); i++) {
        const char *text = setup->variable(names[i]);
        struct cpu_mask named;
        cpu_mask_clear(&named);
        if (!text || places_parse(text, &named) || cpu_mask_subset(&named, setup->usable))
            continue;
        for (int cpu = -1; (cpu = cpu_mask_next(setup->usable, cpu)) >= 0;)
            cpu_mask_remove(&named, cpu);
        cpu_mask_format(&named, wrong, sizeof(wrong));
        cpu_mask_format(setup->usable, usable, sizeof(usable));
        say(hindrances,
            "%s=%.40s names processors that may not be used here, cpu %s: unset it, or name some "
            "of cpu %s",
            names[i], text, wrong, usable);
    }
}

static void say_pins(const struct setup *setup, struct hindrances *hindrances)
{
    static const char *const names[] = {"OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"};
    const int threads = crowd_threads(setup->variable);

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        const char *text = setup->variable(names[i]);
        if (!text || is_unbound(text))
            continue;
        if (threads > setup->processors)
            say(hindrances,
                "%s=%.40s pins %d threads for good, and processors that may be used: %d; unset it",
                names[i], text, threads, setup->processors);
        else
            say(hindrances,
                "%s=%.40s pins threads, which are left alone then: unset it, or --override",
                names[i], text);
    }
}

/* ---- waiting ---- */

static void say_spinning(const struct setup *setup, struct hindrances *hindrances)
{
    const char *policy = setup->variable("OMP_WAIT_POLICY");
    const int threads = crowd_threads(setup->variable);

    if (policy && !strcasecmp(policy, "active") &&
        (long)ranks_of(setup) * threads > setup->processors)
        say(hindrances,
            "OMP_WAIT_POLICY=active has threads spin that others on their processor wait for: "
            "unset it");
}

void hindrances_find(const struct setup *setup, struct hindrances *hindrances)
{
    hindrances->count = 0;
    say_processors(setup, hindrances);
    say_threads(setup, hindrances);
    say_slurm(setup, hindrances);
    say_others(setup, hindrances);
    say_launchers(setup, hindrances);
    say_places(setup, hindrances);
    say_pins(setup, hindrances);
    say_spinning(setup, hindrances);
}
