/* SPDX-License-Identifier: BSD-3-Clause */
/* How soon the next look at a program may follow: looks take a tenth of a processor while it
 * changes, but a hundredth in the long run, beyond what was saved up. Pure. */
#ifndef JUGGLE_JOB_PACING_H
#define JUGGLE_JOB_PACING_H

#include "libjuggle/ground/units.h"

enum { PACING_BURST = 10, PACING_LASTING = 100 };

/* Upper bound of the saved time, and its initial value: this time, or this number of looks where
 * one costs more. A program that has grown has saved up as many of the looks that are dearer now.
 */
#define PACING_CREDIT_NS (20 * NSEC_PER_MSEC)
enum { PACING_CREDIT_LOOKS = 20 };

/* All zero at first. */
struct pacing {
    int64_t noted_ns;  /* the last look; 0: none yet */
    int64_t cost_ns;   /* of it, in processor time */
    int64_t credit_ns; /* negative: more was spent than the long run has */
    int64_t most_ns;   /* the highest bound of it so far */
};

static inline void pacing_note(struct pacing *pacing, int64_t now_ns, int64_t cost_ns)
{
    const int64_t most_ns = max_i64(PACING_CREDIT_NS, cost_ns * PACING_CREDIT_LOOKS);
    const int64_t earned_ns = (now_ns - pacing->noted_ns) / PACING_LASTING;

    pacing->credit_ns += pacing->noted_ns ? earned_ns : 0;
    pacing->credit_ns += max_i64(0, most_ns - pacing->most_ns);
    pacing->credit_ns = min_i64(pacing->credit_ns, most_ns) - cost_ns;
    pacing->most_ns = max_i64(pacing->most_ns, most_ns);
    pacing->cost_ns = cost_ns;
    pacing->noted_ns = now_ns;
}

/* Between the last look and the next one, at least. */
static inline int64_t pacing_least_ns(const struct pacing *pacing)
{
    return max_i64(pacing->cost_ns * PACING_BURST, -pacing->credit_ns * PACING_LASTING);
}

#endif
