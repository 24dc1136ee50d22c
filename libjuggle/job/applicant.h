/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that was found and may come to be balanced. Pure.
 *
 * Programs that look at the machine bind themselves to each processor in turn for a moment, as
 * hwloc does in the initialization of MPI. So a thread counts as placed by the program only if it
 * has been found bound for a while, and has run meanwhile for more than such a look takes. */
#ifndef JUGGLE_JOB_APPLICANT_H
#define JUGGLE_JOB_APPLICANT_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

#define APPLICANT_PLACED_NS     (1 * NSEC_PER_SEC)
#define APPLICANT_PLACED_RUN_NS (50 * NSEC_PER_MSEC)

enum { ENGINE_INDEX_NONE = -1 }; /* not balanced */

struct applicant {
    int engine_index;      /* or ENGINE_INDEX_NONE */
    int member;            /* its index among the members, or MEMBER_NONE */
    bool chosen;           /* the look under way is to take it */
    bool dismissed;        /* the look under way is to let go of it */
    bool suspended;        /* waits for another machine */
    bool resumes;          /* and was balanced on the last one */
    int64_t placed_ns;     /* since when it was found placed by the program; 0: it is not */
    int64_t placed_run_ns; /* its run time then */
};

/* For a thread that is no longer balanced, or refused; it stays the same member. */
static inline void applicant_reset(struct applicant *applicant)
{
    *applicant = (struct applicant){.engine_index = ENGINE_INDEX_NONE, .member = applicant->member};
}

static inline bool applicant_seems_placed(const struct applicant *applicant)
{
    return applicant->placed_ns > 0;
}

/* True if the thread is to be taken once the program has let go of it. */
static inline bool applicant_is_held_up(const struct applicant *applicant)
{
    return applicant->engine_index == ENGINE_INDEX_NONE && applicant_seems_placed(applicant) &&
           !applicant->dismissed;
}

/* Notes that the program seems to have placed the thread; true if it has done so for long. */
static inline bool applicant_placed_for_long(struct applicant *applicant, int64_t run_ns,
                                             int64_t now_ns)
{
    if (!applicant->placed_ns) {
        applicant->placed_ns = now_ns;
        applicant->placed_run_ns = run_ns;
    }
    return now_ns - applicant->placed_ns >= APPLICANT_PLACED_NS &&
           run_ns - applicant->placed_run_ns >= APPLICANT_PLACED_RUN_NS;
}

#endif
