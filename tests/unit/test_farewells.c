/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs that need as many pieces as each says, one piece a walk, and each walk due a time after the
 * last. */
#include "juggled/care/farewells.h"
#include "libjuggle/linux/clock.h"
#include "tests/lib/suite.h"

enum { JOBS_MAX = 70, ENDLESS = 1000000 };

struct job {
    int pieces_left;
    int64_t next_ns;
    bool letting_go, hurried, destroyed;
};

static struct job jobs[JOBS_MAX];

bool job_stop_go_on(struct job *job)
{
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

static struct farewells *farewells_of(int count)
{
    struct farewells *farewells;

    ck_assert_int_eq(farewells_create(NULL, &farewells), 0);
    for (int i = 0; i < count; i++) {
        jobs[i] = (struct job){.pieces_left = ENDLESS, .next_ns = i + 1};
        farewells_take(farewells, "job", &jobs[i]);
    }
    return farewells;
}

static void go_on(struct farewells *farewells, int times)
{
    while (times--)
        farewells_poll(farewells, farewells_next_ns(farewells));
}

START_TEST(one_that_does_not_end_delays_no_other)
{
    struct farewells *farewells = farewells_of(3);

    jobs[1].pieces_left = jobs[2].pieces_left = 3;
    go_on(farewells, 9);
    ck_assert_int_eq(farewells_count(farewells), 1);
    ck_assert(!jobs[0].destroyed && jobs[1].destroyed && jobs[2].destroyed);
    jobs[0].pieces_left = 1;
    farewells_destroy(farewells);
    ck_assert(jobs[0].destroyed);
}
END_TEST

START_TEST(masks_that_are_known_are_given_first)
{
    struct farewells *farewells = farewells_of(3);

    jobs[2].letting_go = true;
    jobs[2].next_ns = 0;
    go_on(farewells, 1);
    ck_assert(!jobs[2].letting_go);
    for (int i = 0; i < 3; i++)
        jobs[i].pieces_left = 1;
    farewells_destroy(farewells);
}
END_TEST

START_TEST(of_too_many_the_oldest_ends_soon)
{
    struct farewells *farewells = farewells_of(JOBS_MAX);

    for (int i = 0; i < JOBS_MAX; i++) {
        const bool is_over = i < JOBS_MAX - farewells_count(farewells);
        ck_assert_int_eq(jobs[i].hurried, is_over);
        ck_assert_int_eq(jobs[i].destroyed, is_over);
        jobs[i].pieces_left = 1;
    }
    farewells_destroy(farewells);
    for (int i = 0; i < JOBS_MAX; i++)
        ck_assert(jobs[i].destroyed);
}
END_TEST

SUITE("farewells", one_that_does_not_end_delays_no_other, masks_that_are_known_are_given_first,
      of_too_many_the_oldest_ends_soon)
