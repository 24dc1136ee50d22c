/* SPDX-License-Identifier: BSD-3-Clause */
/* Varlink's messages as JSON: calls, replies and errors. Pure. */
#ifndef JUGGLE_VARLINK_MESSAGE_H
#define JUGGLE_VARLINK_MESSAGE_H

#include "libjuggle/ground/units.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The interface that calls are made to and errors come from. */
#define JUGGLE_INTERFACE "io.juggle"

struct call {
    json_t *message;    /* owns all below */
    const char *method; /* "io.juggle.Jobs" */
    json_t *parameters; /* an object */
    bool more;          /* the caller takes several replies */
    bool oneway;        /* the caller takes no reply */
};

/* -EBADMSG: the text is no call. */
int call_parse(const char *text, size_t length, struct call *call) MUST_CHECK;
void call_release(struct call *call);

struct reply {
    json_t *message;    /* owns all below */
    const char *error;  /* NULL: none */
    json_t *parameters; /* an object */
    bool continues;     /* more replies follow */
};

/* -EBADMSG: the text is no reply. */
int reply_parse(const char *text, size_t length, struct reply *reply) MUST_CHECK;
void reply_release(struct reply *reply);

/* These take ownership of `parameters`, NULL for none, and return NULL if there is no memory. */
json_t *call_make(const char *method, json_t *parameters, bool more);
json_t *reply_make(json_t *parameters);
json_t *error_make(const char *error, json_t *parameters);

#endif
