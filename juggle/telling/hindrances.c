/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/telling/hindrances.h"

#include "juggle/telling/ranks.h"
#include "libjuggle/ground/units.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
    if (setup->bound && setup->ranks > 1)
        say(hindrances,
            "this rank is bound to %d processor%s by its launcher: nothing is balanced across "
            "ranks; start them with --bind-to none",
            setup->processors, setup->processors == 1 ? "" : "s");
    else if (setup->processors == 1)
        say(hindrances, "there is one processor only (%s): nothing can be balanced; widen it",
            setup->limit);
    if (setup->binds)
        say(hindrances,
            "the launcher binds each rank: nothing is balanced across ranks; give it --bind-to "
            "none");
}

/* ---- threads ---- */

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
            "OMP_NUM_THREADS=%s starts more threads than are of use, %d (%s): unset it, and use "
            "--fit",
            text, setup->fitting, setup->limit);
    else if (text && ranks > 1 && ranks < RANKS_UNKNOWN && (long)ranks * threads > setup->fitting)
        say(hindrances,
            "%d ranks with OMP_NUM_THREADS=%s are %ld threads, and %d are of use (%s): unset it, "
            "and use --fit",
            ranks, text, (long)ranks * threads, setup->fitting, setup->limit);
    else if (!text && !setup->fit && setup->fitting < setup->processors)
        say(hindrances,
            "runtimes start a thread for each of %d processors, and %d are of use (%s): use --fit",
            setup->processors, setup->fitting, setup->limit);
}

/* ---- pins ---- */

static const char *const unbound[] = {"false", "none", "disabled", "FALSE"};

static bool is_unbound(const char *text)
{
    for (size_t i = 0; i < ARRAY_COUNT(unbound); i++)
        if (!strcmp(text, unbound[i]))
            return true;
    return !*text;
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
                "%s=%s pins %d threads for good, and processors that may be used: %d; unset it",
                names[i], text, threads, setup->processors);
        else
            say(hindrances,
                "%s=%s pins threads, which are left alone then: unset it, or --override", names[i],
                text);
    }
}

/* ---- waiting ---- */

static void say_spinning(const struct setup *setup, struct hindrances *hindrances)
{
    const char *policy = setup->variable("OMP_WAIT_POLICY");
    const int threads = crowd_threads(setup->variable);

    if (policy && !strcmp(policy, "active") && (long)ranks_of(setup) * threads > setup->processors)
        say(hindrances,
            "OMP_WAIT_POLICY=active has threads spin that others on their processor wait for: "
            "unset it");
}

void hindrances_find(const struct setup *setup, struct hindrances *hindrances)
{
    hindrances->count = 0;
    say_processors(setup, hindrances);
    say_threads(setup, hindrances);
    say_pins(setup, hindrances);
    say_spinning(setup, hindrances);
}
