/* SPDX-License-Identifier: BSD-3-Clause */
/* In this order: finding the job or process that a call means; methods; monitors, which send one
 * picture after another. */
#include "juggled/talk/calls.h"

#include "juggled/talk/description.h"
#include "juggled/talk/refusal.h"
#include "juggled/talk/view.h"
#include "juggled/care/parameter.h"
#include "libjuggle/wish/wish_json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { REASON_SIZE = 512, PID_ALL = 1 };

/* The flag is needed because a pid of 1 may be the mistake of a script. */
static const char all_unsaid[] = "process 1 stands for all that runs here: to balance the whole "
                                 "machine, say 'all', too";

#define MONITOR_INTERVAL_NS     NSEC_PER_SEC
#define MONITOR_INTERVAL_MIN_NS (100 * NSEC_PER_MSEC)
#define MONITOR_INTERVAL_MAX_NS (3600 * NSEC_PER_SEC)

/* ---- whom a call means ---- */

/* Finds a job by NAME, which is one of the peer's own, or by UID/NAME. A job that the peer may
 * not see is treated as not existing. */
static struct service_job *job_find(const struct calls *calls, const struct credentials *peer,
                                    const char *text)
{
    char name[JOB_NAME_SIZE];
    const int length = strchr(text, '/')
                           ? snprintf(name, sizeof(name), "%s", text)
                           : snprintf(name, sizeof(name), "%u/%s", (unsigned)peer->uid, text);
    struct service_job *job = length < (int)sizeof(name) ? jobs_find(calls->jobs, name) : NULL;

    return job && credentials_allow(peer, service_job_uid(job)) ? job : NULL;
}

/* Finds a process that the peer may act on. -ESRCH for others, too: they are treated as not
 * existing. Decides as the kernel does when a process sets the mask of another one of its user,
 * except that a process with differing user ids is only for the privileged. Group ids do not
 * matter to the kernel. */
static int process_find(const struct calls *calls, const struct credentials *peer, pid_t pid,
                        struct process *process)
{
    uint64_t capabilities;
    int error = process_identify(calls->proc_fd, pid, process);

    if (error || peer->privileged)
        return error;
    if (peer->uid != process->uid || process->foreign)
        return -ESRCH;
    error = process_capabilities(calls->proc_fd, process, &capabilities);
    if (error || !(capabilities & ~peer->capabilities))
        return error;
    return peer->unknown ? peer->unknown : -ESRCH;
}

/* Identifies the peer's process again, because it may have become another user's since it
 * connected. -ESRCH: it has ended or may not join. */
static int peer_process(const struct calls *calls, const struct credentials *peer,
                        struct process *process)
{
    if (peer->unknown)
        return peer->unknown;
    if (!credentials_process_lives(peer))
        return -ESRCH;
    const int error = process_identify(calls->proc_fd, peer->process.pid, process);
    if (error)
        return error;
    return process_is(process, &peer->process) && process->uid == peer->uid && !process->foreign &&
                   !process->reserved
               ? 0
               : -ESRCH;
}

/* ---- methods ---- */

static json_t *jobs_to_json(const struct calls *calls, const struct credentials *peer)
{
    json_t *json = json_array();
    struct service_job *job;
    int cursor = 0;

    while ((job = jobs_next(calls->jobs, &cursor)))
        if (credentials_allow(peer, service_job_uid(job)))
            json_array_append_new(json, view_job(job));
    return json;
}

typedef json_t *method(const struct calls *calls, const struct credentials *peer,
                       json_t *parameters);

static json_t *answer_balance(const struct calls *calls, const struct credentials *peer,
                              json_t *parameters)
{
    char problem[JOB_PROBLEM_SIZE] = "";
    struct service_job *job = NULL;
    struct process process;
    uint64_t start_ticks;
    const char *field;
    struct wish wish;
    bool right, all;
    pid_t pid;

    const char *name = parameter_text(parameters, "name", &right);
    if (!right || (name && !join_name_is_right(name)))
        return refusal_parameter("name");
    if (!parameter_pid(parameters, &pid))
        return refusal_parameter("pid");
    if (!parameter_flag(parameters, "all", &all))
        return refusal_parameter("all");
    if (wish_from_json(json_object_get(parameters, "settings"), &wish, &field))
        return refusal_parameter(field);
    const bool exact = parameter_is_given(parameters, "start_ticks");
    if (exact && !parameter_start_ticks(parameters, &start_ticks))
        return refusal_parameter("start_ticks");
    int error = process_find(calls, peer, pid, &process);
    if (!error && exact && start_ticks != process.start_ticks)
        error = -ESRCH;
    if (error)
        return refusal_unexamined(error, pid);
    if (process.reserved || (pid == PID_ALL && !all))
        return refusal_cannot_balance(process.reserved ? process.reserved : all_unsaid);
    const struct service_job_request request = {
        .origin = ORIGIN_REQUEST, .name = name, .process = &process, .wish = &wish};
    error = jobs_add(calls->jobs, &request, problem, &job);
    return error ? refusal_add(error, job, &process, problem)
                 : reply_make(json_pack("{s:s}", "job", service_job_name(job)));
}

static json_t *joined(const struct service_job *job, const struct wish *wish)
{
    json_t *ignored = view_ignored(job, wish);
    json_t *reply = reply_make(json_pack("{s:s}", "job", service_job_name(job)));

    if (json_array_size(ignored))
        json_object_set(json_object_get(reply, "parameters"), "ignored", ignored);
    json_decref(ignored);
    return reply;
}

static json_t *answer_join(const struct calls *calls, const struct credentials *peer,
                           json_t *parameters)
{
    char problem[JOB_PROBLEM_SIZE] = "";
    struct service_job *job = NULL;
    struct process process;
    const char *field;
    struct wish wish;
    bool right;

    const char *name = parameter_text(parameters, "name", &right);
    if (!name || !join_name_is_right(name))
        return refusal_parameter("name");
    if (wish_from_json(json_object_get(parameters, "settings"), &wish, &field))
        return refusal_parameter(field);
    int error = peer_process(calls, peer, &process);
    if (error)
        return refusal_unexamined(error, peer->process.pid);
    const struct service_job_request request = {
        .origin = ORIGIN_JOIN, .name = name, .process = &process, .wish = &wish};
    error = jobs_add(calls->jobs, &request, problem, &job);
    if (error == -EEXIST && service_job_origin(job) == ORIGIN_JOIN)
        error = jobs_adopt(calls->jobs, job, &process, problem);
    return error ? refusal_add(error, job, &process, problem) : joined(job, &wish);
}

static json_t *answer_leave(const struct calls *calls, const struct credentials *peer,
                            json_t *parameters)
{
    int error = peer->unknown;

    (void)parameters;
    if (!error && (!credentials_process_lives(peer) || jobs_leave(calls->jobs, &peer->process)))
        error = -ESRCH;
    return error ? refusal_unexamined(error, peer->process.pid) : reply_make(NULL);
}

static json_t *released(const struct calls *calls, struct service_job *job)
{
    json_t *reply = reply_make(json_pack("{s:[s]}", "jobs", service_job_name(job)));

    jobs_release(calls->jobs, job);
    return reply;
}

static json_t *answer_release(const struct calls *calls, const struct credentials *peer,
                              json_t *parameters)
{
    struct process process;
    pid_t pid;
    bool right;
    const char *job_name = parameter_text(parameters, "job", &right);

    if (!right)
        return refusal_parameter("job");
    if (job_name) {
        struct service_job *job = job_find(calls, peer, job_name);
        return job ? released(calls, job) : refusal_no_job(job_name);
    }
    if (!parameter_pid(parameters, &pid))
        return refusal_parameter("pid");
    const int error = process_identify(calls->proc_fd, pid, &process);
    struct service_job *job = error ? NULL : jobs_find_process(calls->jobs, &process);
    return job && credentials_allow(peer, service_job_uid(job))
               ? released(calls, job)
               : refusal_unexamined(error ? error : -ESRCH, pid);
}

static json_t *answer_release_all(const struct calls *calls, const struct credentials *peer,
                                  json_t *parameters)
{
    const bool one = parameter_is_given(parameters, "uid");
    json_t *released = json_array();
    struct service_job *job;
    int cursor = 0;
    int64_t uid = 0;

    /* -1 is no uid: for chown(2) and setresuid(2) it means "unchanged". */
    if (one && !parameter_integer(parameters, "uid", 0, (int64_t)(uid_t)-1 - 1, &uid)) {
        json_decref(released);
        return refusal_parameter("uid");
    }
    while ((job = jobs_next(calls->jobs, &cursor))) {
        if (!credentials_allow(peer, service_job_uid(job)) || (one && service_job_uid(job) != uid))
            continue;
        json_array_append_new(released, json_string(service_job_name(job)));
        jobs_release(calls->jobs, job);
    }
    return reply_make(json_pack("{s:o}", "jobs", released));
}

static json_t *refuse_unprivileged(const struct calls *calls, const char *what)
{
    char reason[REASON_SIZE];

    if (calls->admin_group)
        snprintf(reason, sizeof(reason), "only root and the group %s may %s", calls->admin_group,
                 what);
    else
        snprintf(reason, sizeof(reason), "only root may %s", what);
    return refusal_not_permitted(reason);
}

static json_t *pause_set(const struct calls *calls, const struct credentials *peer, bool paused)
{
    if (!peer->privileged)
        return refuse_unprivileged(calls, paused ? "pause the service" : "resume the service");
    jobs_pause(calls->jobs, paused);
    return reply_make(NULL);
}

static json_t *answer_pause(const struct calls *calls, const struct credentials *peer,
                            json_t *parameters)
{
    (void)parameters;
    return pause_set(calls, peer, true);
}

static json_t *answer_resume(const struct calls *calls, const struct credentials *peer,
                             json_t *parameters)
{
    (void)parameters;
    return pause_set(calls, peer, false);
}

static json_t *answer_jobs(const struct calls *calls, const struct credentials *peer,
                           json_t *parameters)
{
    (void)parameters;
    return reply_make(json_pack("{s:o}", "jobs", jobs_to_json(calls, peer)));
}

static json_t *answer_threads(const struct calls *calls, const struct credentials *peer,
                              json_t *parameters)
{
    bool right;
    const char *job_name = parameter_text(parameters, "job", &right);
    struct service_job *job = job_name ? job_find(calls, peer, job_name) : NULL;

    if (!job_name)
        return refusal_parameter("job");
    if (!job)
        return refusal_no_job(job_name);
    return reply_make(json_pack("{s:o}", "threads", view_threads(job)));
}

static json_t *answer_statistics(const struct calls *calls, const struct credentials *peer,
                                 json_t *parameters)
{
    (void)parameters;
    return reply_make(json_pack("{s:o}", "service", calls->statistics(calls->context, peer)));
}

static json_t *answer_monitor(const struct calls *calls, const struct credentials *peer,
                              json_t *parameters)
{
    int64_t interval_ns = MONITOR_INTERVAL_NS;
    bool right;
    const char *job_name = parameter_text(parameters, "job", &right);
    struct service_job *job = job_name ? job_find(calls, peer, job_name) : NULL;

    if (!right)
        return refusal_parameter("job");
    if (parameter_is_given(parameters, "interval_ns") &&
        !parameter_integer(parameters, "interval_ns", MONITOR_INTERVAL_MIN_NS,
                           MONITOR_INTERVAL_MAX_NS, &interval_ns))
        return refusal_parameter("interval_ns");
    if (job_name && !job)
        return refusal_no_job(job_name);
    if (!job)
        return reply_make(json_pack("{s:o, s:[]}", "jobs", jobs_to_json(calls, peer), "threads"));
    return reply_make(
        json_pack("{s:[o], s:o}", "jobs", view_job(job), "threads", view_threads(job)));
}

static json_t *answer_reload(const struct calls *calls, const struct credentials *peer,
                             json_t *parameters)
{
    char reason[REASON_SIZE];

    (void)parameters;
    if (!peer->privileged)
        return refuse_unprivileged(calls, "reload");
    int error = calls->reload(calls->context, reason, sizeof(reason));
    if (error == -EINVAL)
        return refusal_text(JUGGLE_INTERFACE ".InvalidConfiguration", "reason", reason);
    return error ? refusal_not_permitted("there is no configuration here") : reply_make(NULL);
}

static json_t *answer_set_period(const struct calls *calls, const struct credentials *peer,
                                 json_t *parameters)
{
    char problem[JOB_PROBLEM_SIZE] = "";
    int64_t period_ns;
    bool right;
    const char *job_name = parameter_text(parameters, "job", &right);
    struct service_job *job = job_name ? job_find(calls, peer, job_name) : NULL;

    if (!job_name)
        return refusal_parameter("job");
    if (!parameter_integer(parameters, "period_ns", 0, PERIOD_MAX_NS, &period_ns) ||
        (period_ns && period_ns < PERIOD_MIN_NS))
        return refusal_parameter("period_ns");
    if (!job)
        return refusal_no_job(job_name);
    int error = jobs_period(calls->jobs, job, period_ns, problem);
    return error ? refusal_cannot_balance(problem) : reply_make(NULL);
}

enum { PARAMETERS_MAX = 5 };

static const struct {
    const char *name;
    method *answer;
    const char *parameters[PARAMETERS_MAX + 1]; /* ends with NULL */
} methods[] = {
    {"Balance", answer_balance, {"pid", "start_ticks", "name", "settings", "all"}},
    {"Join", answer_join, {"name", "settings"}},
    {"Leave", answer_leave, {NULL}},
    {"Release", answer_release, {"job", "pid"}},
    {"Jobs", answer_jobs, {NULL}},
    {"Threads", answer_threads, {"job"}},
    {"Statistics", answer_statistics, {NULL}},
    {"Monitor", answer_monitor, {"job", "interval_ns"}},
    {"Reload", answer_reload, {NULL}},
    {"SetPeriod", answer_set_period, {"job", "period_ns"}},
    {"ReleaseAll", answer_release_all, {"uid"}},
    {"Pause", answer_pause, {NULL}},
    {"Resume", answer_resume, {NULL}},
};

json_t *calls_answer(const struct calls *calls, const struct credentials *peer,
                     const struct call *call)
{
    json_t *message;

    if (calls->own_user_only && peer->uid != geteuid() && !peer->privileged)
        return refusal_not_permitted("this is the coordinator of another user");
    if (description_answers(call, &message))
        return message;
    const char *name = strrchr(call->method, '.') + 1;
    for (size_t i = 0; i < ARRAY_COUNT(methods); i++) {
        if (strcmp(name, methods[i].name) != 0)
            continue;
        const char *unknown = parameter_unknown(call->parameters, methods[i].parameters);
        return unknown ? refusal_parameter(unknown)
                       : methods[i].answer(calls, peer, call->parameters);
    }
    return description_error("MethodNotFound", "method", call->method);
}

/* ---- monitors ---- */

bool calls_monitor(const struct call *call, const json_t *answer, struct monitor *monitor)
{
    const json_t *jobs = json_object_get(json_object_get(answer, "parameters"), "jobs");
    const bool one = parameter_is_given(call->parameters, "job");
    const json_t *job_name = json_object_get(json_array_get(jobs, 0), "job");

    if (!call->more || strcmp(call->method, JUGGLE_INTERFACE ".Monitor") != 0 || !jobs)
        return false;
    *monitor = (struct monitor){.interval_ns = MONITOR_INTERVAL_NS};
    (void)parameter_integer(call->parameters, "interval_ns", MONITOR_INTERVAL_MIN_NS,
                            MONITOR_INTERVAL_MAX_NS, &monitor->interval_ns);
    if (one && job_name)
        snprintf(monitor->job_name, sizeof(monitor->job_name), "%s", json_string_value(job_name));
    return true;
}

json_t *calls_picture(const struct calls *calls, const struct credentials *peer,
                      const struct monitor *monitor, bool *ended)
{
    json_t *parameters = *monitor->job_name ? json_pack("{s:s}", "job", monitor->job_name)
                                            : json_object();
    json_t *message = answer_monitor(calls, peer, parameters);

    json_decref(parameters);
    *ended = !message || json_object_get(message, "error");
    return message;
}
