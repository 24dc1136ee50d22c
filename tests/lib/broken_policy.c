/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linked with --wrap=policy_step: from a certain turn on, the policy returns an invalid plan.
 *
 *   BROKEN=KIND    thread, processor, twice, scope, count, past: what is wrong with the plan
 *   BROKEN_AT=N    in the Nth turn and later (5)
 */
#include "libjuggle/policy/policy.h"

#include <stdlib.h>
#include <string.h>

enum { TURN_DEFAULT = 5 };

/* The linker's names. */
void __real_policy_step(struct policy *policy, const struct event *event, struct plan *plan);
void __wrap_policy_step(struct policy *policy, const struct event *event, struct plan *plan);

static void break_plan(const char *kind, const struct event *event, struct plan *plan)
{
    const int thread = event->samples_count ? event->samples[0].thread : 0;
    const struct move move = {.thread = thread, .from = 0, .to = 0};

    plan->moves[0] = plan->moves[1] = move;
    plan->moves_count = strcmp(kind, "twice") == 0 ? 2 : 1;
    if (strcmp(kind, "thread") == 0)
        plan->moves[0].thread = plan->moves_max;
    else if (strcmp(kind, "processor") == 0)
        plan->moves[0].to = -1;
    else if (strcmp(kind, "scope") == 0)
        plan->moves[0].scope = (enum move_scope)7;
    else if (strcmp(kind, "count") == 0)
        plan->moves_count = plan->moves_max + 1;
    else if (strcmp(kind, "past") == 0)
        plan->next_ns = event->now_ns;
}

void __wrap_policy_step(struct policy *policy, const struct event *event, struct plan *plan)
{
    static int turns_count;
    const char *kind = getenv("BROKEN"), *at = getenv("BROKEN_AT");

    __real_policy_step(policy, event, plan);
    turns_count += event->type == EVENT_PERIOD;
    if (kind && event->type == EVENT_PERIOD && turns_count >= (at ? atoi(at) : TURN_DEFAULT))
        break_plan(kind, event, plan);
}
