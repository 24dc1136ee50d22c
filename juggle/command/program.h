/* SPDX-License-Identifier: BSD-3-Clause */
/* The program that juggle runs, as if the shell had started it: same terminal, same process
 * group, same signals. juggle adopts its orphans and ends with its status. */
#ifndef JUGGLE_COMMAND_PROGRAM_H
#define JUGGLE_COMMAND_PROGRAM_H

#include "juggle/command/signals.h"
#include "juggle/command/witness.h"

#include <sys/resource.h>
#include <sys/types.h>

/* The exit status of juggle if the program could not be run: the same as of env(1) and
 * timeout(1). */
enum {
    EXIT_JUGGLE_FAILED = 125,
    EXIT_NOT_EXECUTABLE = 126,
    EXIT_NOT_FOUND = 127,
    EXIT_SIGNAL_BASE = 128,
};

enum { PROGRAM_PROBLEM_SIZE = 128, STREAMS_COUNT = 3 };

struct program {
    pid_t pid;
    int adoption_error; /* -errno: juggle cannot adopt its orphans; 0: it does */
    int gate_fd;  /* socket to the child, which waits there, and reports a failed exec there */
    bool stopped; /* the terminal stopped it, and juggle has not stopped yet */
    bool ended;
    int exit_status;    /* once ended: its own, or EXIT_SIGNAL_BASE plus the signal */
    int death_signal;   /* the signal that ended it, or 0 */
    int64_t stopped_ns; /* for how long it was stopped, up to the last time that it was continued */
    int64_t stop_ns;    /* when it was stopped; 0: it runs */
    struct witness witness;
    struct rlimit files; /* the limit of open files that juggle was started with */
};

/* Raises juggle's soft limit of open files to the hard limit. Returns the limits before. */
struct rlimit program_files_allow(void);

/* Forks. The child waits for program_release; if that never comes it ends without a message. Its
 * standard streams are `streams`, STREAMS_COUNT descriptors that are none of juggle's own
 * standard streams; if NULL, juggle's. The raised limit of files holds for juggle, not for the
 * child. When it fails nothing has changed, and `problem` says why. */
int program_start(char *const *argv, const struct signals *signals, const int *streams,
                  struct program *program, char problem[PROGRAM_PROBLEM_SIZE]) MUST_CHECK;

/* Lets the child exec. Returns the -errno of exec if the program could not be run. */
int program_release(struct program *program) MUST_CHECK;

/* Reaps all children that have ended or stopped, the program's orphans too. Passes on the
 * signals that were sent to juggle alone; the program has already got those that were sent to
 * the process group, as by a terminal. Returns the last signal by which a user interrupts, or 0. */
int program_serve(struct program *program, const struct signals *signals);

/* Stops juggle after the program has been stopped, so that the shell sees one stopped job. */
void program_follow_stop(struct program *program);

/* Releases what program_start made and restores the limits, so that a command that juggle
 * executes afterwards runs as juggle was started. */
void program_destroy(struct program *program);

/* Ends juggle by the signal that ended the program, so that a shell reports the same and stops
 * its loop. Returns if no signal ended the program. */
void program_die_alike(const struct program *program);

#endif
