/* SPDX-License-Identifier: BSD-3-Clause */
/* A walk meets everything that is there once, whatever is removed and added meanwhile, and nothing
 * that was freed. */
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

/* Removes any of them while it walks, itself among them. */
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
END_TEST

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
END_TEST

/* ---- what breaks a list ---- */

static void drop_what_is_not_there(struct entries *entries)
{
    struct thing other = {0};

    entries_drop(entries, &other);
}

static void drop_twice(struct entries *entries)
{
    const struct thing *thing = entries_next(entries, &(int){0});

    entries_drop(entries, thing);
    entries_drop(entries, thing);
}

static void drop_with_none_left(struct entries *entries)
{
    entries->count = 0;
    entries_drop(entries, entries_next(entries, &(int){0}));
}

static void sweep_more_than_there_are(struct entries *entries)
{
    entries->count = entries->limit + 1;
    ck_assert_int_eq(entries_sweep(entries), 0);
}

static void sweep_what_was_counted_wrong(struct entries *entries)
{
    entries->count--;
    (void)entries_sweep(entries);
}

static void sweep_beyond_the_room(struct entries *entries)
{
    entries->room = 1;
    ck_assert_int_eq(entries_sweep(entries), 0);
}

static void add_beyond_the_room(struct entries *entries)
{
    struct thing other = {0};

    entries->room = 1;
    ck_assert_int_eq(entries_add(entries, &other), -EPROTO);
}

static const struct {
    const char *check;
    void (*apply)(struct entries *entries);
} damages[] = {
    {"i < entries->limit", drop_what_is_not_there},
    {"!entries->list[i].dropped", drop_twice},
    {"entries->count > 0", drop_with_none_left},
    {"dropped >= 0", sweep_more_than_there_are},
    {"kept == entries->count", sweep_what_was_counted_wrong},
    {"entries->limit <= entries->room", sweep_beyond_the_room},
    {"entries->limit <= entries->room", add_beyond_the_room},
};

START_TEST(a_broken_list_is_found_out)
{
    for (int i = 0; i < (int)ARRAY_COUNT(damages); i++) {
        struct thing things[2] = {0};
        struct entries entries = {.destroy = destroy};
        for (int j = 0; j < 2; j++)
            ck_assert_int_eq(entries_add(&entries, &things[j]), 0);
        ck_assert_ptr_null(fault_text(&entries.fault));
        damages[i].apply(&entries);
        ck_assert_ptr_nonnull(fault_text(&entries.fault));
        ck_assert_msg(strstr(fault_text(&entries.fault), damages[i].check), "%s is not of %s",
                      fault_text(&entries.fault), damages[i].check);
        entries_release(&entries);
    }
}
END_TEST

SUITE("entries", a_walk_meets_what_is_there_once_and_nothing_freed, what_is_added_in_a_walk_is_met,
      a_broken_list_is_found_out)
