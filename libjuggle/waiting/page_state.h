/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of a page, for the files that implement it and no others. page.c says how threads
 * share it. */
#ifndef JUGGLE_WAITING_PAGE_STATE_H
#define JUGGLE_WAITING_PAGE_STATE_H

#include "libjuggle/waiting/page.h"
#include "libjuggle/waiting/page_samples.h"
#include "libjuggle/waiting/page_traps.h"

#include <fcntl.h>
#include <stdatomic.h>

enum {
    CACHE_LINE_SIZE = 64,
    SEATS_SEARCHED = 64, /* at most, beginning with the one that a thread's id belongs to */
    SEAT_FREE = 0,
    SEAT_TAKEN = -1, /* by a thread whose id is not stored yet */
    SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL,
};

#define PAGE_MAGIC UINT64_C(0x656c6767756a0008) /* its last digits are the version */
#define WAITS_BIT  UINT64_C(1)

/* On a cache line of its own, because its thread writes to it while other threads use theirs. */
struct seat {
    _Alignas(CACHE_LINE_SIZE) _Atomic pid_t tid;
    _Atomic int users; /* how many have the seat; at 0 it is given up */
    _Atomic bool claimed, reports;
    _Atomic uint32_t program;     /* of the thread that took it, see program_mark */
    _Atomic uint64_t taken_ticks; /* since boot, as the start of threads */
    _Atomic uint64_t waited;
    _Atomic int64_t since_ns;          /* the current wait */
    _Atomic int64_t from_ns, until_ns; /* the last wait that has ended */
    _Atomic int64_t units;
};

enum trap_state { TRAP_DUE, TRAP_SET, TRAP_REFUSED };

struct trap_request {
    _Atomic pid_t pid; /* 0: the trap is not asked for */
    _Atomic int state;
    _Atomic uint64_t address;
};

/* A thread whose samples are wanted. */
struct sampled {
    _Alignas(CACHE_LINE_SIZE) _Atomic pid_t pid, tid;
    _Atomic bool due;
    _Atomic uint32_t count;
    _Atomic uint64_t addresses[PAGE_SAMPLES_MAX];
};

struct shared {
    uint64_t magic;
    _Atomic int32_t processors_count;
    uint32_t asked;
    _Atomic uint32_t changes; /* how often a seat was taken */
    _Alignas(CACHE_LINE_SIZE) _Atomic uint32_t moves_begun, moves_ended;
    _Alignas(CACHE_LINE_SIZE) _Atomic int64_t gave_way_count, slept_ns, short_until_ns;
    _Alignas(CACHE_LINE_SIZE) _Atomic int64_t traps_until_ns;
    struct trap_request traps[PAGE_TRAPS_MAX];
    _Alignas(CACHE_LINE_SIZE) _Atomic int64_t samples_until_ns;
    struct sampled sampled[PAGE_SAMPLED_MAX];
    struct seat seats[PAGE_SEATS_MAX];
};

struct page {
    int fd; /* of a page that this process has made; -1 of another's */
    struct shared *shared;
};

/* Maps the page in a file; if `fd` is -1, memory of this process alone. -ENOMEM. */
int page_map(int fd, struct page **page) MUST_CHECK;

static inline int seat_index(pid_t tid, int step)
{
    return (int)(((unsigned)tid + (unsigned)step) % PAGE_SEATS_MAX);
}

static inline pid_t seat_tid(const struct seat *seat)
{
    return atomic_load_explicit(&seat->tid, memory_order_acquire);
}

static inline int64_t waited_decode(uint64_t word)
{
    return (int64_t)word >> 1;
}

#endif
