/* SPDX-License-Identifier: BSD-3-Clause */
/* A member reads the generation, then increments the count of arrivals. The last member to arrive
 * resets the count and increments the generation; the others wait for that.
 *
 *   - The generation cannot change between a member's reading it and its arrival: it changes only
 *     when all have arrived. So the early read is never stale.
 *   - The reset of the count precedes the new generation (release), and a member arrives at the
 *     next barrier only after seeing it (acquire): no arrival is lost to the reset.
 *   - The arrivals form one release sequence of acquire-release additions: the last member has
 *     seen everything that the others did before, and its release makes all of it visible to them.
 *   - A futex sleeper cannot miss its wake-up: the kernel compares the generation again under its
 *     own lock before it puts the thread to sleep. */
#include "tools/ubench/barrier.h"

#include "tools/ubench/omp.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const barrier_names[] = {
    [BARRIER_BLOCK] = "block",
    [BARRIER_YIELD] = "yield",
    [BARRIER_BUSY] = "busy",
    [BARRIER_OMP] = "omp",
};

void barrier_init(struct barrier *barrier, enum barrier_kind kind, int members_count)
{
    barrier->kind = kind;
    barrier->members_count = (unsigned)members_count;
    atomic_init(&barrier->arrived_count, 0);
    atomic_init(&barrier->generation, 0);
}

/* Not a private futex, because the members may be processes. */
static void futex(_Atomic uint32_t *word, int operation, uint32_t value)
{
    syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static void pause_once(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

static void wait_once(struct barrier *barrier, uint32_t generation)
{
    switch (barrier->kind) {
    case BARRIER_BLOCK:
        futex(&barrier->generation, FUTEX_WAIT, generation);
        break;
    case BARRIER_YIELD:
        sched_yield();
        break;
    case BARRIER_BUSY:
    case BARRIER_OMP:
    case BARRIER_KINDS:
        pause_once();
        break;
    }
}

static void release_all(struct barrier *barrier, uint32_t generation)
{
    atomic_store_explicit(&barrier->arrived_count, 0, memory_order_relaxed);
    /* Pairs with the acquiring load of the waiting members. */
    atomic_store_explicit(&barrier->generation, generation + 1, memory_order_release);
    if (barrier->kind == BARRIER_BLOCK)
        futex(&barrier->generation, FUTEX_WAKE, INT_MAX);
}

void barrier_wait(struct barrier *barrier)
{
    if (barrier->kind == BARRIER_OMP) {
        omp_team_barrier();
        return;
    }
    const uint32_t generation = atomic_load_explicit(&barrier->generation, memory_order_relaxed);
    const unsigned before = atomic_fetch_add_explicit(&barrier->arrived_count, 1,
                                                      memory_order_acq_rel);

    if (before + 1 == barrier->members_count) {
        release_all(barrier, generation);
        return;
    }
    /* Pairs with the releasing store of the last member to arrive. */
    while (atomic_load_explicit(&barrier->generation, memory_order_acquire) == generation)
        wait_once(barrier, generation);
}
