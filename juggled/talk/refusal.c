/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/talk/refusal.h"

#include "cli/foreign.h"
#include "juggled/talk/description.h"
#include "libjuggle/linux/problem.h"

#include <errno.h>
#include <string.h>

enum { REASON_SIZE = 128 };

json_t *refusal_text(const char *error, const char *argument, const char *text)
{
    const struct foreign said = {text}; /* may not be UTF-8 */

    return error_make(error, json_pack("{s:s}", argument, FOREIGN(said)));
}

json_t *refusal_no_job(const char *job_name)
{
    return refusal_text(JUGGLE_INTERFACE ".NoSuchJob", "job", job_name);
}

json_t *refusal_unexamined(int error, pid_t pid)
{
    char reason[REASON_SIZE];

    if (error == -ESRCH)
        return error_make(JUGGLE_INTERFACE ".NoSuchProcess", json_pack("{s:i}", "pid", (int)pid));
    if (pid)
        problem_of(reason, sizeof(reason), error, "the service cannot examine process %d",
                   (int)pid);
    else
        problem_of(reason, sizeof(reason), error, "the service cannot examine who calls");
    return refusal_text(JUGGLE_INTERFACE ".LimitReached", "reason", reason);
}

json_t *refusal_not_permitted(const char *reason)
{
    return refusal_text(JUGGLE_INTERFACE ".NotPermitted", "reason", reason);
}

json_t *refusal_cannot_balance(const char *reason)
{
    return refusal_text(JUGGLE_INTERFACE ".CannotBalance", "reason", reason);
}

json_t *refusal_parameter(const char *parameter)
{
    return description_error("InvalidParameter", "parameter", parameter);
}

json_t *refusal_add(int error, const struct service_job *holder, const struct process *process,
                    const char *problem)
{
    if (error == -EUSERS)
        return refusal_text(JUGGLE_INTERFACE ".LimitReached", "reason", problem);
    if (*problem)
        return refusal_cannot_balance(problem);
    switch (error) {
    case -EEXIST:
    case -EBUSY:
        return refusal_text(JUGGLE_INTERFACE ".AlreadyBalanced", "job", service_job_name(holder));
    case -ESRCH:
        return refusal_unexamined(error, process->pid);
    default:
        return refusal_cannot_balance(strerror(-error));
    }
}
