/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a runtime, for the transports. */
#ifndef JUGGLE_STEAL_RUNTIME_RUNTIME_H
#define JUGGLE_STEAL_RUNTIME_RUNTIME_H

#include "libjuggle/steal/runtime/rank.h"

/* What the program gave, which may be NULL, and over it what the user wants by `text`, which may be
 * NULL, too. What is wrong can be told before there is a transport. */
int options_resolve(const struct steal_options *given, const char *text,
                    struct steal_options *options, char *message) MUST_CHECK;

/* Collective: as ranks_succeed() of ranks that have no runtime, with the message of `error`. */
int runtime_agree(struct transport *transport, int status, struct steal_error *error) MUST_CHECK;

/* Takes over the transport, also when it fails. */
int runtime_open(struct transport *transport, const struct steal_options *options,
                 struct steal_runtime **runtime, struct steal_error *error) MUST_CHECK;

#endif
