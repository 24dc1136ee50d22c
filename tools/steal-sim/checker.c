/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/checker.h"

#include <errno.h>
#include <stdlib.h>

/* Sums over the ranks. */
struct checker_round {
    int64_t expected_ns; /* expected before balancing, minus expected after it */
    int64_t took_ns;     /* time of executed tasks, minus the time that ranks accounted for */
};

static void complain_of(struct checker *checker, const char *wrong)
{
    if (!checker->wrong)
        checker->wrong = wrong;
}

/* Returns the sum of the tasks' words, which are random numbers in a tree. If a task is lost and
 * another one executed twice, this sum changes, while the count of tasks does not. */
static uint64_t digests_of(const void *tasks, size_t size, size_t count)
{
    const uint64_t *word = tasks;
    uint64_t sum = 0;

    for (size_t i = 0; i < count * size / sizeof(*word); i++)
        sum += word[i];
    return sum;
}

void checker_add(struct checker *checker, int64_t count)
{
    checker->tasks_left += count;
}

void checker_add_nodes(struct checker *checker, const void *tasks, size_t size, size_t count)
{
    if (checker->off)
        return;
    checker->tasks_left += (int64_t)count;
    checker->digests_left += digests_of(tasks, size, count);
}

void checker_execute_nodes(struct checker *checker, const void *tasks, size_t size, size_t count)
{
    if (checker->off)
        return;
    checker->tasks_left -= (int64_t)count;
    checker->digests_left -= digests_of(tasks, size, count);
}

void checker_execute(struct checker *checker, uint32_t task, int round, int64_t took_ns)
{
    if (checker->off)
        return;
    if (checker->rounds_done[task]++ != (unsigned char)round)
        complain_of(checker, "a task was executed twice, or one was not");
    checker->tasks_left--;
    checker->round[round].took_ns += took_ns;
}

void checker_end(struct checker *checker)
{
    if (!checker->off && checker->tasks_left > 0)
        complain_of(checker, "termination came too early");
}

void checker_expect(struct checker *checker, int round, int64_t expected_ns)
{
    checker->round[round].expected_ns += expected_ns;
}

void checker_account(struct checker *checker, int round, int64_t expected_ns, int64_t load_ns)
{
    checker->round[round].expected_ns -= expected_ns;
    checker->round[round].took_ns -= load_ns;
}

const char *checker_judge(const struct checker *checker)
{
    if (checker->wrong || checker->off)
        return checker->wrong;
    if (checker->tasks_left != 0)
        return "a task was lost";
    if (checker->digests_left != 0)
        return "a task was executed twice, and another one never";
    for (int i = 0; i < checker->rounds; i++) {
        if (checker->round[i].took_ns != 0)
            return "the time of a task was not accounted for";
        if (checker->round[i].expected_ns != 0)
            return "balancing gained or lost what tasks take";
    }
    return NULL;
}

int checker_open(bool off, size_t tasks_count, int rounds, struct checker *out)
{
    struct checker checker = {.off = off, .rounds = rounds};

    checker.rounds_done = calloc(tasks_count + 1, 1);
    checker.round = calloc((size_t)rounds, sizeof(*checker.round));
    if (!checker.rounds_done || !checker.round) {
        checker_close(&checker);
        return -ENOMEM;
    }
    *out = checker;
    return 0;
}

void checker_close(struct checker *checker)
{
    free(checker->round);
    free(checker->rounds_done);
}
