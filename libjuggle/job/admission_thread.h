/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of the admission and the functions that admission.c and admission_thread.c share.
 * Internal to them. */
#ifndef JUGGLE_JOB_ADMISSION_THREAD_H
#define JUGGLE_JOB_ADMISSION_THREAD_H

#include "libjuggle/job/admission.h"
#include "libjuggle/job/allowance.h"
#include "libjuggle/job/applicant.h"
#include "libjuggle/job/ownership.h"
#include "libjuggle/linux/clock.h"

/* A balanced thread, by its index in the engine. */
struct balanced {
    bool used;
    int index; /* in the roster */
    struct job_thread thread;
};

/* The stages of a look. A look that is interrupted goes on where it was. */
enum look_stage { FINDING, OBSERVING, TAKING };

struct admission {
    struct fault fault;
    struct parts *parts;
    struct job_listener listener;
    struct ownership ownership;
    struct shortfall shortfall; /* so far */
    bool guarded;
    int engine_limit;      /* indexes ever used are below; memory of others is not touched */
    enum look_stage stage; /* of the look under way */
    int at;                /* the next index in the roster in this stage */
    int checked;           /* cursor of a check: indexes below were checked */
    int retried;           /* cursor of another attempt to take threads: those below were tried */
    int64_t retry_ns;      /* when the next attempt is due; INT64_MAX: no thread seems placed */
    struct allowance retries;
    struct members *members;
    struct tally *tally;
    struct balanced *balanced;    /* by index in the engine */
    struct applicant *applicants; /* by index in the roster; set at the first arrival there */
};

void admission_tell(const struct admission *admission, enum job_news news,
                    const struct thread_info *info);
const struct thread_info *admission_thread_at(const struct admission *admission, int index);

/* Takes the thread, by its index in the roster, into the engine. True if it is balanced from now
 * on; else the listener is told why not, or it is tried again. */
bool thread_take(struct admission *admission, int index, int64_t now_ns);
void thread_leave(struct admission *admission, int index, enum member_state state);
/* Updates what the policy sees of the thread, for the report. */
void member_refresh(struct admission *admission, int engine_index);

/* False: it is another user's now, and was let go of. */
bool thread_is_allowed(struct admission *admission, int index, const struct thread_info *info);

/* As thread_take, and tells that it has joined. */
void thread_admit(struct admission *admission, int index, int64_t now_ns);
/* Releases a thread, balanced or not, that has ended or is no longer to be balanced. */
void thread_release(struct admission *admission, int index, const struct thread_info *info,
                    enum member_state state);

#endif
