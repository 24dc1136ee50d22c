/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the calling thread waits, as a preloaded object sees it: calls in which it may wait, and
 * within them the moments at which its library polls without success.
 *
 * A process has only one of these, because each of its libraries has one way to wait.
 */
#ifndef JUGGLE_PRELOAD_WAITER_H
#define JUGGLE_PRELOAD_WAITER_H

#include <stdbool.h>
#include <stdint.h>

struct page;

/* The thread enters, or leaves, a function that may wait. Calls within calls count as one. */
void waiter_enter(void);
void waiter_leave(void);

/* A word in memory that may end a nap early: if another thread changes it and wakes the threads
 * that sleep on it (futex(2)), the napping thread wakes at once. Libraries do so if their threads
 * sleep when they have spun for a while. */
struct waiter_word {
    const uint32_t *at;
    uint32_t value; /* as it was; no nap begins if the word holds another */
};

/*
 * The thread has looked without success, and waits. This reports it on the page. If threads share
 * processors, this also yields or naps. True if it did; false outside of all such calls, and as
 * long as it is better to look again at once. Without a word (NULL) naps last as long as they were
 * meant to.
 */
bool waiter_idle(const struct waiter_word *word);
void waiter_nap(int64_t nap_ns, const struct waiter_word *word);
/* The thread has found something: the next look may find more. */
void waiter_busy(void);

/* The page to report on, or NULL. */
struct page *waiter_page(void);

/* Threads of this process do share processors, whatever the environment said at its start. */
void waiter_set_oversubscribed(void);
/* Counts on the page that the calling thread has made room for others. */
void waiter_gave_way(void);

/* The calling thread waits between these two. For libraries that wait by themselves and tell us. */
void waiter_wait_begin(void);
void waiter_wait_end(void);
/* The wait that has just ended goes on. */
void waiter_wait_resume(void);

#endif
