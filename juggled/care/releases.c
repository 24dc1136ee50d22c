/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/releases.h"

#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    RELEASES_MAX = 64, /* if there are more, the oldest ends after one more look */
    NAME_SIZE = 32,
    COST_RATIO = 10,
};

/* Time for all together when the service ends. */
#define END_NS (2 * NSEC_PER_SEC)

struct release {
    char table[NAME_SIZE];
    struct job *job;
};

struct releases {
    struct store *store;
    unsigned taken_count; /* since the start, for the names of tables */
    int64_t paid_ns;      /* when the cost of the last piece is paid, so that the next may begin */
    int count;
    struct release list[RELEASES_MAX]; /* the oldest first */
};

int releases_create(struct store *store, struct releases **result)
{
    struct releases *releases = calloc(1, sizeof(*releases));

    if (!releases)
        return -ENOMEM;
    releases->store = store;
    *result = releases;
    return 0;
}

/* Ends a job after one more look, if it has not ended, and removes it from the list. */
static void end(struct releases *releases, int which)
{
    const struct release *ended = &releases->list[which];

    job_stop_soon(ended->job);
    job_destroy(ended->job);
    if (releases->store)
        store_forget_table(releases->store, ended->table);
    releases->count--;
    for (int i = which; i < releases->count; i++)
        releases->list[i] = releases->list[i + 1];
}

/* Returns the job that is due next: first jobs with known threads that have not got their masks,
 * then the job that has waited longest. So a program that pins its threads again and again does
 * not delay other jobs. */
static int next_of(const struct releases *releases)
{
    int next = 0;

    for (int i = 1; i < releases->count; i++)
        if (job_stop_next_ns(releases->list[i].job) < job_stop_next_ns(releases->list[next].job))
            next = i;
    return next;
}

static void go_on(struct releases *releases, int which)
{
    if (job_stop_go_on(releases->list[which].job))
        end(releases, which);
}

/* Quiet programs are done within a quarter of a second. */
void releases_destroy(struct releases *releases)
{
    const struct timespec pause = {0, NSEC_PER_MSEC};
    const int64_t until_ns = clock_now_ns() + END_NS;

    while (releases && releases->count && clock_now_ns() < until_ns) {
        const int next = next_of(releases);
        if (job_stop_next_ns(releases->list[next].job) > clock_now_ns())
            nanosleep(&pause, NULL);
        else
            go_on(releases, next);
    }
    while (releases && releases->count)
        end(releases, 0);
    free(releases);
}

void releases_take(struct releases *releases, const char *name, struct job *job)
{
    if (releases->count == RELEASES_MAX)
        end(releases, 0);
    struct release *last = &releases->list[releases->count++];
    last->job = job;
    /* The state directory keeps names from version to version. */
    snprintf(last->table, sizeof(last->table), "farewell/%u", releases->taken_count++);
    if (releases->store)
        store_rename_table(releases->store, name, last->table);
}

int releases_count(const struct releases *releases)
{
    return releases->count;
}

int64_t releases_next_ns(const struct releases *releases)
{
    if (!releases->count)
        return INT64_MAX;
    return max_i64(job_stop_next_ns(releases->list[next_of(releases)].job), releases->paid_ns);
}

void releases_poll(struct releases *releases, int64_t now_ns)
{
    if (releases_next_ns(releases) > now_ns)
        return;
    const int next = next_of(releases);
    /* While known threads have not got their masks, the pause is as long as the piece was. */
    const int ratio = job_is_letting_go(releases->list[next].job) ? 1 : COST_RATIO;
    const int64_t spent_ns = clock_spent_ns();
    go_on(releases, next);
    releases->paid_ns = now_ns + (clock_spent_ns() - spent_ns) * ratio;
}
