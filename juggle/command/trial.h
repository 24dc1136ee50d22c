/* SPDX-License-Identifier: BSD-3-Clause */
/* One timed run of a command, of several that are compared: without output, and with the same
 * input. */
#ifndef JUGGLE_COMMAND_TRIAL_H
#define JUGGLE_COMMAND_TRIAL_H

#include "juggle/command/program.h"

/* State that all runs of a command share. */
struct trials {
    struct signals signals;
    bool rewinds;               /* the input is a file: each run reads it from `input_at` */
    bool input_is_empty_anyway; /* nothing is lost if the runs get an empty input */
    off_t input_at;
    int input_fd; /* the input of each run; empty if the user's cannot be read twice */
};

struct timed_run {
    int64_t time_ns; /* from exec to the end, less the time for which it was stopped */
    int exit_status; /* as in struct program */
    int death_signal;
    int interrupted; /* the signal that the user sent meanwhile, or 0 */
};

/* Prepares the input and takes the signals. -errno. */
int trials_begin(struct trials *trials) MUST_CHECK;

/* Runs the command once. If `shown`, all its output goes to stderr; otherwise only the end of
 * its stderr is printed, and only if the run fails. Returns -errno of exec, with an empty
 * `problem`, or -errno of what else failed before, which `problem` names. */
int trial_run(struct trials *trials, char *const *argv, bool shown, struct timed_run *trial,
              char problem[PROGRAM_PROBLEM_SIZE]) MUST_CHECK;

/* True if a run tried to read its input, but got an empty one although the user's may hold
 * something. */
bool trials_lacked_input(const struct trials *trials);

void trials_end(struct trials *trials);

#endif
