/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a polling thread waits for other threads: it looks again at once, lets another thread run, or
 * naps.
 *
 * Looking again answers soonest, and uses a processor. That costs nothing if there is a processor
 * for each thread. If there is not, the waiting thread uses processor time that the thread it waits
 * for needs. Yielding gives this time only to threads on the same processor. A nap leaves the
 * processor idle, so that the kernel or a balancer sees that there is room; but a thread that naps
 * answers late. So the thread first looks and yields. If waits are short, no nap is longer than a
 * share of what the wait has lasted already. If they are long, the first nap comes soon. Pure.
 */
#ifndef JUGGLE_WAITING_WAIT_STYLE_H
#define JUGGLE_WAITING_WAIT_STYLE_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

struct wait_style {
    bool oversubscribed; /* there are more threads than processors */
    bool asked;          /* wait_style_next was called in this wait */
    int looks;           /* without success, since the last success */
    int64_t short_by_ns; /* by how much recent waits were too short for naps, in the mean */
};

enum wait_step_kind { WAIT_STEP_LOOK, WAIT_STEP_YIELD, WAIT_STEP_NAP };

struct wait_step {
    enum wait_step_kind kind;
    int64_t nap_ns;
};

/* A wait begins. */
void wait_style_begin(struct wait_style *style, bool oversubscribed);
/* A wait of this length has ended: the next ones are expected to be alike. Ignored if
 * wait_style_next was not called in this wait. */
void wait_style_end(struct wait_style *style, int64_t waited_ns);

/* Returns what to do after one more look without success, when the wait has lasted for
 * waited_ns. */
struct wait_step wait_style_next(struct wait_style *style, int64_t waited_ns);

/* Returns how long a nap may be when the wait has lasted for waited_ns. */
int64_t wait_style_nap_ns(int64_t waited_ns);

/* True if wait_style_next needs waited_ns; until then it may be anything. */
bool wait_style_wants_clock(const struct wait_style *style);

#endif
