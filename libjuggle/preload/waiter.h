/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The waiting of the calling thread, as a preloaded object sees it: calls in which it may wait, and
 * within them the moments at which its library polls in vain.
 *
 * A process has one of these, since its libraries have one way to wait each.
 */
#ifndef JUGGLE_PRELOAD_WAITER_H
#define JUGGLE_PRELOAD_WAITER_H

#include <stdbool.h>
#include <stdint.h>

struct page;

/* The thread calls what may wait. Calls within calls count as one. */
void waiter_enter(void);
void waiter_leave(void);

/* Where a nap may end early: who changes this word and wakes those that sleep on it (futex(2)), as
 * libraries do whose threads sleep when they have spun for a while, wakes the thread at once. */
struct waiter_word {
    const uint32_t *at;
    uint32_t value; /* as it was: no nap begins when it is another */
};

/*
 * It has looked in vain, and waits: this is told on the page, and where threads share processors
 * one of them is left to others for a moment. True if it was; false outside of all calls, and as
 * long as looking again is better. Without a word (NULL) naps last as long as they were meant to.
 */
bool waiter_idle(const struct waiter_word *word);
void waiter_nap(int64_t nap_ns, const struct waiter_word *word);
/* It has found something: the next look may find more. */
void waiter_busy(void);

/* The page to tell things on, or NULL. */
struct page *waiter_page(void);

/* Threads of this process do share processors, whatever could be told at its start. */
void waiter_share(void);
/* The calling thread has made room for others. */
void waiter_gave_way(void);

/* It waits from here to there, as a library tells that does its own waiting. */
void waiter_wait_begin(void);
void waiter_wait_end(void);
/* The wait that has just ended goes on. */
void waiter_wait_resume(void);

#endif
