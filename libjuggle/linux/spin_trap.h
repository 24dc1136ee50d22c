/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Catches threads that spin, by a trap in the code of their loop: a byte, which the program itself
 * writes there when it is asked to (libjuggle/preload/traps.c). A thread that comes to it gets a
 * signal; threads that are elsewhere pay nothing.
 */
#ifndef JUGGLE_LINUX_SPIN_TRAP_H
#define JUGGLE_LINUX_SPIN_TRAP_H

#include "libjuggle/ground/units.h"
#include "libjuggle/linux/thread_id.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPIN_PLACES_MAX = 256 };

/* Instructions at which traps are or were, and the first byte of each without. */
struct spin_places {
    int count;
    struct spin_place {
        pid_t pid;
        uint64_t address;
        uint8_t code;
    } list[SPIN_PLACES_MAX];
};

/* Makes code that was read from a process what it is without traps. */
void spin_places_clean(const struct spin_places *places, pid_t pid, uint64_t from, uint8_t *code,
                       size_t size);

/* Takes the trap out from here, where a thread that comes to it cannot: its program is stopped by a
 * debugger. */
void spin_place_clean(int proc_fd, const struct spin_place *place);

/* What a thread would do about a trap. */
struct spin_hearing {
    bool runs;
    /* It handles the signals, blocks neither, and has no filter of system calls of its own: that
     * may refuse what a handler returns by. */
    bool hears;
    bool blocks; /* that of traps: one would end its program */
    bool is_debugged;
};

/* All false of one that has ended. */
struct spin_hearing spin_hearing_read(int proc_fd, const struct thread_id *id);

/* One of a process's threads that runs, and hears: one that sleeps in a call would be woken from
 * it. NULL without one, and where one blocks the signal of traps. */
const struct thread_id *spin_hearer_find(int proc_fd, const struct thread_id *threads, int count);

/* Asks its program for what is due. */
void spin_request(const struct thread_id *hearer, int request);

#endif
