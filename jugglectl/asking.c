/* SPDX-License-Identifier: BSD-3-Clause */
#include "jugglectl/asking.h"

#include "cli/foreign.h"
#include "cli/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void complain_reply(const struct settings *settings, const struct reply *reply, const char *format,
                    ...)
{
    char words[FOREIGN_LINE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    foreign_format(words, format, arguments);
    va_end(arguments);
    if (!settings->json) {
        complain(JUGGLECTL, "%s", words);
        return;
    }
    json_t *json = json_pack("{s:s, s:s?, s:O?}", "message", words, "error",
                             reply ? reply->error : NULL, "parameters",
                             reply ? reply->parameters : NULL);
    json_dumpf(json, stderr, JSON_COMPACT | JSON_ENSURE_ASCII);
    fputc('\n', stderr);
    json_decref(json);
}

/* The service's error, as a person would say it. */
static void complain_error(const struct settings *settings, const struct reply *reply)
{
    static const struct {
        const char *name;
        const char *field;
        const char *words;
    } errors[] = {
        {"NoSuchJob", "job", "there is no job '%s'"},
        {"AlreadyBalanced", "job", "job '%s' has this process or this name already"},
        {"NotPermitted", "reason", "%s"},
        {"LimitReached", "reason", "%s"},
        {"CannotBalance", "reason", "cannot balance: %s"},
        {"InvalidConfiguration", "reason", "%s"},
        {"InvalidParameter", "parameter", "'%s' is not usable"},
    };
    const char *name = strrchr(reply->error, '.');
    const json_int_t pid = json_integer_value(json_object_get(reply->parameters, "pid"));

    name = name ? name + 1 : reply->error;
    if (!strcmp(name, "NoSuchProcess")) {
        complain_reply(settings, reply, "there is no process %lld of yours", (long long)pid);
        return;
    }
    for (size_t i = 0; i < ARRAY_COUNT(errors); i++) {
        const json_t *field = json_object_get(reply->parameters, errors[i].field);
        const struct foreign said = {.untrusted = json_string_value(field)};
        if (strcmp(name, errors[i].name) != 0 || !said.untrusted)
            continue;
        complain_reply(settings, reply, errors[i].words, FOREIGN(said));
        return;
    }
    complain_reply(settings, reply, "the service says %s", reply->error);
}

int watched(const struct context *context, struct reply *last, int error)
{
    const bool failed = error || last->error;

    if (error)
        complain_of(context->settings, "the service answers no more: %s", client_problem(error));
    else if (failed)
        complain_error(context->settings, last);
    reply_release(last);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* The hint is needed because the package neither enables nor starts the service. */
static void complain_unreachable(const struct settings *settings, int error)
{
    const bool is_off = !strcmp(settings->socket, CLIENT_SOCKET) &&
                        (error == -ENOENT || error == -ECONNREFUSED);

    complain_of(settings, "cannot reach juggled at %s%s: %s", settings->socket,
                is_off ? " (start it with 'systemctl start juggled.socket')" : "",
                client_problem(error));
}

int call_send(struct context *context, const char *method, json_t *parameters, bool more)
{
    int error = context->client ? 0 : client_connect(context->settings->socket, &context->client);

    if (error) {
        complain_unreachable(context->settings, error);
        json_decref(parameters);
        return error;
    }
    error = client_call(context->client, method, parameters, more);
    if (error)
        complain_of(context->settings, "the service does not answer: %s", client_problem(error));
    return error;
}

int reply_to(struct context *context, const char *method, json_t *parameters, struct reply *reply)
{
    int error = call_send(context, method, parameters, false);

    if (error)
        return error;
    error = client_reply(context->client, reply);
    if (error)
        complain_of(context->settings, "the service does not answer: %s", client_problem(error));
    return error;
}

json_t *answer_of(const struct context *context, struct reply *reply)
{
    json_t *answer = reply->error ? NULL : json_incref(reply->parameters);

    if (reply->error)
        complain_error(context->settings, reply);
    reply_release(reply);
    return answer;
}

json_t *ask(struct context *context, const char *method, json_t *parameters)
{
    struct reply reply;

    return reply_to(context, method, parameters, &reply) ? NULL : answer_of(context, &reply);
}

void print_json(const json_t *json)
{
    json_dumpf(json, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
    putchar('\n');
}

int show(const struct context *context, json_t *answer, const char *field,
         void (*print)(const json_t *, FILE *))
{
    if (!answer)
        return EXIT_FAILURE;
    if (context->settings->json)
        print_json(answer);
    else if (print)
        print(json_object_get(answer, field), stdout);
    json_decref(answer);
    return EXIT_SUCCESS;
}
