/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/predict/advice.h"

#include "cli/options.h"

#include <math.h>
#include <stdio.h>

enum { PERIODS_PER_PHASE = 100 };

/* A smaller speedup is lost in the noise of a run. */
static const double worth_speedup = 1.02;
static const double alike = 0.99;
static const double exactly = 1 + 1e-9;

/* With e/100 the idealized algorithm is within 1 % of (14). Below a few milliseconds the kernel no
 * longer shares a processor fairly (Fig. 22) and the cost of a balancing point shows; above a
 * tenth of a second nothing is saved any more. */
#define ADVISED_MIN_NS (4 * NSEC_PER_MSEC)
#define ADVISED_MAX_NS (100 * NSEC_PER_MSEC)

static double speedup_with(const struct question *question, int64_t period_ns)
{
    struct question changed = *question;
    struct prediction prediction;

    changed.app.lambda_ns = period_ns;
    return question_predict(&changed, &prediction) ? NAN : prediction.proactive.speedup;
}

/* Returns why moving threads cannot pay at all, or ADVICE_KEEP if it can. */
static enum advice_kind kind_of_bounds(const struct question *question,
                                       const struct prediction *prediction)
{
    const bool unequal = question_unequal(question);

    if (!unequal && question->app.n % question->app.m == 0)
        return ADVICE_EVEN;
    if (unequal && prediction->upper_bound_speedup < exactly)
        return ADVICE_ALIKE;
    if (prediction->upper_bound_speedup < worth_speedup)
        return question->app.domains > 1 ? ADVICE_CROSS : ADVICE_LITTLE;
    return ADVICE_KEEP;
}

static enum advice_kind kind_of(const struct question *question,
                                const struct prediction *prediction,
                                const struct period_advice *advice)
{
    const enum advice_kind kind = kind_of_bounds(question, prediction);

    if (kind != ADVICE_KEEP)
        return kind;
    if (advice->placed_speedup >= worth_speedup &&
        advice->placed_speedup >= alike * advice->speedup)
        return ADVICE_PLACE;
    if (advice->speedup < worth_speedup)
        return ADVICE_TOO_SHORT;
    if (advice->given_speedup < alike * advice->speedup)
        return ADVICE_SHORTEN;
    return question->app.lambda_ns < ADVISED_MIN_NS ? ADVICE_LENGTHEN : ADVICE_KEEP;
}

struct period_advice advice_of(const struct question *question, const struct prediction *prediction)
{
    const int64_t advised_ns = clamp_i64(question->app.e_ns / PERIODS_PER_PHASE, ADVISED_MIN_NS,
                                         ADVISED_MAX_NS);
    struct period_advice advice = {
        .period_ns = advised_ns,
        .speedup = speedup_with(question, advised_ns),
        .given_speedup = prediction->proactive.speedup,
        .placed_speedup = prediction->placed.speedup,
    };

    advice.kind = kind_of(question, prediction, &advice);
    if (advice.kind == ADVICE_KEEP) {
        advice.period_ns = question->app.lambda_ns;
        advice.speedup = advice.given_speedup;
    }
    advice.reactive_will_do = prediction->reactive.speedup >= worth_speedup &&
                              prediction->reactive.speedup >= alike * advice.speedup;
    return advice;
}

static double saved_percent(double speedup)
{
    return 100 * (1 - 1 / speedup);
}

char *advice_text(const struct period_advice *advice, const struct question *question, char *buffer,
                  size_t size)
{
    const char *advised = IN_WORDS(advice->period_ns);
    const char *given = IN_WORDS(question->app.lambda_ns);
    const char *phase = IN_WORDS(question->app.e_ns);
    const double saved = saved_percent(advice->speedup);
    const char *reactive = advice->reactive_will_do
                               ? "; where threads block at barriers, reactive balancing will do"
                               : "";

    switch (advice->kind) {
    case ADVICE_EVEN:
        snprintf(buffer, size,
                 "Not worth it: the threads divide evenly among the processors, so "
                 "static placement is perfect already.");
        break;
    case ADVICE_ALIKE:
        snprintf(buffer, size,
                 "Not worth it: threads that are spread evenly all have the same speed already, so "
                 "static placement is perfect.");
        break;
    case ADVICE_PLACE:
        snprintf(buffer, size,
                 "Place the threads by speed and leave them there: that saves %.0f %% of the time, "
                 "and moving them would bring no more.",
                 saved_percent(advice->placed_speedup));
        break;
    case ADVICE_LITTLE:
        snprintf(buffer, size,
                 "Not worth it: %seven perfect balancing would save less than 2 %% of the time.",
                 question_unequal(question) ? "" : "with so many threads on each processor, ");
        break;
    case ADVICE_CROSS:
        snprintf(buffer, size,
                 "Not worth it within domains: the slowest of them decides, so let "
                 "threads cross domains.");
        break;
    case ADVICE_TOO_SHORT:
        snprintf(buffer, size,
                 "Not worth it: phases of %s are too short for a period of %s, and "
                 "shorter periods cost more than they bring.",
                 phase, advised);
        break;
    case ADVICE_KEEP:
        snprintf(buffer, size, "Worth it: a period of %s saves %.0f %% of the time%s.", advised,
                 saved, reactive);
        break;
    case ADVICE_SHORTEN:
        snprintf(buffer, size,
                 "Worth it with a period of %s, which saves %.0f %% of the time, "
                 "where %s saves %.0f %%%s.",
                 advised, saved, given, saved_percent(advice->given_speedup), reactive);
        break;
    case ADVICE_LENGTHEN:
        snprintf(buffer, size,
                 "Worth it: a period of %s saves %.0f %% of the time, and %s would "
                 "bring no more but cost more%s.",
                 advised, saved, given, reactive);
        break;
    }
    return buffer;
}
