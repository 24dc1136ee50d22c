/* SPDX-License-Identifier: BSD-3-Clause */
/* The handlers of a signal in a program that has traps: the one that was loaded, and behind it the
 * program's own. */
#ifndef JUGGLE_PRELOAD_ACTIONS_H
#define JUGGLE_PRELOAD_ACTIONS_H

#include <signal.h>
#include <stdbool.h>

typedef void (*action_handler)(int signal, siginfo_t *info, void *context);

/* Before all else. */
void actions_begin(void);

/* For SIGURG or SIGTRAP: true if the handler is in place, or was before. One that the program had
 * set before stays. */
bool action_take(int signal, action_handler handler);

/* True if it has been; false in a child of vfork(), too. */
bool action_is_taken(int signal);

/* For the handler, with a signal that is not of a trap: does what the program would have done. */
void action_pass_on(int signal, siginfo_t *info, void *context);

/* Around what a handler does about a trap. False: the program filters its own system calls, or
 * will, and none may be made. */
bool actions_enter(void);
void actions_leave(void);

#endif
