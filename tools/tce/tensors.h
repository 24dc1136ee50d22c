/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers of a contraction: elements of A and B, which follow from their indices, and C's tiles
 * computed from them. */
#ifndef JUGGLE_TCE_TENSORS_H
#define JUGGLE_TCE_TENSORS_H

#include "tools/tce/contraction.h"

/* The elements: A[ijab] and B[abkl], whether or not their tile is zero. */
double tensors_a(int i, int j, int a, int b);
double tensors_b(int a, int b, int k, int l);

/* What one worker needs: room for a tile of each tensor. */
struct tensors_room {
    double *a, *b, *c;
};

/* -ENOMEM: it is destroyed as one that is whole. */
int tensors_room_create(struct tensors_room *room) MUST_CHECK;
void tensors_room_destroy(struct tensors_room *room);

/* Computes a tile of C and returns its part of the checksum: a sum in fixed point, so that the
 * checksum of all tasks does not depend on who executed them in which order. */
int64_t tensors_execute(const struct contraction *contraction, int64_t task,
                        const struct tensors_room *room);

/* The checksum in its unit. */
double tensors_checksum(int64_t sum);

/* What tensors_execute() adds for an element of C. */
int64_t tensors_weigh(int i, int j, int k, int l, double value);

#endif
