/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that only stays in juggle's process group: what is sent to the group reaches it too,
 * what is sent to juggle alone does not. The kernel does not say which of the two a signal was.
 *
 * It was born after juggle, so the kernel serves it first: when juggle has a signal of the group,
 * the witness has it pending already. */
#ifndef JUGGLE_COMMAND_WITNESS_H
#define JUGGLE_COMMAND_WITNESS_H

#include "libjuggle/ground/units.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct witness {
    pid_t pid;
    int line_fd; /* it ends when all copies of this are closed */
};

/* Forks. The signals of `set` are to be witnessed. -errno. */
int witness_start(const sigset_t *set, struct witness *witness) MUST_CHECK;

/* True if the group was sent this signal since the last call. */
bool witness_saw(const struct witness *witness, int number);

/* A child that has ended was waited for: if it was the witness, its number is somebody else's. */
void witness_reaped(struct witness *witness, pid_t pid);

/* Nobody will ask it any more; it has still to be ended. */
void witness_dismiss(const struct witness *witness);
void witness_end(struct witness *witness);

#endif
