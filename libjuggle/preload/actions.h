/* SPDX-License-Identifier: BSD-3-Clause */
/* Signal handlers in a program that has traps: ours is in place, and behind it is the program's
 * own. */
#ifndef JUGGLE_PRELOAD_ACTIONS_H
#define JUGGLE_PRELOAD_ACTIONS_H

#include <signal.h>
#include <stdbool.h>

typedef void (*action_handler)(int signal, siginfo_t *info, void *context);

/* Call this before all other functions here. */
void actions_begin(void);

/* Installs a handler of SIGURG or SIGTRAP. True if it is in place, or was before. A handler that
 * the program has set before stays. */
bool action_take(int signal, action_handler handler);

/* True if action_take has installed a handler of the signal; false in a child of vfork(). */
bool action_is_taken(int signal);

/* Called by the handler with a signal that is not of a trap: does what the program would have
 * done. */
void action_pass_on(int signal, siginfo_t *info, void *context);

/* Called around the work of a handler. False: the program filters its own system calls, or is about
 * to, and the handler must make none. */
bool actions_enter(void);
void actions_leave(void);

#endif
