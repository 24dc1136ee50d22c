/* SPDX-License-Identifier: BSD-3-Clause */
/* The live view: a bar for each thread, at the bottom of a terminal while the program runs. */
#ifndef JUGGLE_LIVE_H
#define JUGGLE_LIVE_H

#include "juggle/report/report.h"

#define LIVE_INTERVAL_NS NSEC_PER_SEC

enum { LIVE_PROBLEM_SIZE = 4200 }; /* has room for a path */

struct live;

/* `tty` is the path of a terminal, or "" for the terminal of stderr. `alone`: no other output
 * goes there, so the view may take all lines instead of half of them. -ENOTTY: it is no
 * terminal; -EDOM: one without scrolling regions; -ENOTSUP: this was built without ncurses; -errno
 * of open. */
int live_create(const char *tty, bool alone, struct live **live) MUST_CHECK;

/* Says why live_create() failed. */
void live_problem(const char *tty, int error, char problem[LIVE_PROBLEM_SIZE]);

/* Draws, unless another job has the terminal, the terminal is halted, or it is too small. */
void live_draw(struct live *live, const struct report *report);

/* Gives the lines back until the next draw. Call it before juggle is stopped. NULL is allowed. */
void live_suspend(struct live *live);
void live_destroy(struct live *live);

#endif
