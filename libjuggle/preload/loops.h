/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loops of this process in which threads are caught, and the memory that each of them looks at.
 * May be called by a signal handler: it allocates nothing and takes no lock.
 */
#ifndef JUGGLE_PRELOAD_LOOPS_H
#define JUGGLE_PRELOAD_LOOPS_H

#include "libjuggle/linux/spin_code.h"
#include "libjuggle/preload/waiter.h"

#include <stdatomic.h>

/* The registers of a thread as `struct spin_load` numbers them, and its flags. */
struct loop_registers {
    uint64_t at; /* of the instruction that comes next */
    uint64_t numbered[16];
    uint64_t flags;
};

struct loop {
    uint64_t code; /* the address that offsets in the watch count from */
    struct spin_watch watch;
    _Atomic int held_count, misread_count;
};

enum { LOOP_CODE_SIZE = 2 * SPIN_REACH };

/* Copies the code around the instruction `at`, as much of it as can be read; *from is where the
 * copy begins. Returns its size; 0: nothing can be read. */
size_t loop_code_copy(uint64_t at, uint8_t code[LOOP_CODE_SIZE], uint64_t *from);
bool loop_is_readable(uint64_t address);

/* Finds out what memory the loop around the instruction `at` of this code looks at. False: it is no
 * loop that waits, or it is caught at another instruction. */
bool loop_learn(struct loop *loop, const uint8_t *code, size_t size, uint64_t from, uint64_t at);

/* A thread was held until the longest wait was over, because the memory did not change.
 * `came_back`: the loop then came back; else it went on, so it looks at other memory than was found
 * out. After some of these loop_snapshot_take finds nothing. */
void loop_was_held(struct loop *loop, bool came_back);

/* The memory that a loop looks at. */
struct loop_snapshot {
    int count; /* 0: that is not known */
    uint64_t addresses[SPIN_LOADS_MAX];
    int sizes[SPIN_LOADS_MAX];
    uint64_t values[SPIN_LOADS_MAX];
};

void loop_snapshot_take(const struct loop *loop, const struct loop_registers *registers,
                        struct loop_snapshot *snapshot);

bool loop_snapshots_equal(const struct loop_snapshot *a, const struct loop_snapshot *b);

/* The first word of it, for naps that a change may end. The word is read now: compare the snapshot
 * after that. */
struct waiter_word loop_snapshot_word(const struct loop_snapshot *snapshot);

/* True if the memory holds something else than it did in the snapshot. */
bool loop_snapshot_changed(const struct loop_snapshot *snapshot);

#endif
