/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/farewells.h"

#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FAREWELLS_MAX = 64, /* of more the oldest ends at once */
    NAME_SIZE = 32,
    COST_RATIO = 10,
};

struct farewell {
    char table[NAME_SIZE];
    struct job *job;
};

struct farewells {
    struct store *store;
    unsigned taken_count; /* ever */
    int64_t paid_ns;      /* when the last piece has been paid for */
    int count;
    struct farewell list[FAREWELLS_MAX]; /* the oldest first */
};

int farewells_create(struct store *store, struct farewells **result)
{
    struct farewells *farewells = calloc(1, sizeof(*farewells));

    if (!farewells)
        return -ENOMEM;
    farewells->store = store;
    *result = farewells;
    return 0;
}

/* The job, if it has not ended, ends at once. */
static void first_end(struct farewells *farewells)
{
    const struct farewell *first = &farewells->list[0];

    job_destroy(first->job);
    if (farewells->store)
        store_forget_table(farewells->store, first->table);
    farewells->count--;
    for (int i = 0; i < farewells->count; i++)
        farewells->list[i] = farewells->list[i + 1];
}

void farewells_destroy(struct farewells *farewells)
{
    while (farewells && farewells->count)
        first_end(farewells);
    free(farewells);
}

void farewells_take(struct farewells *farewells, const char *name, struct job *job)
{
    if (farewells->count == FAREWELLS_MAX)
        first_end(farewells);
    struct farewell *last = &farewells->list[farewells->count++];
    last->job = job;
    snprintf(last->table, sizeof(last->table), "farewell/%u", farewells->taken_count++);
    if (farewells->store)
        store_rename_table(farewells->store, name, last->table);
}

int farewells_count(const struct farewells *farewells)
{
    return farewells->count;
}

/* One after the other: the first is due, or none. */
int64_t farewells_next_ns(const struct farewells *farewells)
{
    return farewells->count ? max_i64(job_stop_next_ns(farewells->list[0].job), farewells->paid_ns)
                            : INT64_MAX;
}

void farewells_poll(struct farewells *farewells, int64_t now_ns)
{
    if (farewells_next_ns(farewells) > now_ns)
        return;
    /* While threads that are known to be pinned are left, the next piece follows without a
     * pause. */
    const int ratio = job_is_letting_go(farewells->list[0].job) ? 1 : COST_RATIO;
    const int64_t spent_ns = clock_spent_ns();
    if (job_stop_go_on(farewells->list[0].job))
        first_end(farewells);
    farewells->paid_ns = now_ns + (clock_spent_ns() - spent_ns) * ratio;
}
