/* SPDX-License-Identifier: BSD-3-Clause */
/* The report at the end of a run: how the threads came on, what balancing cost and what it
 * brought. */
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

/* Processor time that the program did not get, as far as it is known. */
struct taken {
    int64_t others_ns;    /* other programs on these processors, and the kernel for them */
    int64_t steal_ns;     /* the host of a virtual machine */
    int64_t throttled_ns; /* the quota of the control group */
    bool limited;         /* there is a quota */
    int64_t periods_count, throttled_count; /* periods of the quota in which the program ran, and
                                               those of them in which it was used up */
    int64_t stopped_ns;    /* elapsed time, not processor time, for which the program was stopped */
    int64_t bound_busy_ns; /* for how long processors that the program has bound threads to ran
                              anything */
};

/* A program that ran before juggle. */
struct attached {
    pid_t pid;
    struct comm comm; /* empty if not known */
};

struct report {
    char *const *command; /* ends with NULL; NULL when attached */
    const struct attached *attached;
    int attached_count;
    const char *job_name; /* job of the service, if that balanced it; or NULL */
    const char *waiting;  /* the variables that the program was given, or "none" */
    const char *trouble;  /* why nothing was balanced, or why nothing is known; or NULL */
    int exit_status;      /* the program's */
    int death_signal;     /* the signal that ended it, or 0 */
    int64_t elapsed_ns;   /* from the start of the program to its end */
    int64_t own_cpu_ns;   /* processor time that juggle itself used */
    int64_t program_ns;   /* processor time that the program used */
    struct taken taken;
    int threads_expected; /* as the user said; 0: not said */
    struct job_statistics statistics;
    const struct job_thread *threads;
    int threads_count;
};

/* 0 if `whole` is 0. */
static inline double share_of(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static inline double percent_of(int64_t part, int64_t whole)
{
    return 100 * share_of(part, whole);
}

/* How long the thread is known. */
static inline int64_t thread_life_ns(const struct job_thread *thread)
{
    return thread->run_ns + thread->wait_ns + thread->blocked_ns;
}

/* Sums over the threads of a report, and the least and the greatest progress; 0 without threads. */
struct thread_sums {
    int64_t run_ns, wait_ns, life_ns;
    int64_t progress_ns, least_ns, most_ns;
    int64_t slices_count;
};

struct thread_sums report_sums(const struct report *report);

/* Predicts how long the progress that was made should take, if it was one computation phase.
 * False if theory says nothing about it. */
bool report_predict(const struct report *report, struct prediction *prediction);

enum { SIGNAL_NAME_SIZE = 24 };

/* The name of the signal that ended the program, "SIGTERM" or "signal 40"; NULL if none did. */
const char *report_signal(const struct report *report, char name[SIGNAL_NAME_SIZE]);

void report_print_text(const struct report *report, FILE *out);

/* -EIO if it could not be written completely, -ENOMEM. */
int report_print_json(const struct report *report, FILE *out) MUST_CHECK;

#endif
