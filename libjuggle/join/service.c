/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/join/service.h"

#include "libjuggle/wish/wish_json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The wish as the type Settings of the service's interface. */
static json_t *settings_of(const struct wish *wish)
{
    return wish ? wish_to_json(wish) : json_object();
}

/* Writes the name of the service's error and its details to `problem`. Returns the nearest errno,
 * negative. */
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
    if (json_is_true(json_object_get(reply->parameters, "again")))
        return -EXFULL;
    for (size_t i = 0; i < ARRAY_COUNT(errors); i++)
        if (!strcmp(name, errors[i].name))
            return errors[i].error;
    return -ECANCELED;
}

/* Writes "threads, period_ns", leaving out names that do not fit. */
static void ignored_tell(const json_t *names, char ignored[JOIN_PROBLEM_SIZE])
{
    size_t i, used = 0;
    const json_t *name;

    *ignored = '\0';
    json_array_foreach(names, i, name)
    {
        const char *text = json_string_value(name);
        if (text && used + strlen(text) + 3 < JOIN_PROBLEM_SIZE)
            used += (size_t)snprintf(ignored + used, JOIN_PROBLEM_SIZE - used, "%s%s",
                                     used ? ", " : "", text);
    }
}

/* `ignored` may be NULL. */
static int ask(struct varlink_client *client, const char *method, json_t *parameters, char *job,
               char *ignored, char *problem)
{
    struct reply reply;
    int error = client_call(client, method, parameters, false);

    if (!error)
        error = client_reply(client, &reply);
    if (error) {
        snprintf(problem, JOIN_PROBLEM_SIZE, "the service does not answer: %s",
                 client_problem(error));
        return error;
    }
    const char *name = json_string_value(json_object_get(reply.parameters, "job"));
    if (reply.error)
        error = refusal_tell(&reply, problem);
    else
        snprintf(job, SERVICE_NAME_SIZE, "%s", name ? name : "");
    if (!reply.error && ignored)
        ignored_tell(json_object_get(reply.parameters, "ignored"), ignored);
    reply_release(&reply);
    return error;
}

int service_balance(struct varlink_client *client, pid_t pid, const struct wish *wish,
                    char job[SERVICE_NAME_SIZE], char problem[JOIN_PROBLEM_SIZE])
{
    json_t *parameters = json_pack("{s:i, s:o}", "pid", (int)pid, "settings", settings_of(wish));

    return ask(client, JUGGLE_INTERFACE ".Balance", parameters, job, NULL, problem);
}

int service_join(struct varlink_client *client, const char *name, const struct wish *wish,
                 char job[SERVICE_NAME_SIZE], char ignored[JOIN_PROBLEM_SIZE],
                 char problem[JOIN_PROBLEM_SIZE])
{
    json_t *parameters = json_pack("{s:s, s:o}", "name", name, "settings", settings_of(wish));

    return ask(client, JUGGLE_INTERFACE ".Join", parameters, job, ignored, problem);
}

void service_release(struct varlink_client *client, const char *job)
{
    char ignored[SERVICE_NAME_SIZE], problem[JOIN_PROBLEM_SIZE];

    (void)!ask(client, JUGGLE_INTERFACE ".Release", json_pack("{s:s}", "job", job), ignored, NULL,
               problem);
}

int service_leave(struct varlink_client *client)
{
    char ignored[SERVICE_NAME_SIZE], problem[JOIN_PROBLEM_SIZE];

    return ask(client, JUGGLE_INTERFACE ".Leave", NULL, ignored, NULL, problem);
}
