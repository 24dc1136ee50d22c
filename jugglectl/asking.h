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

/* One line on stderr, of JSON where that is wanted: all that jugglectl complains of. */
void complain_of(const struct settings *settings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* How watching ended, by the last reply, which is released, or an error: complains, and returns the
 * status to exit with. */
int watched(const struct context *context, struct reply *last, int error);

/* See client_call; the first one connects. That it fails is complained of. */
int call_send(struct context *context, const char *method, json_t *parameters,
              bool more) MUST_CHECK;
/* The reply, an error of the service among them; that there is none is complained of. */
int reply_to(struct context *context, const char *method, json_t *parameters,
             struct reply *reply) MUST_CHECK;
/* Its parameters, to be released; NULL after a complaint. Releases the reply. */
json_t *answer_of(const struct context *context, struct reply *reply);
/* Both. */
json_t *ask(struct context *context, const char *method, json_t *parameters);

/* Prints a field of the answer, or all of it as JSON, and releases it. The status to exit with; a
 * NULL answer has been complained of. */
int show(const struct context *context, json_t *answer, const char *field,
         void (*print)(const json_t *, FILE *));
void print_json(const json_t *json);

#endif
