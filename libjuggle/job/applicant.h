/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that was found, on its way to being balanced. Pure.
 *
 * Programs that look at the machine bind themselves to each processor in turn for a moment, as
 * hwloc does in the initialization of MPI: a thread counts as placed by the program only when it
 * has been found so for a while, and has run meanwhile for more than such a look takes. */
#ifndef JUGGLE_JOB_APPLICANT_H
#define JUGGLE_JOB_APPLICANT_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

#define APPLICANT_PLACED_NS     (1 * NSEC_PER_SEC)
#define APPLICANT_PLACED_RUN_NS (50 * NSEC_PER_MSEC)

enum { ENGINE_INDEX_NONE = -1 }; /* not balanced */

struct applicant {
    int engine_index;      /* or ENGINE_INDEX_NONE */
    int member;            /* that it is or was, or MEMBER_NONE */
    bool chosen;           /* to be balanced, which the look under way comes to... */
    bool dismissed;        /* ...or to be let go of before that */
    bool suspended;        /* until there is another machine... */
    bool resumes;          /* ...and it had one on the last */
    int64_t placed_ns;     /* since when the program was found to have placed it; 0: it has not */
    int64_t placed_run_ns; /* what it had run then */
};

/* It is balanced no more, or refused. */
static inline void applicant_reset(struct applicant *applicant)
{
    *applicant = (struct applicant){.engine_index = ENGINE_INDEX_NONE, .member = applicant->member};
}

static inline bool applicant_seems_placed(const struct applicant *applicant)
{
    return applicant->placed_ns > 0;
}

/* It is to be taken once the program has let go of it. */
static inline bool applicant_is_held_up(const struct applicant *applicant)
{
    return applicant->engine_index == ENGINE_INDEX_NONE && applicant_seems_placed(applicant) &&
           !applicant->dismissed;
}

/* The program has placed the thread, for all that is seen; true if it has for long. */
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
