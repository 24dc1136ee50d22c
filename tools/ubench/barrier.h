/* SPDX-License-Identifier: BSD-3-Clause */
/* A barrier between threads or processes that sleeps, yields or spins while it waits. */
#ifndef JUGGLE_UBENCH_BARRIER_H
#define JUGGLE_UBENCH_BARRIER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum barrier_kind {
    BARRIER_BLOCK, /* sleeps on a futex at once */
    BARRIER_YIELD, /* calls sched_yield in a loop */
    BARRIER_BUSY,  /* spins */
    BARRIER_OMP,   /* the OpenMP runtime's barrier, valid only inside its parallel region */
    BARRIER_KINDS,
};

enum { BARRIER_ALIGNMENT = 64 };

/* In memory that all members share. Arriving and waiting use a cache line each. */
struct barrier {
    enum barrier_kind kind;
    unsigned members_count;
    _Alignas(BARRIER_ALIGNMENT) _Atomic unsigned arrived_count;
    _Alignas(BARRIER_ALIGNMENT) _Atomic uint32_t generation;
};

/* Indexed by kind. */
extern const char *const barrier_names[BARRIER_KINDS];

void barrier_init(struct barrier *barrier, enum barrier_kind kind, int members_count);

/* Returns in every member once all of them have called it. */
void barrier_wait(struct barrier *barrier);

#endif
