/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts the options of the public interface into a wish. */
#ifndef JUGGLE_API_OPTIONS_H
#define JUGGLE_API_OPTIONS_H

#include "libjuggle/juggle.h"
#include "libjuggle/wish/wish.h"

/* Writes the message to `error` and returns `code`. */
int options_refuse(struct juggle_error *error, int code, const char *message);

/* -EINVAL: an option is not usable; `error` says which. */
int options_convert(const struct juggle_options *options, struct wish *wish,
                    struct juggle_error *error) MUST_CHECK;

#endif
