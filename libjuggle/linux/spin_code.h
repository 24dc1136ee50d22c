/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tells from x86 code whether a thread that runs there waits for another thread. Pure.
 *
 * Two kinds of loops do. One holds a `pause`, which a loop that computes has no use for; where it
 * looks at nothing but the clock, it waits for a time instead. The other only looks: it stores
 * nothing, and each pass reads no register that an earlier pass has written. So a pass does what
 * the pass before it did until somebody else changes memory.
 */
#ifndef JUGGLE_LINUX_SPIN_CODE_H
#define JUGGLE_LINUX_SPIN_CODE_H

#include "libjuggle/linux/spin_instruction.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* Bytes of code on either side of an address that tell whether it is in such a loop. */
    SPIN_REACH = 640,
    /* All of a loop of at most this size around a `pause` waits. Of a longer one, such as that of
     * LLVM's OpenMP, only the `pause` does: it may look for work, too. */
    SPIN_LOOP_MAX = 128,
    /* A loop that only looks has at most this size. */
    SPIN_LOOK_MAX = 64,
};

/* A range of offsets: `end` is behind it. */
struct spin_loop {
    size_t begin, end;
    /* The offset of an instruction that each pass executes, and few others do. */
    size_t trap;
};

enum { SPIN_LOADS_MAX = 4 };

/* Where a loop looks, by registers that it leaves as they are. */
struct spin_watch {
    int count;
    struct spin_load loads[SPIN_LOADS_MAX];
    size_t ends[SPIN_LOADS_MAX]; /* offsets behind the instructions that load */
};

/* Whether a sample at an offset of some code is of a thread that waits, and where else it would
 * be. */
bool spin_code_waits(const uint8_t *code, size_t size, size_t at, struct spin_loop *loop);

/* Where such a loop looks, as far as its code is known: a place may be missing, and one may be of
 * an address that is none. Nowhere, if it finds a place anew in each pass. */
void spin_code_watch(const uint8_t *code, const struct spin_loop *loop, struct spin_watch *watch);

/* Bytes that tell what the instruction at the trap of a loop does: a `pause`, or the jump that
 * closes the loop. A trap is another first byte. */
enum { SPIN_TRAP_SIZE = 6, SPIN_INT3 = 0xcc };

/* Whether the jump would be taken with these flags; true of what is no conditional jump. */
bool spin_code_jumps(const uint8_t code[SPIN_TRAP_SIZE], uint64_t flags);
/* The address that a thread goes on at which has executed the instruction at an address. */
uint64_t spin_code_next(const uint8_t code[SPIN_TRAP_SIZE], uint64_t at, uint64_t flags);

#endif
