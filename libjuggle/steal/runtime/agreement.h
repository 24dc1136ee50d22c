/* SPDX-License-Identifier: BSD-3-Clause */
/* What all ranks must have alike, and how they find out. */
#ifndef JUGGLE_STEAL_RUNTIME_AGREEMENT_H
#define JUGGLE_STEAL_RUNTIME_AGREEMENT_H

#include "libjuggle/steal/runtime/fields.h"

/*
 * Collective: 0 if `status` is 0, the `digest` and the fields are alike on all ranks. Otherwise the
 * rank's own status, or -ECANCELED if only others failed, or -EPROTO; the runtime's message says
 * why, by the name of the first field that differs or by `what` the digest is of.
 */
int ranks_agree(struct steal_runtime *runtime, int status, const char *what, int64_t digest,
                const struct fields *fields, const void *settings) MUST_CHECK;

/* The same, of the status alone. */
int ranks_succeed(struct steal_runtime *runtime, int status) MUST_CHECK;

#endif
