/* SPDX-License-Identifier: BSD-3-Clause */
/* A radix heap whose lowest part is a sorted list. Pile k holds the times whose highest bit that
 * differs from base_ns is bit k - 1: each pile is later than all lower ones, and is not sorted.
 * When the near list gets short, the lowest pile is sorted and appended to it; if that pile is
 * long, it is first distributed over lower piles, with its own earliest time as the new base.
 *
 * Events move down only, by sequential reads and writes, so each costs a few short copies; in a
 * binary heap of thousands it would cost about as many cache misses and mispredicted branches.
 *
 * Events of one time are always in the same pile, or all in the near list, and both keep their
 * order. */
#include "tools/steal-sim/event_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR_MOST = 32, LIST_FIRST = 64, TIME_BITS = 64 };

static int list_open(struct event_list *events)
{
    size_t capacity = events->capacity ? 2 * events->capacity : LIST_FIRST;
    struct rank_event *list = reallocarray(events->list, capacity, sizeof(*list));

    if (!list)
        return -ENOMEM;
    events->list = list;
    events->capacity = capacity;
    return 0;
}

static int list_append(struct event_list *events, struct rank_event event)
{
    if (events->count == events->capacity && list_open(events) < 0)
        return -ENOMEM;
    events->list[events->count++] = event;
    return 0;
}

/* Inserts the event in order of time into the part of the list from `at` on. */
static int list_insert(struct event_list *events, size_t at, struct rank_event event)
{
    size_t place = events->count;

    if (place == events->capacity && list_open(events) < 0)
        return -ENOMEM;
    for (; place > at && events->list[place - 1].time_ns > event.time_ns; place--)
        events->list[place] = events->list[place - 1];
    events->list[place] = event;
    events->count++;
    return 0;
}

static int pile_append(struct event_queue *queue, struct rank_event event)
{
    uint64_t differs = (uint64_t)(event.time_ns ^ queue->base_ns);
    int k = differs ? TIME_BITS - __builtin_clzll(differs) : 0;

    queue->filled |= UINT64_C(1) << k;
    return list_append(&queue->pile[k], event);
}

int event_queue_add(struct event_queue *queue, struct rank_event event)
{
    if (event.time_ns < queue->near_ns)
        return list_insert(&queue->near, queue->at, event);
    return pile_append(queue, event);
}

/* ---- from far to near ---------------------------------------------------------------------- */

static void pile_clear(struct event_queue *queue, struct event_list *pile)
{
    pile->count = 0;
    queue->filled &= ~(UINT64_C(1) << (pile - queue->pile));
}

static int64_t pile_earliest(const struct event_list *pile)
{
    int64_t earliest_ns = pile->list[0].time_ns;

    for (size_t i = 1; i < pile->count; i++)
        earliest_ns = min_i64(earliest_ns, pile->list[i].time_ns);
    return earliest_ns;
}

/* Distributes the pile over lower ones. All its times go to lower piles, because each agrees with
 * the earliest of them in at least one bit more than with the old base. */
static int pile_deal(struct event_queue *queue, struct event_list *pile)
{
    queue->base_ns = pile_earliest(pile);
    for (size_t i = 0; i < pile->count; i++)
        if (pile_append(queue, pile->list[i]) < 0)
            return -ENOMEM;
    pile_clear(queue, pile);
    return 0;
}

static int pile_sort(struct event_queue *queue, struct event_list *pile)
{
    struct event_list *near = &queue->near;
    size_t first = near->count;

    for (size_t i = 0; i < pile->count; i++)
        if (list_insert(near, first, pile->list[i]) < 0)
            return -ENOMEM;
    pile_clear(queue, pile);
    queue->base_ns = near->list[first].time_ns;
    queue->near_ns = near->list[near->count - 1].time_ns + 1;
    return 0;
}

static void near_forget_taken(struct event_queue *queue)
{
    struct event_list *near = &queue->near;

    if (queue->at == 0)
        return;
    near->count -= queue->at;
    memmove(near->list, near->list + queue->at, near->count * sizeof(*near->list));
    queue->at = 0;
}

/* Appends the lowest pile to the near list, after distributing it while it is long. All times of
 * pile 0 are the same, so it is never distributed. */
static int event_queue_prefetch(struct event_queue *queue)
{
    struct event_list *pile;
    int error = 0;

    near_forget_taken(queue);
    while ((pile = &queue->pile[__builtin_ctzll(queue->filled)])->count > NEAR_MOST &&
           pile != queue->pile && error == 0)
        error = pile_deal(queue, pile);
    return error < 0 ? error : pile_sort(queue, pile);
}

int event_queue_take(struct event_queue *queue, struct rank_event *event)
{
    while (queue->near.count - queue->at <= EVENT_QUEUE_AHEAD && queue->filled) {
        int error = event_queue_prefetch(queue);

        if (error < 0)
            return error;
    }
    if (queue->at == queue->near.count)
        return 0;
    *event = queue->near.list[queue->at++];
    return 1;
}

const struct rank_event *event_queue_peek(const struct event_queue *queue, size_t ahead)
{
    return ahead < queue->near.count - queue->at ? &queue->near.list[queue->at + ahead] : NULL;
}

void event_queue_free(struct event_queue *queue)
{
    free(queue->near.list);
    for (size_t k = 0; k < EVENT_QUEUE_PILES; k++)
        free(queue->pile[k].list);
}
