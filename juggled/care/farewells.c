/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/farewells.h"

#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    FAREWELLS_MAX = 64, /* if there are more, the oldest ends after one more look */
    NAME_SIZE = 32,
    COST_RATIO = 10,
};

/* Time for all together when the service ends. */
#define END_NS (2 * NSEC_PER_SEC)

struct farewell {
    char table[NAME_SIZE];
    struct job *job;
};

struct farewells {
    struct store *store;
    unsigned taken_count; /* since the start, for the names of tables */
    int64_t paid_ns;      /* when the cost of the last piece is paid, so that the next may begin */
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

/* Ends a job after one more look, if it has not ended, and removes it from the list. */
static void end(struct farewells *farewells, int which)
{
    const struct farewell *ended = &farewells->list[which];

    job_stop_soon(ended->job);
    job_destroy(ended->job);
    if (farewells->store)
        store_forget_table(farewells->store, ended->table);
    farewells->count--;
    for (int i = which; i < farewells->count; i++)
        farewells->list[i] = farewells->list[i + 1];
}

/* Returns the job that is due next: first jobs with known threads that have not got their masks,
 * then the job that has waited longest. So a program that pins its threads again and again does
 * not delay other jobs. */
static int next_of(const struct farewells *farewells)
{
    int next = 0;

    for (int i = 1; i < farewells->count; i++)
        if (job_stop_next_ns(farewells->list[i].job) < job_stop_next_ns(farewells->list[next].job))
            next = i;
    return next;
}

static void go_on(struct farewells *farewells, int which)
{
    if (job_stop_go_on(farewells->list[which].job))
        end(farewells, which);
}

/* Quiet programs are done within a quarter of a second. */
void farewells_destroy(struct farewells *farewells)
{
    const struct timespec pause = {0, NSEC_PER_MSEC};
    const int64_t until_ns = clock_now_ns() + END_NS;

    while (farewells && farewells->count && clock_now_ns() < until_ns) {
        const int next = next_of(farewells);
        if (job_stop_next_ns(farewells->list[next].job) > clock_now_ns())
            nanosleep(&pause, NULL);
        else
            go_on(farewells, next);
    }
    while (farewells && farewells->count)
        end(farewells, 0);
    free(farewells);
}

void farewells_take(struct farewells *farewells, const char *name, struct job *job)
{
    if (farewells->count == FAREWELLS_MAX)
        end(farewells, 0);
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

int64_t farewells_next_ns(const struct farewells *farewells)
{
    if (!farewells->count)
        return INT64_MAX;
    return max_i64(job_stop_next_ns(farewells->list[next_of(farewells)].job), farewells->paid_ns);
}

void farewells_poll(struct farewells *farewells, int64_t now_ns)
{
    if (farewells_next_ns(farewells) > now_ns)
        return;
    const int next = next_of(farewells);
    /* While known threads have not got their masks, the pause is as long as the piece was. */
    const int ratio = job_is_letting_go(farewells->list[next].job) ? 1 : COST_RATIO;
    const int64_t spent_ns = clock_spent_ns();
    go_on(farewells, next);
    farewells->paid_ns = now_ns + (clock_spent_ns() - spent_ns) * ratio;
}
