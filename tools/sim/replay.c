/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/replay.h"

#include <errno.h>
#include <stdlib.h>

enum { POLICY_ALIGNMENT = 64 };

static bool moves_equal(const struct move *a, const struct move *b)
{
    return a->thread == b->thread && a->from == b->from && a->to == b->to && a->scope == b->scope;
}

static bool plans_equal(const struct event *event, const struct plan *a, const struct plan *b)
{
    const bool timed = event->type == EVENT_START || event->type == EVENT_PERIOD;

    if (a->moves_count != b->moves_count || (timed && a->next_ns != b->next_ns))
        return false;
    for (int i = 0; i < a->moves_count; i++)
        if (!moves_equal(&a->moves[i], &b->moves[i]))
            return false;
    return true;
}

static enum replay_verdict verdict_at_end(int error)
{
    if (error == -ENODATA)
        return REPLAY_IDENTICAL;
    return error == -ENOBUFS ? REPLAY_TRUNCATED : REPLAY_DAMAGED;
}

static void compare(struct recording_reader *reader, struct policy *policy, struct plan *plan,
                    struct replay_report *report)
{
    struct event event;
    struct plan recorded;
    int error;

    while (!(error = recording_reader_next(reader, &event, &recorded))) {
        policy_step(policy, &event, plan);
        report->events_count++;
        report->moves_count += plan->moves_count;
        report->last_type = event.type;
        report->last_ns = event.now_ns;
        if (!plans_equal(&event, plan, &recorded)) {
            report->verdict = REPLAY_DIFFERS;
            return;
        }
    }
    report->verdict = verdict_at_end(error);
}

static int replay_one(struct recording_reader *reader, struct replay_report *report)
{
    const struct machine *machine = recording_reader_machine(reader);
    const struct policy_options *options = recording_reader_options(reader);
    const size_t size = (size_t)policy_footprint(machine, options);
    void *memory = aligned_alloc(POLICY_ALIGNMENT, (size + POLICY_ALIGNMENT - 1) /
                                                       POLICY_ALIGNMENT * POLICY_ALIGNMENT);
    struct plan plan = {
        .moves = calloc((size_t)options->threads_max, sizeof(*plan.moves)),
        .moves_max = options->threads_max,
    };
    int error = memory && plan.moves ? 0 : -ENOMEM;

    if (!error)
        compare(reader, policy_init(memory, machine, options), &plan, report);
    free(plan.moves);
    free(memory);
    return error;
}

static bool has_more(FILE *file)
{
    const int byte = getc(file);

    return byte != EOF && ungetc(byte, file) == byte;
}

int replay(FILE *file, struct replay_report *report)
{
    struct replay_report all = {.verdict = REPLAY_IDENTICAL};
    struct recording_reader *reader;
    int error = recording_reader_create(file, &reader);

    while (!error) {
        error = replay_one(reader, &all);
        recording_reader_destroy(reader);
        if (error || all.verdict != REPLAY_IDENTICAL || !has_more(file))
            break;
        if (recording_reader_create(file, &reader)) {
            all.verdict = REPLAY_DAMAGED;
            break;
        }
    }
    if (!error)
        *report = all;
    return error;
}

/* ---- looking ---- */

static void look_at(struct recording_reader *reader, struct run_history *history)
{
    struct event event;
    struct plan plan;

    while (!recording_reader_next(reader, &event, &plan))
        run_history_add(history, &event, &plan);
}

int replay_look(FILE *file, struct run_history **result)
{
    struct run_history *history = NULL;
    struct recording_reader *reader;
    int error = recording_reader_create(file, &reader);

    while (!error) {
        const struct machine *machine = recording_reader_machine(reader);
        if (history)
            run_history_renew(history, machine);
        else
            error = run_history_create(machine, recording_reader_options(reader)->threads_max,
                                       &history);
        if (!error)
            look_at(reader, history);
        recording_reader_destroy(reader);
        if (error || !has_more(file) || recording_reader_create(file, &reader))
            break;
    }
    if (error)
        run_history_destroy(history);
    else
        *result = history;
    return error;
}
