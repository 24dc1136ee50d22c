/* SPDX-License-Identifier: BSD-3-Clause */
/* The program that juggle runs, as if the shell had started it: same terminal, same process group,
 * same signals; juggle adopts its orphans and ends with its status. */
#ifndef JUGGLE_COMMAND_PROGRAM_H
#define JUGGLE_COMMAND_PROGRAM_H

#include "juggle/command/signals.h"
#include "juggle/command/witness.h"

#include <sys/resource.h>
#include <sys/types.h>

/* What juggle itself ends with when the program could not be run: as env(1) and timeout(1) do. */
enum {
    EXIT_JUGGLE_FAILED = 125,
    EXIT_NOT_EXECUTABLE = 126,
    EXIT_NOT_FOUND = 127,
    EXIT_SIGNAL_BASE = 128,
};

enum { PROGRAM_PROBLEM_SIZE = 128, STREAMS_COUNT = 3 };

struct program {
    pid_t pid;
    int adoption_error; /* -errno: its orphans are not juggle's; 0: they are */
    int gate_fd;        /* the child waits behind it, and tells through it why it could not exec */
    bool stopped;       /* by the terminal; not followed yet */
    bool ended;
    int exit_status;    /* once ended: its own, or EXIT_SIGNAL_BASE and the signal */
    int death_signal;   /* that ended it, or 0 */
    int64_t stopped_ns; /* how long it was, up to the last time that it went on */
    int64_t stop_ns;    /* since when it is; 0: it runs */
    struct witness witness;
    struct rlimit files; /* what juggle was given */
};

/* juggle may have as many files open as it is allowed to. Returns what it was given. */
struct rlimit program_files_allow(void);

/* Forks. The child waits for program_release; if that never comes it ends without a word. It has
 * the STREAMS_COUNT standard `streams`, none of which is one of juggle's; NULL: those. Files are
 * allowed to juggle, not to the child. When it fails nothing has changed, and `problem` says why.
 */
int program_start(char *const *argv, const struct signals *signals, const int *streams,
                  struct program *program, char problem[PROGRAM_PROBLEM_SIZE]) MUST_CHECK;

/* Lets the child exec. The -errno of exec, when the program could not be run. */
int program_release(struct program *program) MUST_CHECK;

/* Takes in all children that have ended or stopped, the program's orphans too, and passes on the
 * signals that were sent to juggle alone: what was sent to the group, as by a terminal, the program
 * has already. Returns the last of them by which a user interrupts, or 0. */
int program_serve(struct program *program, const struct signals *signals);

/* Stops juggle where the program has been stopped, so that the shell sees one job. */
void program_follow_stop(struct program *program);

/* Lets go of what was made to run it: whatever juggle executes is as it was given. */
void program_destroy(struct program *program);

/* Ends juggle as the program was ended, so that a shell says the same and stops its loop. Returns
 * if that was by no signal. */
void program_die_alike(const struct program *program);

#endif
