/* SPDX-License-Identifier: BSD-3-Clause */
/* A walk meets each entry that is there exactly once, whatever is removed and added meanwhile,
 * and no entry that was freed. */
#include "tests/lib/suite.h"

#include "juggled/care/entries.h"
#include "libjuggle/ground/prng.h"

#include <errno.h>
#include <string.h>

enum { ENTRIES = 64, ROUNDS = 1000 };

struct thing {
    bool destroyed, dropped;
    int met;
};

static void destroy(void *entry)
{
    struct thing *thing = entry;

    ck_assert(!thing->destroyed);
    thing->destroyed = true;
}

static void drop(struct entries *entries, struct thing *thing)
{
    if (thing->dropped)
        return;
    thing->dropped = true;
    entries_drop(entries, thing);
}

/* Removes any entries during the walk, the current one among them. */
static void walk(struct entries *entries, struct thing *things, struct prng *random)
{
    struct thing *thing;
    int cursor = 0;

    while ((thing = entries_next(entries, &cursor))) {
        ck_assert(!thing->destroyed && !thing->dropped);
        thing->met++;
        if (prng_below(random, 2))
            drop(entries, &things[prng_below(random, ENTRIES)]);
        if (prng_below(random, 8) == 0)
            drop(entries, thing);
    }
}

START_TEST(a_walk_meets_what_is_there_once_and_nothing_freed)
{
    struct prng random;

    prng_seed(&random, 1);
    for (int round = 0; round < ROUNDS; round++) {
        struct thing things[ENTRIES] = {0};
        struct entries entries = {.destroy = destroy};
        for (int i = 0; i < ENTRIES; i++)
            ck_assert_int_eq(entries_add(&entries, &things[i]), 0);
        walk(&entries, things, &random);
        int left = 0;
        for (int i = 0; i < ENTRIES; i++) {
            ck_assert(!things[i].destroyed && things[i].met <= 1 &&
                      (things[i].met == 1 || things[i].dropped));
            left += !things[i].dropped;
        }
        ck_assert_int_eq(entries.count, left);
        ck_assert_int_eq(entries_sweep(&entries), ENTRIES - left);
        for (int i = 0; i < ENTRIES; i++)
            ck_assert(things[i].destroyed == things[i].dropped);
        entries_release(&entries);
        for (int i = 0; i < ENTRIES; i++)
            ck_assert(things[i].destroyed);
    }
}

START_TEST(what_is_added_in_a_walk_is_met)
{
    struct thing things[ENTRIES] = {0};
    struct entries entries = {.destroy = destroy};
    struct thing *thing;
    int cursor = 0, added = 1;

    ck_assert_int_eq(entries_add(&entries, &things[0]), 0);
    while ((thing = entries_next(&entries, &cursor))) {
        ck_assert_ptr_eq(thing, &things[added - 1]);
        entries_drop(&entries, thing);
        if (added < ENTRIES)
            ck_assert_int_eq(entries_add(&entries, &things[added++]), 0);
    }
    ck_assert_int_eq(added, ENTRIES);
    ck_assert_int_eq(entries_sweep(&entries), ENTRIES);
    entries_release(&entries);
}

static const char *break_list(struct entries *entries, int which)
{
    struct thing other = {0};
    const struct thing *thing = entries_next(entries, &(int){0});

    BREAKAGE("i < entries->limit", entries_drop(entries, &other));
    BREAKAGE("!entries->list[i].dropped", entries_drop(entries, thing);
             entries_drop(entries, thing));
    BREAKAGE("entries->count > 0", entries->count = 0; entries_drop(entries, thing));
    BREAKAGE("dropped >= 0", entries->count = entries->limit + 1;
             ck_assert_int_eq(entries_sweep(entries), 0));
    BREAKAGE("kept == entries->count", entries->count--; (void)entries_sweep(entries));
    BREAKAGE("entries->limit <= entries->room", entries->room = 1;
             ck_assert_int_eq(entries_sweep(entries), 0));
    BREAKAGE("entries->limit <= entries->room", entries->room = 1;
             ck_assert_int_eq(entries_add(entries, &other), -EPROTO));
    return NULL;
}

START_TEST(a_broken_list_is_found_out)
{
    const char *check;
    int which = 0;

    do {
        struct thing things[2] = {0};
        struct entries entries = {.destroy = destroy};
        for (int i = 0; i < 2; i++)
            ck_assert_int_eq(entries_add(&entries, &things[i]), 0);
        check = break_list(&entries, which++);
        expect_fault(fault_text(&entries.fault), check);
        entries_release(&entries);
    } while (check);
}

SUITE("entries")
