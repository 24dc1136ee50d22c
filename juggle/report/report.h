/* SPDX-License-Identifier: BSD-3-Clause */
/* What juggle says at the end: how the threads came on, what balancing cost and what it brought. */
#ifndef JUGGLE_REPORT_H
#define JUGGLE_REPORT_H

#include "libjuggle/job/job.h"
#include "libjuggle/theory/prediction.h"

#include <stdio.h>

enum report_format {
    REPORT_TEXT,
    REPORT_JSON,
    REPORT_NONE,
};

/* Processor time that the program did not have, where that is known. */
struct taken {
    int64_t others_ns;      /* other programs on these processors, and the kernel for them */
    int64_t steal_ns;       /* the host of a virtual machine */
    int64_t throttled_ns;   /* the quota of the control group */
    double throttled_share; /* of the periods in which it ran, those in which that was used up */
    bool limited;           /* there is a quota */
    int64_t periods_count, throttled_count; /* of it: in which the program ran, and used it up */
    int64_t stopped_ns;       /* not processor time: how long the program was stopped */
    int64_t pinned_others_ns; /* of others_ns, on processors that the program bound threads to */
};

/* A program that ran before. */
struct attached {
    pid_t pid;
    struct comm comm; /* empty where that is not known */
};

struct report {
    char *const *command; /* ends with NULL; NULL when attached */
    const struct attached *attached;
    int attached_count;
    const char *job_name; /* of the service that balanced it instead, or NULL */
    const char *waiting;  /* the variables that the program was given, "none" */
    const char *trouble;  /* why nothing was balanced, or nothing is known; or NULL */
    int exit_status;      /* the program's */
    int death_signal;     /* that ended it, or 0 */
    int64_t elapsed_ns;   /* from the start of the program to its end */
    int64_t own_cpu_ns;   /* all that juggle itself used */
    int64_t program_ns;   /* and all that the program did */
    struct taken taken;
    int threads_expected; /* as asked for; 0: none */
    struct job_statistics statistics;
    const struct job_thread *threads;
    int threads_count;
};

/* Of nothing, nothing. */
static inline double share_of(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static inline double percent_of(int64_t part, int64_t whole)
{
    return 100 * share_of(part, whole);
}

/* Greatest less least progress among the threads; 0 for none. */
int64_t report_spread_ns(const struct report *report);

/* What theory says of the progress that was made, taken as one computation phase. False:
 * nothing. */
bool report_predict(const struct report *report, struct prediction *prediction);

enum { SIGNAL_NAME_SIZE = 24 };

/* Of the signal that ended the program: "SIGTERM", or "signal 40"; NULL for none. */
const char *report_signal(const struct report *report, char name[SIGNAL_NAME_SIZE]);

void report_print_text(const struct report *report, FILE *out);

/* -EIO when it could not be written whole, -ENOMEM. */
int report_print_json(const struct report *report, FILE *out) MUST_CHECK;

#endif
