/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks all ranks of a simulation together: each task is executed once, no rank detects
 * termination while a task exists, and balancing conserves the durations of tasks. A checker that
 * was opened with `off` checks nothing. */
#ifndef JUGGLE_STEAL_SIM_CHECKER_H
#define JUGGLE_STEAL_SIM_CHECKER_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct checker_round;

struct checker {
    bool off;
    int64_t tasks_left;         /* tasks that exist, executing ones included */
    uint64_t digests_left;      /* of a tree: the sum of the digests of existing tasks */
    unsigned char *rounds_done; /* of a set: how often each task was executed */
    struct checker_round *round;
    int rounds;
    const char *wrong; /* the first violation; NULL: none */
};

/* Opens a checker for `rounds` iterations over a set of tasks_count tasks, 0 for a tree. Returns 0
 * or -ENOMEM. */
int checker_open(bool off, size_t tasks_count, int rounds, struct checker *checker) MUST_CHECK;
void checker_close(struct checker *checker);

/* `count` tasks were added for a round. */
void checker_add(struct checker *checker, int64_t count);

/* Tasks of a tree were added, or executed. Each has `size` bytes, a multiple of 8. */
void checker_add_nodes(struct checker *checker, const void *tasks, size_t size, size_t count);
void checker_execute_nodes(struct checker *checker, const void *tasks, size_t size, size_t count);

/* The task of a set was executed in `round` and took took_ns. */
void checker_execute(struct checker *checker, uint32_t task, int round, int64_t took_ns);

/* A rank has detected that a round is over. */
void checker_end(struct checker *checker);

/* The tasks of a rank are expected to take expected_ns in a round: checker_expect is called before
 * they are balanced, checker_account afterwards, with the time that the rank says they took. */
void checker_expect(struct checker *checker, int round, int64_t expected_ns);
void checker_account(struct checker *checker, int round, int64_t expected_ns, int64_t load_ns);

/* Returns at the end of a simulation what was wrong, or NULL. */
const char *checker_judge(const struct checker *checker);

#endif
