/* SPDX-License-Identifier: BSD-3-Clause */
/* Watches all ranks of a simulation at once: each task is executed once, nobody holds the end for
 * reached while one exists, and balancing neither gains nor loses what tasks take. One that was
 * opened to be off sees nothing. */
#ifndef JUGGLE_STEAL_SIM_CHECKER_H
#define JUGGLE_STEAL_SIM_CHECKER_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct checker_round;

struct checker {
    bool off;
    int64_t tasks_left;         /* that exist, executing ones included */
    uint64_t digests_left;      /* of tasks of a tree: the sum over all that exist */
    unsigned char *rounds_done; /* of each task of a set */
    struct checker_round *round;
    int rounds;
    const char *wrong; /* the first promise that was broken; NULL: none was */
};

/* For iterations over a set of tasks_count tasks, 0 for a tree; -ENOMEM. */
int checker_open(bool off, size_t tasks_count, int rounds, struct checker *checker) MUST_CHECK;
void checker_close(struct checker *checker);

/* `count` more tasks are there for another round. */
void checker_add(struct checker *checker, int64_t count);

/* Tasks of a tree, each of `size` bytes in words of 64 bits, are there; or were
 * executed. */
void checker_add_nodes(struct checker *checker, const void *tasks, size_t size, size_t count);
void checker_execute_nodes(struct checker *checker, const void *tasks, size_t size, size_t count);

/* The task of a set was executed in that round, and took took_ns. */
void checker_execute(struct checker *checker, uint32_t task, int round, int64_t took_ns);

/* A rank found out that a round is over. */
void checker_end(struct checker *checker);

/* What a rank's tasks are expected to take in a round, before they are balanced and when they
 * were; and what it says that they took. */
void checker_expect(struct checker *checker, int round, int64_t expected_ns);
void checker_account(struct checker *checker, int round, int64_t expected_ns, int64_t load_ns);

/* All is over: what was wrong, or NULL. */
const char *checker_judge(const struct checker *checker);

#endif
