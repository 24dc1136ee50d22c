/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of the service, and its errors as a person would say them. */
#ifndef JUGGLECTL_ASKING_H
#define JUGGLECTL_ASKING_H

#include "libjuggle/varlink/client.h"
#include "libjuggle/wish/wish.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#define JUGGLECTL "jugglectl"

struct settings {
    const char *socket;
    const char *name;
    struct wish wish; /* of attach */
    const char *user;
    bool all;
    bool json;
};

struct context {
    const struct settings *settings;
    struct varlink_client *client; /* NULL until something is asked */
};

/* Prints one line on stderr; with --json as JSON, with the service's error if there is a reply. All
 * complaints of jugglectl go through it. */
void complain_reply(const struct settings *settings, const struct reply *reply, const char *format,
                    ...) __attribute__((format(printf, 3, 4)));
#define complain_of(settings, ...) complain_reply((settings), NULL, __VA_ARGS__)

/* Ends a Monitor call. `last` is the last reply, which is released; `error` is a failure to read
 * one. Complains if it failed, and returns the exit status. */
int watched(const struct context *context, struct reply *last, int error);

/* Like client_call, but the first call connects, and failures are reported. */
int call_send(struct context *context, const char *method, json_t *parameters,
              bool more) MUST_CHECK;
/* Calls and reads the reply, which may be an error of the service. If there is no reply,
 * complains. */
int reply_to(struct context *context, const char *method, json_t *parameters,
             struct reply *reply) MUST_CHECK;
/* Returns the parameters of the reply, which the caller releases; NULL after a complaint.
 * Releases the reply. */
json_t *answer_of(const struct context *context, struct reply *reply);
/* reply_to, then answer_of. */
json_t *ask(struct context *context, const char *method, json_t *parameters);

/* Prints a field of the answer, or with --json all of it, and releases the answer. Returns the
 * exit status. A NULL answer means that a complaint has been printed. */
int show(const struct context *context, json_t *answer, const char *field,
         void (*print)(const json_t *, FILE *));
void print_json(const json_t *json);

#endif
