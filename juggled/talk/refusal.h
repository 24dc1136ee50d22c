/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the errors with which calls are answered. All functions return NULL if there is no
 * memory. */
#ifndef JUGGLE_JUGGLED_REFUSAL_H
#define JUGGLE_JUGGLED_REFUSAL_H

#include "juggled/care/process.h"
#include "juggled/care/service_job.h"
#include "libjuggle/varlink/message.h"

/* An error with one argument, whose text may contain the name of a process. */
json_t *refusal_text(const char *error, const char *argument, const char *text);

json_t *refusal_no_job(const char *job_name);
/* The error for a process that could not be found, or examined. pid 0: the caller's. */
json_t *refusal_unexamined(int error, pid_t pid);
json_t *refusal_not_permitted(const char *reason);
json_t *refusal_cannot_balance(const char *reason);
/* A parameter is not usable, or unknown. */
json_t *refusal_parameter(const char *parameter);
/* The error for a failure of jobs_add or jobs_adopt. `holder` is the job that has the process,
 * or its name. */
json_t *refusal_add(int error, const struct service_job *holder, const struct process *process,
                    const char *problem);

#endif
