/* SPDX-License-Identifier: BSD-3-Clause */
/* The traps of a job: where its threads were seen to spin, and which of them are caught there. */
#ifndef JUGGLE_JOB_SPIN_TRAPS_H
#define JUGGLE_JOB_SPIN_TRAPS_H

#include "libjuggle/linux/spin_trap.h"
#include "libjuggle/waiting/page.h"

#include <stdbool.h>
#include <stdint.h>

/* As many as a processor has breakpoints: of a thread. */
enum { SPIN_TRAPS_MAX = 4, SPIN_TRAP_PLACES_MAX = 128 };

struct spin_trap_place {
    pid_t pid;
    uint64_t address;
    int samples_count; /* of those who spun there */
};

struct spin_traps {
    uint64_t inherited_ticks; /* threads are born with traps since; 0: they are not */
    int places_count;
    struct spin_trap_place places[SPIN_TRAP_PLACES_MAX]; /* most samples first */
};

/* The traps of one thread. */
struct spin_thread_traps {
    enum spin_signal signal;
    int64_t free_until_ns; /* as it was caught in vain */
    int places_count;      /* known when they were set */
    int count;
    int fds[SPIN_TRAPS_MAX];
};

void spin_traps_clear(struct spin_traps *traps);
/* False where it is known, and where there is no room. */
bool spin_traps_add(struct spin_traps *traps, pid_t pid, uint64_t address, int samples_count);

/* True if the thread's process spins at a known place, and the thread would hear of it. */
bool spin_traps_fit(const struct spin_traps *traps, int proc_fd, const struct thread_id *id,
                    enum spin_signal signal);

/* Catches the thread where most spin of its process, with the faster signal as soon as it asks for
 * that, unless its waits are so short that catching it is in vain. Whatever cannot be set is not:
 * the thread spins on. */
void spin_traps_set(struct spin_traps *traps, int proc_fd, struct page *page,
                    const struct thread_id *id, struct spin_thread_traps *thread, int64_t now_ns);
void spin_traps_lift(struct spin_thread_traps *thread);

/* Lifts them if the thread is debugged: a debugger would stop at their signals. */
void spin_traps_spare(int proc_fd, const struct thread_id *id, struct spin_thread_traps *thread);

/* True of a thread without traps of its own that was born with those of who has created it: they
 * go with those. */
bool spin_traps_inherited(const struct spin_traps *traps, const struct thread_id *id,
                          const struct spin_thread_traps *thread);
/* When all that were set are lifted. */
void spin_traps_disinherit(struct spin_traps *traps);

#endif
