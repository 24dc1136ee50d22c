/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C[ijkl] += A[ijab] B[abkl], as coupled cluster methods have many: tensors cut into dense tiles,
 * of which only those are not zero whose symmetry labels cancel. A task is a tile of C. The
 * elements of A and B follow from their indices.
 */
#ifndef JUGGLE_TCE_CONTRACTION_H
#define JUGGLE_TCE_CONTRACTION_H

#include "libjuggle/policy/units.h"

#include <stdbool.h>

enum { TCE_TILE = 20, TCE_SPACES = 4, TCE_TILES_MAX = 64 };

/* One dimension of a tensor: its tiles, each within one spatial block. */
struct axis {
    int tiles_count;
    int length;
    struct tile {
        int first, length;
        int label; /* of its spatial block: 0 to 3, which cancel by exclusive or */
    } tile[TCE_TILES_MAX];
};

struct contraction {
    struct axis outer; /* i, j, k and l */
    struct axis inner; /* a and b */
    int64_t tasks_count;
    int32_t *task; /* each a quadruple of tiles of `outer`, as one number */
};

/* `scale` shortens the outer blocks, in (0, 1]: 1 is the published size. -ENOMEM. */
int contraction_create(double scale, struct contraction *contraction) MUST_CHECK;
void contraction_destroy(struct contraction *contraction);

/* The elements: A[ijab] and B[abkl], whether or not their tile is zero. */
double contraction_a(int i, int j, int a, int b);
double contraction_b(int a, int b, int k, int l);

/* What one worker needs: room for a tile of each tensor. */
struct contraction_room {
    double *a, *b, *c;
};

int contraction_room_create(struct contraction_room *room) MUST_CHECK;
void contraction_room_destroy(struct contraction_room *room);

/*
 * Computes a tile of C and returns its part of the checksum: a sum in fixed point, so that the
 * checksum of all tasks does not depend on who executed them in which order.
 */
int64_t contraction_execute(const struct contraction *contraction, int64_t task,
                            const struct contraction_room *room);

/* Floating-point operations of a task: its cost as far as that is known beforehand. */
int64_t contraction_cost(const struct contraction *contraction, int64_t task);

/* The checksum in its unit. */
double contraction_checksum(int64_t sum);

/* What contraction_execute() adds for an element of C. */
int64_t contraction_weigh(int i, int j, int k, int l, double value);

#endif
