/* SPDX-License-Identifier: BSD-3-Clause */
/* Wishes as the service's interface writes them: its type Settings. Pure. */
#ifndef JUGGLE_WISH_WISH_JSON_H
#define JUGGLE_WISH_WISH_JSON_H

#include "libjuggle/wish/wish.h"

#include <jansson.h>

/* Returns NULL if there is no memory. Fields with their default value are left out. */
json_t *wish_to_json(const struct wish *wish);

/* -EINVAL after setting *name to the field that is wrong. NULL stands for no settings at all. */
int wish_from_json(const json_t *json, struct wish *wish, const char **name) MUST_CHECK;

#endif
