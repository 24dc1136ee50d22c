/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timers by which threads of this process note where they run. A timer counts only while its thread
 * runs, so it interrupts no call that sleeps. The balancer asks for them on the page
 * (libjuggle/waiting/page_samples.h). For handlers of signals.
 */
#ifndef JUGGLE_PRELOAD_SAMPLERS_H
#define JUGGLE_PRELOAD_SAMPLERS_H

#include <stdint.h>

/* Sets timers for all threads of this process that samples are asked of, in place of the timers of
 * an earlier request. */
void samplers_set(void);

/* The calling thread's timer has expired while the thread was at an address. */
void sampler_note(int index, uint64_t address);

/* Deletes all timers. No handler may be at work. */
void samplers_end(void);

/* Called in a child of fork(), which has no timers of its parent. */
void samplers_begin_child(void);

#endif
