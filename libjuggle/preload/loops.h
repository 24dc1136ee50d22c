/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loops of this process in which threads are caught, and where each of them looks. May be
 * called by a signal handler: it allocates nothing and takes no lock.
 */
#ifndef JUGGLE_PRELOAD_LOOPS_H
#define JUGGLE_PRELOAD_LOOPS_H

#include "libjuggle/linux/spin_code.h"
#include "libjuggle/preload/waiter.h"

#include <stdatomic.h>

/* The registers of a thread as `struct spin_load` numbers them, and its flags. */
struct loop_registers {
    uint64_t at; /* the instruction that comes next */
    uint64_t numbered[16];
    uint64_t flags;
};

struct loop {
    uint64_t code; /* the address of what the watch counts from */
    struct spin_watch watch;
    _Atomic int held_count, misread_count;
};

enum { LOOP_CODE_SIZE = 2 * SPIN_REACH };

/* Copies the code around an instruction, as much of it as can be read, and says where that begins.
 * Returns its size; 0: there is none. */
size_t loop_code_copy(uint64_t at, uint8_t code[LOOP_CODE_SIZE], uint64_t *from);
bool loop_is_readable(uint64_t address);

/* Learns where the loop looks that is caught at an instruction of such code. False: it is none
 * that waits, or one that is caught elsewhere. */
bool loop_learn(struct loop *loop, const uint8_t *code, size_t size, uint64_t from, uint64_t at);

/* A wait for what the loop looks at has lasted too long, and the loop came back, or went on
 * without: then it has looked elsewhere. After some of these nothing is known of where it looks. */
void loop_was_held(struct loop *loop, bool came_back);

/* What the loop looks at. */
struct loop_sight {
    int count; /* 0: that is not known */
    uint64_t addresses[SPIN_LOADS_MAX];
    int sizes[SPIN_LOADS_MAX];
    uint64_t values[SPIN_LOADS_MAX];
};

void loop_look(const struct loop *loop, const struct loop_registers *registers,
               struct loop_sight *sight);

bool loop_sights_equal(const struct loop_sight *a, const struct loop_sight *b);

/* The first word of it, for naps that its change may end; what it holds there was not looked for.
 */
struct waiter_word loop_sight_word(const struct loop_sight *sight);

/* True as soon as the memory that was looked at holds something else. */
bool loop_sight_changed(const struct loop_sight *sight);

#endif
