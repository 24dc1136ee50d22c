/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timers by which threads of this process note where they run, each while it runs only: no call
 * that sleeps is interrupted by them. Whoever balances asks for them on the page
 * (libjuggle/waiting/page_samples.h). For handlers of signals.
 */
#ifndef JUGGLE_PRELOAD_SAMPLERS_H
#define JUGGLE_PRELOAD_SAMPLERS_H

#include <stdint.h>

/* For all threads of this process that are asked for, instead of those of an earlier look. */
void samplers_set(void);

/* The calling thread's timer has come while it was at an address. */
void sampler_note(int index, uint64_t address);

/* Of all; no handler is at work. */
void samplers_end(void);

/* In a child of fork(), which has none of its parent's. */
void samplers_begin_child(void);

#endif
