/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is where: the threads of each processor, and the moves of a plan. */
#include "libjuggle/policy/state.h"

void thread_detach(struct policy *policy, int thread)
{
    struct processor_state *processor = &policy->processors[policy->threads[thread].processor];
    int *link = &processor->head;

    while (*link != thread) {
        INVARIANT(*link != NOWHERE);
        link = &policy->threads[*link].next;
    }
    *link = policy->threads[thread].next;
    processor->threads_count--;
    INVARIANT(processor->threads_count >= 0);
    policy->domains[processor->domain].threads_count--;
}

void thread_attach(struct policy *policy, int thread, int processor)
{
    struct processor_state *home = &policy->processors[processor];
    int *link = &home->head;

    while (*link != NOWHERE && *link < thread)
        link = &policy->threads[*link].next;
    policy->threads[thread].next = *link;
    policy->threads[thread].processor = processor;
    *link = thread;
    home->threads_count++;
    policy->domains[home->domain].threads_count++;
}

/* The move that the plan holds for the thread already, or a new one. */
static struct move *plan_entry(struct thread *thread, int slot, struct plan *plan)
{
    if (thread->move_index < plan->moves_count && plan->moves[thread->move_index].thread == slot)
        return &plan->moves[thread->move_index];

    INVARIANT(plan->moves_count < plan->moves_max);
    struct move *move = &plan->moves[plan->moves_count];
    thread->move_index = plan->moves_count++;
    thread->previous = thread->unplaced ? NOWHERE : thread->processor;
    thread->previous_scope = thread->scope;
    thread->unplaced = false;
    *move = (struct move){.thread = slot, .from = thread->previous};
    return move;
}

void plan_move(struct policy *policy, struct plan *plan, int slot, int processor,
               enum move_scope scope)
{
    struct thread *thread = &policy->threads[slot];

    if (thread->processor == processor && thread->scope == scope && !thread->unplaced)
        return;

    struct move *move = plan_entry(thread, slot, plan);
    move->to = processor;
    move->scope = scope;
    thread->scope = scope;
    if (thread->processor == processor)
        return;
    thread->fresh = true;
    if (thread->processor != NOWHERE)
        thread_detach(policy, slot);
    thread_attach(policy, slot, processor);
}
