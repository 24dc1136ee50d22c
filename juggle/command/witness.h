/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that only stays in juggle's process group: a signal that is sent to the group
 * reaches it too, a signal that is sent to juggle alone does not. The kernel does not say which
 * of the two a signal was.
 *
 * The witness was forked after juggle, so the kernel signals it first: when juggle gets a signal
 * of the group, the signal is already pending for the witness. */
#ifndef JUGGLE_COMMAND_WITNESS_H
#define JUGGLE_COMMAND_WITNESS_H

#include "libjuggle/ground/units.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct witness {
    pid_t pid;
    int line_fd; /* the witness ends when all copies of this descriptor are closed */
};

/* Forks the witness, in which the signals of `set` are blocked. -errno. */
int witness_start(const sigset_t *set, struct witness *witness) MUST_CHECK;

/* True if the group was sent this signal since the last call. */
bool witness_saw(const struct witness *witness, int number);

/* Tells that the child `pid` has been reaped. If it was the witness, its pid may now belong to
 * another process. */
void witness_reaped(struct witness *witness, pid_t pid);

/* Kills the witness, which is not asked any more. witness_end must follow. */
void witness_dismiss(const struct witness *witness);
void witness_end(struct witness *witness);

#endif
