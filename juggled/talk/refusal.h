/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors that calls are answered with, as messages; NULL without memory, as all. */
#ifndef JUGGLE_JUGGLED_REFUSAL_H
#define JUGGLE_JUGGLED_REFUSAL_H

#include "juggled/care/process.h"
#include "juggled/care/service_job.h"
#include "libjuggle/varlink/message.h"

/* One with one argument, whose text may quote what a process is called. */
json_t *refusal_text(const char *error, const char *argument, const char *text);

json_t *refusal_no_job(const char *job_name);
json_t *refusal_no_process(json_int_t pid);
json_t *refusal_not_permitted(const char *reason);
json_t *refusal_cannot_balance(const char *reason);
/* It is not usable, or unknown. */
json_t *refusal_parameter(const char *parameter);
/* Why jobs_add or jobs_adopt did not take a process; `holder` is the job that has it, or its name.
 */
json_t *refusal_add(int error, const struct service_job *holder, const struct process *process,
                    const char *problem);

#endif
