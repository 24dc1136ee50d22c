/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of the user as JSON. They are kept as they are; in a text that is no UTF-8 each byte
 * beyond ASCII becomes a question mark. */
#ifndef JUGGLE_TEXT_JSON_H
#define JUGGLE_TEXT_JSON_H

#include "libjuggle/ground/units.h"

#include <jansson.h>
#include <stdio.h>

/* JSON null for NULL. Returns NULL if there is no memory. */
json_t *text_to_json(const char *text);

/* An array of the words up to a NULL; an empty one if `words` is NULL. */
json_t *words_to_json(char *const *words);

/* Writes the value, followed by a newline, and releases it. -EIO if it could not be written
 * completely; -ENOMEM if `json` is NULL. */
int json_print(json_t *json, FILE *out) MUST_CHECK;

#endif
