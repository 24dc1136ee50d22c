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

/* Instructions at which traps are or were, and the first byte of each without a trap. */
struct spin_places {
    int count;
    struct spin_place {
        pid_t pid;
        uint64_t address;
        uint8_t code;
    } list[SPIN_PLACES_MAX];
};

/* Replaces the traps in code that was read from a process by the original bytes. */
void spin_places_clean(const struct spin_places *places, pid_t pid, uint64_t from, uint8_t *code,
                       size_t size);

/* Removes a trap from outside of its program. For a program that is stopped by a debugger, so that
 * its own threads cannot remove it. */
void spin_place_clean(int proc_fd, const struct spin_place *place);

/* How a thread would react to a trap, and to a request to its program. */
struct spin_hearing {
    bool runs;
    /* It handles SIGTRAP and SIGURG, blocks neither, and has no seccomp filter of its own, which
     * may refuse the system call by which a handler returns. */
    bool hears;
    bool blocks; /* SIGTRAP: a trap would end its program */
    bool is_debugged;
};

/* Reads this for a thread. All members are false for one that has ended. */
struct spin_hearing spin_hearing_read(int proc_fd, const struct thread_id *id);

/* Finds a thread of a process that runs and hears. A thread that sleeps in a system call is not
 * taken, because the signal would interrupt the call. Returns NULL if there is no such thread, or
 * if any thread blocks SIGTRAP. */
const struct thread_id *spin_hearer_find(int proc_fd, const struct thread_id *threads, int count);

/* Sends a request to the program of a thread. */
void spin_request(const struct thread_id *hearer, int request);

#endif
