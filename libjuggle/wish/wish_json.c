/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/wish/wish_json.h"

#include <errno.h>
#include <string.h>

/* Names of threads may hold any bytes, but JSON is UTF-8. In a pattern that is not UTF-8 each byte
 * beyond ASCII becomes '?', which stands for any character. */
static json_t *pattern_to_json(const char *text)
{
    json_t *json = json_string(text);
    char pattern[FIELD_PATTERN_SIZE];

    if (json)
        return json;
    memcpy(pattern, text, strlen(text) + 1);
    for (char *byte = pattern; *byte; byte++)
        if ((unsigned char)*byte >= 0x80)
            *byte = '?';
    return json_string(pattern);
}

static json_t *field_to_json(const struct field *field, const struct wish *wish)
{
    switch (field->type) {
    case FIELD_NUMBER:
    case FIELD_DURATION:
        return json_integer(field_number(field, wish));
    case FIELD_FLAG:
        return json_boolean(field_flag(field, wish));
    case FIELD_PATTERN:
        return pattern_to_json(field_text(field, wish));
    case FIELD_CHOICE:
    case FIELD_LIST:
    case FIELD_LISTS:
    case FIELD_SPEEDS:
        break;
    }
    return json_string(field_text(field, wish));
}

json_t *wish_to_json(const struct wish *wish)
{
    json_t *json = json_object();
    struct wish standard;

    wish_init(&standard);
    for (const struct field *field = wish_fields; field->option; field++) {
        if (!field->name || field_equal(field, wish, &standard))
            continue;
        if (json_object_set_new(json, field->name, field_to_json(field, wish))) {
            json_decref(json);
            return NULL;
        }
    }
    return json;
}

static int field_from_json(const struct field *field, struct wish *wish, const json_t *value)
{
    if (json_is_integer(value))
        return field_put_number(field, wish, json_integer_value(value));
    if (json_is_boolean(value))
        return field_put_flag(field, wish, json_is_true(value));
    return json_is_string(value) ? field_put_text(field, wish, json_string_value(value)) : -EINVAL;
}

int wish_from_json(const json_t *json, struct wish *wish, const char **name)
{
    struct wish taken;
    const char *each;
    json_t *value;

    wish_init(&taken);
    *name = "settings";
    if (json && !json_is_null(json) && !json_is_object(json))
        return -EINVAL;
    json_object_foreach((json_t *)json, each, value)
    {
        const struct field *field = wish_field_by_name(each);
        if (json_is_null(value))
            continue;
        if (!field || field_from_json(field, &taken, value)) {
            *name = each;
            return -EINVAL;
        }
    }
    if (wish_problem(&taken)) {
        *name = "inter_domain";
        return -EINVAL;
    }
    *wish = taken;
    return 0;
}
