/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a machine is to be read anew, since there are processors that it does not know: those that
 * come online late, or that a cpuset grows by; and when a domain is back that had no processor
 * left, for no policy brings its threads back over the border. Pure.
 *
 * They mostly come several at a time: it is due when two looks in a row have seen the same. One
 * that goes and comes back all the time is known after the first time; several that take turns must
 * not take more than a small share of a processor.
 */
#ifndef JUGGLE_JOB_GROWTH_H
#define JUGGLE_JOB_GROWTH_H

#include "libjuggle/linux/cpu_mask.h"

/* Minimum interval between two attempts: this time, and this multiple of what the last one cost. */
#define GROWTH_REST_NS (2 * NSEC_PER_SEC)
enum { GROWTH_COST_RATIO = 200 };

struct growth {
    struct cpu_mask known;    /* what could be used when the machine was read */
    struct cpu_mask seen;     /* at the last look */
    struct cpu_mask deserted; /* domains that have had no processor left */
    bool returned;            /* one of these is back */
    int64_t rest_ns;          /* until then it is not due */
};

void growth_begin(struct growth *growth, const struct cpu_mask *known);

/* The last processor of a domain is gone; or any one is back. */
void growth_desert(struct growth *growth, const struct cpu_mask *domain);
void growth_return(struct growth *growth, int cpu);

/* A look: what can be used now. True if it is due. */
bool growth_see(struct growth *growth, const struct cpu_mask *usable, int64_t now_ns);

/* It was tried; what the last look saw is known now if it succeeded. */
void growth_tried(struct growth *growth, bool succeeded, int64_t now_ns, int64_t cost_ns);

#endif
