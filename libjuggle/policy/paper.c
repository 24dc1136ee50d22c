/* SPDX-License-Identifier: BSD-3-Clause */
/* Section 2 of the paper: classify threads, find fast slots, swap behind threads into them (Fig. 2
 * and 3). */
#include "libjuggle/policy/state.h"

static int64_t furthest_running_ns(struct policy *policy, struct domain *domain)
{
    int64_t furthest_ns = 0;

    FOR_EACH_THREAD_OF(policy, domain, thread)
        if (thread->state == THREAD_RUNNING)
            furthest_ns = max_i64(furthest_ns, thread->progress_ns);
    return furthest_ns;
}

/*
 * Section 2.2. A blocked or yielding thread waits for the others: it is never behind, and counts in
 * the mean with at least the progress of the furthest running thread, because threads that always
 * sleep would hold the mean down.
 */
static void classify(struct policy *policy, struct domain *domain)
{
    const int64_t furthest_ns = furthest_running_ns(policy, domain);
    const int64_t count = domain->threads_count;
    __int128 total_ns = 0;

    FOR_EACH_THREAD_OF(policy, domain, thread)
        total_ns += thread->state == THREAD_RUNNING ? thread->progress_ns
                                                    : max_i64(thread->progress_ns, furthest_ns);

    /* progress < mean + xi without a division: no rounding splits threads of equal progress. */
    const __int128 bound_ns = total_ns + (__int128)policy->options.margin_ns * count;
    FOR_EACH_THREAD_OF(policy, domain, thread)
        thread->behind = thread->state == THREAD_RUNNING &&
                         (__int128)thread->progress_ns * count < bound_ns;
}

/* A ring of processors that are visited in turn. A processor leaves it when it has no more threads
 * to give. */
struct ring {
    int *processors;
    int count;
    int position;
};

static void ring_advance(struct ring *ring)
{
    ring->position = (ring->position + 1) % ring->count;
}

static void ring_drop(struct ring *ring)
{
    for (int i = ring->position; i + 1 < ring->count; i++)
        ring->processors[i] = ring->processors[i + 1];
    if (--ring->count)
        ring->position %= ring->count;
}

/* Section 2.3: fast processors are those above the mean speed; slow ones start from the least
 * progress, fast ones from the most. */
static void rings_fill(struct policy *policy, struct domain *domain, struct ring *slow,
                       struct ring *fast)
{
    int64_t speed_sum = 0;
    int count = 0;

    FOR_EACH_PROCESSOR_OF(domain, index) {
        struct processor_state *processor = &policy->processors[index];
        processor->paper.cursor = processor->head;
        if (!processor->online)
            continue;
        speed_sum += processor->speed;
        domain->order[count++] = (struct sort_item){.key = processor->progress_ns, .index = index};
    }
    sort_items(domain->order, count);
    for (int i = 0; i < count; i++) {
        const int index = domain->order[i].index;
        if (policy->processors[index].speed * count <= speed_sum)
            slow->processors[slow->count++] = index;
    }
    for (int i = count - 1; i >= 0; i--) {
        const int index = domain->order[i].index;
        if (policy->processors[index].speed * count > speed_sum)
            fast->processors[fast->count++] = index;
    }
}

/* Returns the processor's next thread that is behind, or ahead, as asked; each is found once per
 * period. */
static int next_thread(struct policy *policy, int on, bool behind)
{
    struct processor_state *processor = &policy->processors[on];

    while (processor->paper.cursor != NOWHERE) {
        const int index = processor->paper.cursor;
        const struct thread *thread = &policy->threads[index];
        const bool ahead = !thread->behind;
        processor->paper.cursor = thread->next;
        if (!thread->stuck && (behind ? thread->behind : ahead))
            return index;
    }
    return NOWHERE;
}

static int ring_thread(struct policy *policy, struct ring *ring, bool behind)
{
    while (ring->count) {
        const int index = next_thread(policy, ring->processors[ring->position], behind);
        if (index != NOWHERE) {
            ring_advance(ring);
            return index;
        }
        ring_drop(ring);
    }
    return NOWHERE;
}

/* Fig. 3, lines 10 and 11: the pair changes places, so no count ever changes. */
static void swap(struct policy *policy, int a, int b, struct plan *plan)
{
    const int home_a = policy->threads[a].processor;
    const int home_b = policy->threads[b].processor;

    plan_move(policy, plan, a, home_b, SCOPE_PROCESSOR);
    plan_move(policy, plan, b, home_a, SCOPE_PROCESSOR);
}

static void decide(struct policy *policy, struct domain *domain, int64_t now_ns, struct plan *plan)
{
    struct ring slow = {.processors = domain->slow};
    struct ring fast = {.processors = domain->fast};

    (void)now_ns;
    repair(policy, domain, plan);
    account_processors(policy, domain);
    classify(policy, domain);
    rings_fill(policy, domain, &slow, &fast);
    for (;;) {
        const int behind = ring_thread(policy, &slow, true);
        if (behind == NOWHERE)
            break;
        const int ahead = ring_thread(policy, &fast, false);
        if (ahead == NOWHERE)
            break;
        swap(policy, behind, ahead, plan);
    }
}

const struct policy_ops policy_paper_ops = {.name = "paper", .decide = decide};
