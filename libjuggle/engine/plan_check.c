/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks plans: no move reaches the kernel that the policy cannot have meant. */
#include "libjuggle/engine/state.h"

static bool move_holds(struct engine *engine, const struct event *event, struct turn *turn,
                       const struct move *move)
{
    const struct machine *machine = &engine->machine;
    struct fault *fault = &engine->fault;

    if (!HOLDS(fault, move->thread >= 0 && move->thread < engine->threads_max) ||
        !HOLDS(fault, engine->threads[move->thread].state == THREAD_LIVE) ||
        !HOLDS(fault, turn->moved[move->thread] != turn->plans_count) ||
        !HOLDS(fault, move->to >= 0 && move->to < machine->processors_count) ||
        !HOLDS(fault, move->from >= -1 && move->from < machine->processors_count) ||
        !HOLDS(fault, move->scope == SCOPE_PROCESSOR || move->scope == SCOPE_DOMAIN))
        return false;
    turn->moved[move->thread] = turn->plans_count;
    return HOLDS(fault, event->type != EVENT_PERIOD ||
                            machine->processors[move->to].domain == event->domain);
}

bool plan_check(struct engine *engine, const struct event *event, struct turn *turn)
{
    const struct plan *plan = &turn->plan;

    turn->plans_count++;
    if (!HOLDS(&engine->fault, plan->moves_count >= 0 && plan->moves_count <= plan->moves_max) ||
        !HOLDS(&engine->fault, plan->next_ns > event->now_ns))
        return false;
    for (int i = 0; i < plan->moves_count; i++)
        if (!move_holds(engine, event, turn, &plan->moves[i]))
            return false;
    return true;
}

bool move_is_wanted(const struct engine *engine, const struct move *move)
{
    struct thread_view view;

    return !policy_thread(engine->policy, move->thread, &view) && view.processor == move->to &&
           view.scope == move->scope;
}

bool domain_holds(struct engine *engine, int domain)
{
    return HOLDS(&engine->fault, domain >= 0 && domain < engine->machine.domains_count);
}

bool processor_holds(struct engine *engine, int processor)
{
    return HOLDS(&engine->fault, processor >= 0 && processor < engine->machine.processors_count);
}

bool plan_clip(struct engine *engine, struct turn *turn)
{
    const struct plan *plan = &turn->plan;

    if (!HOLDS(&engine->fault, plan->moves_count >= 0) ||
        !HOLDS(&engine->fault, plan->moves_count <= engine->threads_max))
        turn->plan.moves_count = 0;
    return plan->moves_count > 0;
}
