/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of the user's own in JSON: told as they are; what is no UTF-8 becomes question marks. */
#ifndef JUGGLE_TEXT_JSON_H
#define JUGGLE_TEXT_JSON_H

#include "libjuggle/ground/units.h"

#include <jansson.h>
#include <stdio.h>

/* Null for NULL; NULL without memory. */
json_t *text_to_json(const char *text);

/* An array of words that end with NULL; empty for NULL itself. */
json_t *words_to_json(char *const *words);

/* Writes it as a line or more, and lets go of it. -EIO when it could not be written whole; -ENOMEM
 * for NULL. */
int json_print(json_t *json, FILE *out) MUST_CHECK;

#endif
