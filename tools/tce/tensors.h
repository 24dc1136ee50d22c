/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers of a contraction: elements of A and B, which are functions of their indices, and the
 * tiles of C that are computed from them. */
#ifndef JUGGLE_TCE_TENSORS_H
#define JUGGLE_TCE_TENSORS_H

#include "tools/tce/contraction.h"

/* Return A[ijab] and B[abkl], as if no tile were zero. */
double tensors_a(int i, int j, int a, int b);
double tensors_b(int a, int b, int k, int l);

/* The memory of one worker: a tile of each tensor. */
struct tensors_room {
    double *a, *b, *c;
};

/* Returns 0 or -ENOMEM; the room must be destroyed in either case. */
int tensors_room_create(struct tensors_room *room) MUST_CHECK;
void tensors_room_destroy(struct tensors_room *room);

/* Computes a tile of C and returns its part of the checksum: a sum in fixed point, so that the
 * checksum of all tasks does not depend on the workers that executed them, nor on the order. */
int64_t tensors_execute(const struct contraction *contraction, int64_t task,
                        const struct tensors_room *room);

/* Converts a sum of tensors_execute() to the checksum as a floating-point number. */
double tensors_checksum(int64_t sum);

/* Returns the contribution of an element of C to the checksum. */
int64_t tensors_weigh(int i, int j, int k, int l, double value);

#endif
