/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/resumption.h"

#include "juggled/log.h"
#include "juggled/care/record.h"
#include "juggled/rules/trusted.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY_SIZE = RECORD_FIELD_SIZE + 16 };

struct resumption {
    struct jobs *jobs;
    struct store *store;
    int proc_fd;
};

/* Identifies a recorded process again. -ESRCH: it has ended, or it has another user by now or
 * must not be balanced. */
static int process_again(int proc_fd, const struct process *recorded, uid_t uid,
                         struct process *process)
{
    int error = process_identify(proc_fd, recorded->pid, process);

    if (error)
        return error;
    const bool same = process_is(process, recorded) && process->uid == uid;
    return same && !process->foreign && !process->reserved ? 0 : -ESRCH;
}

/* Makes the job with the first living process; adopts the others. */
static int process_resume(const struct resumption *resumption, const struct job_record *record,
                          const struct process *recorded, char problem[JOB_PROBLEM_SIZE],
                          struct service_job **job)
{
    struct process process;
    struct service_job *made = NULL;
    int error = process_again(resumption->proc_fd, recorded, record->uid, &process);

    if (error)
        return error;
    if (*job)
        return jobs_adopt(resumption->jobs, *job, &process, problem);
    const struct service_job_request request = {.origin = record->origin,
                                                .name = record->name,
                                                .process = &process,
                                                .wish = &record->wish,
                                                .resuming = true};
    error = jobs_add(resumption->jobs, &request, problem, &made);
    if (!error)
        *job = made;
    return error;
}

/* Returns the error that kept a process from being resumed, or 0; a process that has ended is no
 * error. */
static int job_resume(const struct resumption *resumption, const struct job_record *record,
                      char problem[JOB_PROBLEM_SIZE], struct service_job **job)
{
    int failed = 0;

    *problem = '\0';
    for (int i = 0; i < record->processes.count; i++) {
        const int error = process_resume(resumption, record, &record->processes.list[i], problem,
                                         job);
        if (error && error != -ESRCH && !trusted_is_passing(failed))
            failed = error;
    }
    return failed;
}

static bool record_resume(const struct resumption *resumption, const char *job_name,
                          const struct job_record *record)
{
    char problem[JOB_PROBLEM_SIZE];
    struct service_job *job = NULL;
    int error = job_resume(resumption, record, problem, &job);

    if (error)
        log_tell(LOG_WARNING, job_name, "%s is not managed again%s: %s",
                 job ? "a process of it" : "this job",
                 !job && trusted_is_passing(error) ? " before the next start" : "",
                 *problem ? problem : strerror(-error));
    if (job)
        service_job_resumed(job);
    else if (!trusted_is_passing(error))
        store_forget(resumption->store, job_name);
    return job;
}

static bool file_resume(const struct resumption *resumption, const char *file,
                        struct job_record *record)
{
    char job_name[STORE_JOB_SIZE], field[RECORD_FIELD_SIZE], why[WHY_SIZE];
    size_t length;
    char *text;

    int error = store_read(resumption->store, file, job_name, &text, &length);
    if (trusted_is_passing(error)) {
        log_tell(LOG_WARNING, NULL, "the record %s is left to the next start: %s", file,
                 strerror(-error));
        return false;
    }
    if (error) {
        store_refuse(resumption->store, file, trusted_problem(error));
        return false;
    }
    error = record_parse(job_name, text, length, record, field);
    free(text);
    if (error) {
        snprintf(why, sizeof(why), "'%s' is wrong", field);
        store_refuse(resumption->store, file, why);
        return false;
    }
    return record_resume(resumption, job_name, record);
}

int resumption_run(struct jobs *jobs, struct store *store, int proc_fd)
{
    const struct resumption resumption = {jobs, store, proc_fd};
    struct job_record *record = malloc(sizeof(*record)); /* 23 KB */
    json_t *files = NULL;
    int resumed = 0;
    const json_t *file;
    size_t i;

    const int error = record ? store_files(store, &files) : -ENOMEM;
    if (error)
        log_tell(LOG_WARNING, NULL, "all records are left to the next start: %s", strerror(-error));
    json_array_foreach(files, i, file)
        resumed += file_resume(&resumption, json_string_value(file), record);
    json_decref(files);
    free(record);
    return resumed;
}
