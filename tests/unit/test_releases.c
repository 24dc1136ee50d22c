/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs that each need a given number of pieces to end, one piece a walk; each walk is due a
 * certain time after the last. */
#include "juggled/care/releases.h"
#include "libjuggle/linux/clock.h"
#include "tests/lib/chance.h"

#include <stdio.h>

enum { JOBS_MAX = 70, ENDLESS = 1000000, PIECES_MAX = 8 };

struct job {
    int pieces_left;
    int64_t next_ns;
    bool letting_go, hurried, destroyed;
};

static struct job jobs[JOBS_MAX];

bool job_stop_go_on(struct job *job)
{
    ALWAYS(!job->destroyed);
    job->next_ns = clock_now_ns();
    job->letting_go = false;
    return --job->pieces_left <= 0;
}

void job_stop_soon(struct job *job)
{
    job->hurried = true;
}

void job_destroy(struct job *job)
{
    ALWAYS(!job->destroyed && (job->pieces_left <= 0 || job->hurried));
    job->destroyed = true;
}

bool job_is_letting_go(const struct job *job)
{
    return job->letting_go;
}

int64_t job_stop_next_ns(const struct job *job)
{
    return job->next_ns;
}

static bool table_is_there[JOBS_MAX]; /* by the job's number */

static bool *table_of(const char *name)
{
    unsigned number;

    const int found = sscanf(name, "farewell/%u", &number);
    ALWAYS(found == 1 && number < JOBS_MAX);
    return &table_is_there[number];
}

void store_rename_table(struct store *store, const char *job, const char *other)
{
    (void)store;
    (void)job;
    ALWAYS(!*table_of(other));
    *table_of(other) = true;
}

void store_forget_table(struct store *store, const char *job)
{
    (void)store;
    ALWAYS(*table_of(job));
    *table_of(job) = false;
}

static struct releases *releases_of(int count)
{
    struct releases *releases;

    ck_assert_int_eq(releases_create(NULL, &releases), 0);
    for (int i = 0; i < count; i++) {
        jobs[i] = (struct job){.pieces_left = ENDLESS, .next_ns = i + 1};
        releases_take(releases, "job", &jobs[i]);
    }
    return releases;
}

static void go_on(struct releases *releases, int times)
{
    while (times--)
        releases_poll(releases, releases_next_ns(releases));
}

START_TEST(one_that_does_not_end_delays_no_other)
{
    struct releases *releases = releases_of(3);

    jobs[1].pieces_left = jobs[2].pieces_left = 3;
    go_on(releases, 9);
    ck_assert_int_eq(releases_count(releases), 1);
    ck_assert(!jobs[0].destroyed && jobs[1].destroyed && jobs[2].destroyed);
    jobs[0].pieces_left = 1;
    releases_destroy(releases);
    ck_assert(jobs[0].destroyed);
}

START_TEST(masks_that_are_known_are_given_first)
{
    struct releases *releases = releases_of(3);

    jobs[2].letting_go = true;
    jobs[2].next_ns = 0;
    go_on(releases, 1);
    ck_assert(!jobs[2].letting_go);
    for (int i = 0; i < 3; i++)
        jobs[i].pieces_left = 1;
    releases_destroy(releases);
}

START_TEST(of_too_many_the_oldest_ends_soon)
{
    struct releases *releases = releases_of(JOBS_MAX);

    for (int i = 0; i < JOBS_MAX; i++) {
        const bool is_over = i < JOBS_MAX - releases_count(releases);
        ck_assert_int_eq(jobs[i].hurried, is_over);
        ck_assert_int_eq(jobs[i].destroyed, is_over);
        jobs[i].pieces_left = 1;
    }
    releases_destroy(releases);
    for (int i = 0; i < JOBS_MAX; i++)
        ck_assert(jobs[i].destroyed);
}

/* ---- random events ---- */

static int count_left(int taken_count)
{
    int count = 0;

    for (int i = 0; i < taken_count; i++)
        count += !jobs[i].destroyed;
    return count;
}

static void take(struct releases *releases, struct job *job)
{
    const int64_t next_ns = clock_now_ns() - below(NSEC_PER_MSEC);

    *job = (struct job){(int)between(1, PIECES_MAX), next_ns, one_in(2), false, false};
    if (one_in(5))
        job->pieces_left = ENDLESS;
    releases_take(releases, "job", job);
}

static void come_and_go(void)
{
    const int64_t seldom = between(1, 40);
    struct releases *releases;
    int taken_count = 0;

    ck_assert_int_eq(releases_create((struct store *)jobs, &releases), 0);
    while (taken_count < JOBS_MAX) {
        if (one_in(seldom))
            take(releases, &jobs[taken_count++]);
        else if (releases_count(releases))
            go_on(releases, 1);
        ALWAYS(releases_count(releases) == count_left(taken_count));
        ALWAYS((releases_next_ns(releases) == INT64_MAX) == !releases_count(releases));
    }
    /* A job that does not end does not delay the others. */
    go_on(releases, PIECES_MAX * releases_count(releases));
    for (int i = 0; i < JOBS_MAX; i++) {
        ALWAYS(jobs[i].destroyed || jobs[i].pieces_left > PIECES_MAX);
        jobs[i].pieces_left = 1;
    }
    releases_destroy(releases);
    ALWAYS(count_left(JOBS_MAX) == 0);
    for (int i = 0; i < JOBS_MAX; i++)
        ALWAYS(!table_is_there[i]);
}

START_TEST(each_ends_once_with_its_table_and_delays_no_other)
{
    live_with_seeds(200, come_and_go);
}

SUITE("releases")
