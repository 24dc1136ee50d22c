/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/join/service.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void put_text(json_t *json, const char *name, const char *text)
{
    if (text)
        json_object_set_new(json, name, json_string(text));
}

/* As the interface's Settings. */
static json_t *settings_of(const struct job_options *options)
{
    if (!options)
        return json_object();
    json_t *json = json_pack("{s:s, s:b, s:b}", "policy", policy_kind_name(options->policy.kind),
                             "inter_domain", options->inter_domain, "override", options->override);

    if (options->threads_expected)
        json_object_set_new(json, "threads", json_integer(options->threads_expected));
    if (options->policy.period_ns)
        json_object_set_new(json, "period_ns", json_integer(options->policy.period_ns));
    if (options->idle_threads != WORKERS_IDLE_AUTO)
        json_object_set_new(json, "idle", json_integer(options->idle_threads));
    put_text(json, "cpus", options->cpus);
    put_text(json, "domains", options->domains);
    put_text(json, "idle_comm", options->idle_comm);
    put_text(json, "match", options->match);
    return json;
}

/* What the error says beside its name, and the number nearest to it. */
static int refusal_tell(const struct reply *reply, char *problem)
{
    static const char *const fields[] = {"reason", "job", "parameter"};
    static const struct {
        const char *name;
        int error;
    } errors[] = {
        {"AlreadyBalanced", -EBUSY},
        {"InvalidParameter", -EINVAL},
        {"LimitReached", -EUSERS},
        {"NotPermitted", -EPERM},
    };
    const char *name = strrchr(reply->error, '.');
    const char *words = "";

    name = name ? name + 1 : reply->error;
    for (size_t i = 0; i < ARRAY_COUNT(fields) && !*words; i++) {
        const char *value = json_string_value(json_object_get(reply->parameters, fields[i]));
        words = value ? value : "";
    }
    snprintf(problem, JOIN_PROBLEM_SIZE, "the service says %s%s%s", name, *words ? ": " : "",
             words);
    for (size_t i = 0; i < ARRAY_COUNT(errors); i++)
        if (!strcmp(name, errors[i].name))
            return errors[i].error;
    return -ECANCELED;
}

static int ask(struct client *client, const char *method, json_t *parameters, char *job,
               char *problem)
{
    struct reply reply;
    int error = client_call(client, method, parameters, false);

    if (!error)
        error = client_reply(client, &reply);
    if (error) {
        snprintf(problem, JOIN_PROBLEM_SIZE, "the service does not answer: %s", strerror(-error));
        return error;
    }
    const char *name = json_string_value(json_object_get(reply.parameters, "job"));
    if (reply.error)
        error = refusal_tell(&reply, problem);
    else
        snprintf(job, SERVICE_NAME_SIZE, "%s", name ? name : "");
    reply_release(&reply);
    return error;
}

int service_balance(struct client *client, pid_t pid, const struct job_options *options,
                    char job[SERVICE_NAME_SIZE], char problem[JOIN_PROBLEM_SIZE])
{
    json_t *parameters = json_pack("{s:i, s:o}", "pid", (int)pid, "settings", settings_of(options));

    return ask(client, JUGGLE_INTERFACE ".Balance", parameters, job, problem);
}

int service_join(struct client *client, const char *name, const struct job_options *options,
                 char job[SERVICE_NAME_SIZE], char problem[JOIN_PROBLEM_SIZE])
{
    json_t *parameters = json_pack("{s:s, s:o}", "name", name, "settings", settings_of(options));

    return ask(client, JUGGLE_INTERFACE ".Join", parameters, job, problem);
}

static void tell(struct client *client, const char *method, json_t *parameters)
{
    struct reply reply;

    if (!client_call(client, method, parameters, false) && !client_reply(client, &reply))
        reply_release(&reply);
}

void service_release(struct client *client, const char *job)
{
    tell(client, JUGGLE_INTERFACE ".Release", json_pack("{s:s}", "job", job));
}

void service_leave(struct client *client)
{
    tell(client, JUGGLE_INTERFACE ".Leave", NULL);
}
