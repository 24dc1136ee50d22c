/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/varlink/message.h"

#include <errno.h>

/* Parses a message and finds its parameters, an empty object if there are none. The message owns
 * them. NULL: this is no message, or the parameters are no object. */
static json_t *message_load(const char *text, size_t length, json_t **parameters)
{
    json_t *message = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    json_t *given = json_object_get(message, "parameters");

    if (!json_is_object(message))
        goto fail;
    if (!given || json_is_null(given)) {
        given = json_object();
        if (json_object_set_new(message, "parameters", given))
            goto fail;
    }
    if (!json_is_object(given))
        goto fail;
    *parameters = given;
    return message;

fail:
    json_decref(message);
    return NULL;
}

/* An absent or null flag is false. -EBADMSG: the flag is neither true nor false. */
static int flag_get(const json_t *message, const char *name, bool *flag)
{
    const json_t *value = json_object_get(message, name);

    if (value && !json_is_boolean(value) && !json_is_null(value))
        return -EBADMSG;
    *flag = json_is_true(value);
    return 0;
}

int call_parse(const char *text, size_t length, struct call *call)
{
    struct call parsed = {0};

    parsed.message = message_load(text, length, &parsed.parameters);
    if (!parsed.message)
        return -EBADMSG;
    parsed.method = json_string_value(json_object_get(parsed.message, "method"));
    if (!parsed.method || flag_get(parsed.message, "more", &parsed.more) ||
        flag_get(parsed.message, "oneway", &parsed.oneway)) {
        json_decref(parsed.message);
        return -EBADMSG;
    }
    *call = parsed;
    return 0;
}

void call_release(struct call *call)
{
    json_decref(call->message);
    *call = (struct call){0};
}

int reply_parse(const char *text, size_t length, struct reply *reply)
{
    struct reply parsed = {0};

    parsed.message = message_load(text, length, &parsed.parameters);
    if (!parsed.message)
        return -EBADMSG;
    const json_t *error = json_object_get(parsed.message, "error");
    parsed.error = json_string_value(error);
    if ((error && !parsed.error && !json_is_null(error)) ||
        flag_get(parsed.message, "continues", &parsed.continues)) {
        json_decref(parsed.message);
        return -EBADMSG;
    }
    *reply = parsed;
    return 0;
}

void reply_release(struct reply *reply)
{
    json_decref(reply->message);
    *reply = (struct reply){0};
}

/* jansson's pack takes the object even when it fails. */
static json_t *object_or_empty(json_t *parameters)
{
    return parameters ? parameters : json_object();
}

json_t *call_make(const char *method, json_t *parameters, bool more)
{
    json_t *object = object_or_empty(parameters);

    return more ? json_pack("{s:s, s:o, s:b}", "method", method, "parameters", object, "more", 1)
                : json_pack("{s:s, s:o}", "method", method, "parameters", object);
}

json_t *reply_make(json_t *parameters)
{
    return json_pack("{s:o}", "parameters", object_or_empty(parameters));
}

json_t *error_make(const char *error, json_t *parameters)
{
    return json_pack("{s:s, s:o}", "error", error, "parameters", object_or_empty(parameters));
}
