/* SPDX-License-Identifier: BSD-3-Clause */
/* What juggle can be asked to do, one of it at a time: each has a file of its name. All return
 * juggle's exit status. */
#ifndef JUGGLE_ACTIONS_H
#define JUGGLE_ACTIONS_H

#include "juggle/settings.h"

/* juggle COMMAND: runs the command and balances it. The command's status, 128 + n when signal n
 * ended it, or juggle's own. */
int launch(const struct settings *settings, char *const *command);

/* --attach: balances programs that run already, until they end or juggle is told to let go. `more`
 * are further pids, ended by NULL. */
int attach(const struct settings *settings, char *const *more);

/* --join: adds this process to the job of its node, and becomes the program, joined or, after one
 * line that says why, not. Returns only when that fails. */
int join(const struct settings *settings, char *const *command);

/* --compare: runs a command as it is, with juggle and with --fit, and says which to use. The
 * options are all words before the command: juggle runs with the same in each of its runs. The
 * status of a run that failed, zero where all were compared. */
int compare(const struct settings *settings, char *const *options, int options_count,
            char *const *command);

/* --dry-run: prints what juggle would use and do here, and runs nothing. */
int dry_run(const struct settings *settings, char *const *command);

/* --explain: prints what a program would find here, and what is in its way; runs nothing. The
 * command may be missing. */
int explain(const struct settings *settings, char *const *command);

/* --list: prints which processes are balanced, and by whom. */
int list(void);

#endif
