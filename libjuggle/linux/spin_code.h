/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tells from x86 code whether a thread that runs there waits for another thread. Pure.
 *
 * Two kinds of loops do. One holds a `pause`, which a loop that computes has no use for. The other
 * only looks: it stores nothing, and each pass reads no register that an earlier pass has written.
 * So a pass does what the pass before it did until somebody else changes memory.
 */
#ifndef JUGGLE_LINUX_SPIN_CODE_H
#define JUGGLE_LINUX_SPIN_CODE_H

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
};

/* Whether a sample at an offset of some code is of a thread that waits, and where else it would
 * be. */
bool spin_code_waits(const uint8_t *code, size_t size, size_t at, struct spin_loop *loop);

#endif
