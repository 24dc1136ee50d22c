/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/report/live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void live_problem(const char *tty, int error, char problem[LIVE_PROBLEM_SIZE])
{
    const char *name = *tty ? tty : "stderr", *term = getenv("TERM");

    switch (-error) {
    case ENOTSUP:
        snprintf(problem, LIVE_PROBLEM_SIZE, "this was built without ncurses");
        break;
    case ENOTTY:
        snprintf(problem, LIVE_PROBLEM_SIZE, "%s is no terminal", name);
        break;
    case EDOM:
        snprintf(problem, LIVE_PROBLEM_SIZE, "%s: a terminal of the kind TERM=%s keeps no lines",
                 name, term ? term : "");
        break;
    default:
        snprintf(problem, LIVE_PROBLEM_SIZE, "%s: %s", name, strerror(-error));
    }
}
