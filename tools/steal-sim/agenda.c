/* SPDX-License-Identifier: BSD-3-Clause */
/* A radix heap whose lowest part is a sorted list. Pile k holds the times whose highest bit that
 * differs from base_ns is bit k - 1: each pile is later than all lower ones, and is not sorted.
 * When the near list gets short, the lowest pile is sorted and appended to it; if that pile is
 * long, it is first distributed over lower piles, with its own earliest time as the new base.
 *
 * Happenings move down only, by sequential reads and writes, so each costs a few short copies; in a
 * binary heap of thousands it would cost about as many cache misses and mispredicted branches.
 *
 * Happenings of one time are always in the same pile, or all in the near list, and both keep their
 * order. */
#include "tools/steal-sim/agenda.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR_MOST = 32, LIST_FIRST = 64, TIME_BITS = 64 };

static int list_open(struct happenings *happenings)
{
    size_t capacity = happenings->capacity ? 2 * happenings->capacity : LIST_FIRST;
    struct happening *list = reallocarray(happenings->list, capacity, sizeof(*list));

    if (!list)
        return -ENOMEM;
    happenings->list = list;
    happenings->capacity = capacity;
    return 0;
}

static int list_append(struct happenings *happenings, struct happening happening)
{
    if (happenings->count == happenings->capacity && list_open(happenings) < 0)
        return -ENOMEM;
    happenings->list[happenings->count++] = happening;
    return 0;
}

/* Inserts the happening in order of time into the part of the list from `at` on. */
static int list_insert(struct happenings *happenings, size_t at, struct happening happening)
{
    size_t place = happenings->count;

    if (place == happenings->capacity && list_open(happenings) < 0)
        return -ENOMEM;
    for (; place > at && happenings->list[place - 1].time_ns > happening.time_ns; place--)
        happenings->list[place] = happenings->list[place - 1];
    happenings->list[place] = happening;
    happenings->count++;
    return 0;
}

static int pile_append(struct agenda *agenda, struct happening happening)
{
    uint64_t differs = (uint64_t)(happening.time_ns ^ agenda->base_ns);
    int k = differs ? TIME_BITS - __builtin_clzll(differs) : 0;

    agenda->filled |= UINT64_C(1) << k;
    return list_append(&agenda->pile[k], happening);
}

int agenda_add(struct agenda *agenda, struct happening happening)
{
    if (happening.time_ns < agenda->near_ns)
        return list_insert(&agenda->near, agenda->at, happening);
    return pile_append(agenda, happening);
}

/* ---- from far to near ---------------------------------------------------------------------- */

static void pile_clear(struct agenda *agenda, struct happenings *pile)
{
    pile->count = 0;
    agenda->filled &= ~(UINT64_C(1) << (pile - agenda->pile));
}

static int64_t pile_earliest(const struct happenings *pile)
{
    int64_t earliest_ns = pile->list[0].time_ns;

    for (size_t i = 1; i < pile->count; i++)
        earliest_ns = min_i64(earliest_ns, pile->list[i].time_ns);
    return earliest_ns;
}

/* Distributes the pile over lower ones. All its times go to lower piles, because each agrees with
 * the earliest of them in at least one bit more than with the old base. */
static int pile_deal(struct agenda *agenda, struct happenings *pile)
{
    agenda->base_ns = pile_earliest(pile);
    for (size_t i = 0; i < pile->count; i++)
        if (pile_append(agenda, pile->list[i]) < 0)
            return -ENOMEM;
    pile_clear(agenda, pile);
    return 0;
}

static int pile_sort(struct agenda *agenda, struct happenings *pile)
{
    struct happenings *near = &agenda->near;
    size_t first = near->count;

    for (size_t i = 0; i < pile->count; i++)
        if (list_insert(near, first, pile->list[i]) < 0)
            return -ENOMEM;
    pile_clear(agenda, pile);
    agenda->base_ns = near->list[first].time_ns;
    agenda->near_ns = near->list[near->count - 1].time_ns + 1;
    return 0;
}

static void near_forget_taken(struct agenda *agenda)
{
    struct happenings *near = &agenda->near;

    if (agenda->at == 0)
        return;
    near->count -= agenda->at;
    memmove(near->list, near->list + agenda->at, near->count * sizeof(*near->list));
    agenda->at = 0;
}

/* Appends the lowest pile to the near list, after distributing it while it is long. All times of
 * pile 0 are the same, so it is never distributed. */
static int agenda_prefetch(struct agenda *agenda)
{
    struct happenings *pile;
    int error = 0;

    near_forget_taken(agenda);
    while ((pile = &agenda->pile[__builtin_ctzll(agenda->filled)])->count > NEAR_MOST &&
           pile != agenda->pile && error == 0)
        error = pile_deal(agenda, pile);
    return error < 0 ? error : pile_sort(agenda, pile);
}

int agenda_take(struct agenda *agenda, struct happening *happening)
{
    while (agenda->near.count - agenda->at <= AGENDA_AHEAD && agenda->filled) {
        int error = agenda_prefetch(agenda);

        if (error < 0)
            return error;
    }
    if (agenda->at == agenda->near.count)
        return 0;
    *happening = agenda->near.list[agenda->at++];
    return 1;
}

const struct happening *agenda_peek(const struct agenda *agenda, size_t ahead)
{
    return ahead < agenda->near.count - agenda->at ? &agenda->near.list[agenda->at + ahead] : NULL;
}

void agenda_free(struct agenda *agenda)
{
    free(agenda->near.list);
    for (size_t k = 0; k < AGENDA_PILES; k++)
        free(agenda->pile[k].list);
}
