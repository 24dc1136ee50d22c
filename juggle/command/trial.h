/* SPDX-License-Identifier: BSD-3-Clause */
/* One timed run of a command, of several that are compared: quiet, and with the same input. */
#ifndef JUGGLE_COMMAND_TRIAL_H
#define JUGGLE_COMMAND_TRIAL_H

#include "juggle/command/program.h"

/* What all runs of a command share. */
struct trials {
    struct signals signals;
    bool rewinds;       /* the input is a file: each run reads it from `input_at` */
    bool input_is_told; /* nobody is surprised that it is empty */
    off_t input_at;
    int input_fd; /* what each run reads; an empty file where the user's cannot be read twice */
};

struct timed_run {
    int64_t time_ns; /* from exec to the end, but for what it was stopped */
    int exit_status; /* as of struct program */
    int death_signal;
    int interrupted; /* the signal that the user sent meanwhile, or 0 */
};

/* -errno. */
int trials_begin(struct trials *trials) MUST_CHECK;

/* `shown`: all that it prints goes to stderr; otherwise the end of what it says there does when the
 * run fails, and nothing else. -errno of exec, or when nothing could be run: `problem` says why, or
 * is empty for exec. */
int trial_run(struct trials *trials, char *const *argv, bool shown, struct timed_run *trial,
              char problem[PROGRAM_PROBLEM_SIZE]) MUST_CHECK;

/* True if a run read its input, where it was given none although the user's has something. */
bool trials_lacked_input(const struct trials *trials);

void trials_end(struct trials *trials);

#endif
