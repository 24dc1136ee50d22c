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
#ifndef JUGGLE_WAITING_MANNERS_H
#define JUGGLE_WAITING_MANNERS_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

struct manners {
    bool shared;      /* there are more threads than processors */
    bool asked;       /* manners_next was called in this wait */
    int looks;        /* without success, since the last success */
    int64_t spare_ns; /* by how much recent waits were too short for naps, in the mean */
};

enum manner_kind { MANNER_LOOK, MANNER_YIELD, MANNER_NAP };

struct manner {
    enum manner_kind kind;
    int64_t nap_ns;
};

/* A wait begins. */
void manners_begin(struct manners *manners, bool shared);
/* A wait of this length has ended: the next ones are expected to be alike. Ignored if manners_next
 * was not called in this wait. */
void manners_end(struct manners *manners, int64_t waited_ns);

/* Returns what to do after one more look without success, when the wait has lasted for
 * waited_ns. */
struct manner manners_next(struct manners *manners, int64_t waited_ns);

/* Returns how long a nap may be when the wait has lasted for waited_ns. */
int64_t manners_nap_ns(int64_t waited_ns);

/* True if manners_next needs waited_ns; until then it may be anything. */
bool manners_want_clock(const struct manners *manners);

#endif
