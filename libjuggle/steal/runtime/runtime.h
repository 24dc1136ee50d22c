/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates a runtime, for the transports. */
#ifndef JUGGLE_STEAL_RUNTIME_RUNTIME_H
#define JUGGLE_STEAL_RUNTIME_RUNTIME_H

#include "libjuggle/steal/runtime/rank.h"

/* Copies the program's options, and overrides them with the user's `text`; both may be NULL. On
 * failure `message` says why. Needs no transport, so that errors can be told before there is
 * one. */
int options_resolve(const struct steal_options *given, const char *text,
                    struct steal_options *options, char *message) MUST_CHECK;

/* Collective: as ranks_succeed() for ranks that have no runtime; the message is that of `error`. */
int runtime_agree(struct transport *transport, int status, struct steal_error *error) MUST_CHECK;

/* Collective. Takes over the transport, which is closed if this fails. */
int runtime_open(struct transport *transport, const struct steal_options *options,
                 struct steal_runtime **runtime, struct steal_error *error) MUST_CHECK;

#endif
