/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of the public interface as a wish. */
#ifndef JUGGLE_API_OPTIONS_H
#define JUGGLE_API_OPTIONS_H

#include "libjuggle/juggle.h"
#include "libjuggle/wish/wish.h"

/* Says what is wrong, and hands `code` on. */
int options_refuse(struct juggle_error *error, int code, const char *message);

/* -EINVAL after saying which option is not usable. */
int options_convert(const struct juggle_options *options, struct wish *wish,
                    struct juggle_error *error) MUST_CHECK;

#endif
