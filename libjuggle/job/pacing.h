/* SPDX-License-Identifier: BSD-3-Clause */
/* How soon the next look at a program may follow: looks take at most a tenth of a processor at any
 * time, and a hundredth in the long run, beyond what was saved up. Pure. */
#ifndef JUGGLE_JOB_PACING_H
#define JUGGLE_JOB_PACING_H

#include "libjuggle/ground/units.h"

enum { PACING_BURST = 10, PACING_LASTING = 100 };

/* Upper bound of the saved time, and its initial value: this time, or the cost of this number of
 * looks if that is more. When looks become dearer because the program has grown, the saved time
 * grows as much as the bound. */
#define PACING_CREDIT_NS (20 * NSEC_PER_MSEC)
enum { PACING_CREDIT_LOOKS = 20 };

/* All zero at first. */
struct pacing {
    int64_t noted_ns;  /* the last look; 0: none yet */
    int64_t cost_ns;   /* of the last look, in processor time */
    int64_t credit_ns; /* saved time; negative: more was spent than a hundredth */
    int64_t most_ns;   /* the highest bound of the saved time so far */
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

/* The least time from the last look to the next one. */
static inline int64_t pacing_least_ns(const struct pacing *pacing)
{
    return max_i64(pacing->cost_ns * PACING_BURST, -pacing->credit_ns * PACING_LASTING);
}

#endif
