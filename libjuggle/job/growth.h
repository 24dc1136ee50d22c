/* SPDX-License-Identifier: BSD-3-Clause */
/* When a machine is to be read anew: when there are processors that it does not know, because they
 * came online late or a cpuset has grown; and when a domain is back that had no processor left,
 * because no policy brings threads back over the border of a domain. Pure.
 *
 * Processors mostly come several at a time, so reading is due when two looks in a row have seen the
 * same ones. A processor that goes and comes back all the time is known after the first time. If
 * several alternate, reading must not take more than a small share of a processor. */
#ifndef JUGGLE_JOB_GROWTH_H
#define JUGGLE_JOB_GROWTH_H

#include "libjuggle/linux/cpu_mask.h"

/* Minimum interval between two attempts: this time, or this multiple of what the last one cost if
 * that is longer. */
#define GROWTH_REST_NS (2 * NSEC_PER_SEC)
enum { GROWTH_COST_RATIO = 200 };

struct growth {
    struct cpu_mask known;    /* processors that could be used when the machine was read */
    struct cpu_mask seen;     /* at the last look */
    struct cpu_mask deserted; /* processors of domains that have had none left */
    bool returned;            /* one of these is back */
    int64_t rest_ns;          /* reading is not due before */
};

void growth_begin(struct growth *growth, const struct cpu_mask *known);

/* The last processor of a domain is gone; a processor is back. */
void growth_domain_lost(struct growth *growth, const struct cpu_mask *domain);
void growth_processor_back(struct growth *growth, int cpu);

/* A look at the processors that can be used now. True if reading is due. */
bool growth_see(struct growth *growth, const struct cpu_mask *usable, int64_t now_ns);

/* Reading was tried. If it succeeded, the processors that the last look saw are known now. */
void growth_tried(struct growth *growth, bool succeeded, int64_t now_ns, int64_t cost_ns);

#endif
