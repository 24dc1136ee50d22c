/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a thread waits that polls for others: it looks again at once, lets another thread run, or
 * naps.
 *
 * Looking again answers soonest, and costs a processor. That is nothing where there is a processor
 * for each thread; where there is none, what the waiting thread burns is what the one waited for
 * needs. Yielding gives it only to who shares this processor. A nap leaves it idle, so that the
 * kernel, or a balancer, sees that there is room; but who naps answers late. So first all is tried
 * that answers soon, and where waits are short no nap is longer than a share of what the wait has
 * lasted already. Where they are long the first nap comes soon. Pure.
 */
#ifndef JUGGLE_WAITING_MANNERS_H
#define JUGGLE_WAITING_MANNERS_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

struct manners {
    bool shared;      /* there are more threads than processors */
    bool asked;       /* in this wait, how to go on */
    int looks;        /* in vain, since something came last */
    int64_t spare_ns; /* by how much waits were too short for naps lately; zero at first */
};

enum manner_kind { MANNER_LOOK, MANNER_YIELD, MANNER_NAP };

struct manner {
    enum manner_kind kind;
    int64_t nap_ns;
};

/* A wait begins. */
void manners_begin(struct manners *manners, bool shared);
/* A wait of this length has ended: the next ones are expected to be alike. A wait in which
 * manners_next was not called says nothing. */
void manners_end(struct manners *manners, int64_t waited_ns);

/* What to do after one more look in vain, when the wait has lasted for waited_ns. */
struct manner manners_next(struct manners *manners, int64_t waited_ns);

/* How long a nap may be when the wait has lasted for waited_ns. */
int64_t manners_nap_ns(int64_t waited_ns);

/* Whether the clock matters yet: until then waited_ns may be anything. */
bool manners_want_clock(const struct manners *manners);

#endif
