/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/report/text_json.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

json_t *text_to_json(const char *text)
{
    json_t *json = text ? json_string(text) : json_null();

    if (json)
        return json;
    char *plain = strdup(text);
    if (!plain)
        return NULL;
    for (char *byte = plain; *byte; byte++)
        if ((unsigned char)*byte >= 0x80)
            *byte = '?';
    json = json_string(plain);
    free(plain);
    return json;
}

json_t *words_to_json(char *const *words)
{
    json_t *list = json_array();

    for (; words && *words; words++)
        json_array_append_new(list, text_to_json(*words));
    return list;
}

int json_print(json_t *json, FILE *out)
{
    if (!json)
        return -ENOMEM;
    const bool failed = json_dumpf(json, out, JSON_INDENT(2)) || fputc('\n', out) == EOF;
    json_decref(json);
    return failed ? -EIO : 0;
}
