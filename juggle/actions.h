/* SPDX-License-Identifier: BSD-3-Clause */
/* The actions of juggle, one per run. Each is defined in the file of its name. All return
 * juggle's exit status. */
#ifndef JUGGLE_ACTIONS_H
#define JUGGLE_ACTIONS_H

#include "juggle/settings.h"

/* juggle COMMAND: runs the command and balances it. Returns the command's status, 128 + n if
 * signal n ended it, or a status of juggle's own. */
int launch(const struct settings *settings, char *const *command);

/* --attach: balances programs that run already, until they end or juggle is told to let go.
 * `more` holds further pids as text and ends with NULL. */
int attach(const struct settings *settings, char *const *more);

/* --join: adds this process to the job of its node, then executes the command in its place. If
 * joining fails, prints one line that says why and executes the command all the same. Returns
 * only if the command cannot be executed, or if joining fails under --strict. */
int join(const struct settings *settings, char *const *command);

/* --compare: runs a command as it is, with juggle and with --fit, and says which to use.
 * `options` are all words before the command; juggle gets the same options in each of its runs.
 * Returns the status of a run that failed, or 0 if all were compared. */
int compare(const struct settings *settings, char *const *options, int options_count,
            char *const *command);

/* --dry-run: prints what juggle would use and do here, and runs nothing. */
int dry_run(const struct settings *settings, char *const *command);

/* --explain: prints what a program would find here, and what is in its way; runs nothing. The
 * command may be empty. */
int explain(const struct settings *settings, char *const *command);

/* --list: prints which processes are balanced, and by which process. */
int list(void);

#endif
