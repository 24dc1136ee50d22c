/* SPDX-License-Identifier: BSD-3-Clause */
/* The live view of a juggle that was built without ncurses: it does nothing. */
#include "juggle/report/live.h"

#include <errno.h>

int live_create(const char *tty, bool alone, struct live **live)
{
    (void)tty;
    (void)alone;
    (void)live;
    return -ENOTSUP;
}

void live_draw(struct live *live, const struct report *report)
{
    (void)live;
    (void)report;
}

void live_suspend(struct live *live)
{
    (void)live;
}

void live_destroy(struct live *live)
{
    (void)live;
}
