/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tells from x86 code whether a thread that runs there waits for another thread. Pure.
 *
 * Two kinds of loops wait. One holds a `pause`, which a loop that computes has no use for; but if
 * it looks at nothing but the clock, it waits for a time instead. The other only looks: it stores
 * nothing, and no pass reads a register that an earlier pass has written. So each pass does the
 * same as the one before until another thread changes memory.
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
    /* A loop of at most this size around a `pause` waits as a whole. In a longer one, such as that
     * of LLVM's OpenMP, only the `pause` waits, because the loop may look for work, too. */
    SPIN_LOOP_MAX = 128,
    /* A loop that only looks has at most this size. */
    SPIN_LOOK_MAX = 64,
};

/* A range of offsets; `end` is behind the last one. */
struct spin_loop {
    size_t begin, end;
    /* The offset of an instruction that each pass executes, and that is rarely executed
     * otherwise. */
    size_t trap;
};

enum { SPIN_LOADS_MAX = 4 };

/* Where a loop looks: loads whose registers the loop does not change. */
struct spin_watch {
    int count;
    struct spin_load loads[SPIN_LOADS_MAX];
    size_t ends[SPIN_LOADS_MAX]; /* offsets behind the instructions that load */
};

/* True if a sample at an offset of some code shows a thread that waits. `loop` then holds the
 * offsets at which a sample shows the same. */
bool spin_code_waits(const uint8_t *code, size_t size, size_t at, struct spin_loop *loop);

/* Finds where such a loop looks, as far as its code is known: a load may be missing, and an address
 * may be invalid. Finds nothing if a pass changes the registers of a load. */
void spin_code_watch(const uint8_t *code, const struct spin_loop *loop, struct spin_watch *watch);

/* Bytes of the instruction at the trap of a loop that tell what it does: a `pause`, or the jump
 * that closes the loop. A trap replaces the first of them. */
enum { SPIN_TRAP_SIZE = 6, SPIN_INT3 = 0xcc };

/* True if the jump would be taken with these flags, and for an instruction that is no conditional
 * jump. */
bool spin_code_jumps(const uint8_t code[SPIN_TRAP_SIZE], uint64_t flags);
/* Returns the address at which a thread goes on after the instruction at an address. */
uint64_t spin_code_next(const uint8_t code[SPIN_TRAP_SIZE], uint64_t at, uint64_t flags);

#endif
