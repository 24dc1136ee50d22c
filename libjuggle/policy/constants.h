/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tuned constants of the default policy. docs/constants.md says what set each, and what half
 * and twice of it does; tools/sim/scan measures that with a build in which they can be changed.
 * Internal to policy/.
 */
#ifndef JUGGLE_POLICY_CONSTANTS_H
#define JUGGLE_POLICY_CONSTANTS_H

#include "libjuggle/ground/machine.h"

#ifdef POLICY_SCAN
double policy_scan(const char *name, double value);
#define TUNED(name, value) ((__typeof__(value))policy_scan(name, (double)(value)))
#else
#define TUNED(name, value) (value)
#endif

/* ---- what the kernel does ---- */

/* The kernel's time slice. The threads of a processor run in turn for about a slice each, so a
 * difference in their work of less than a slice says nothing. */
#define SLICE_NS TUNED("SLICE_NS", 4 * NSEC_PER_MSEC)
/* How long a thread that yields keeps the processor. */
#define YIELD_TURN_NS TUNED("YIELD_TURN_NS", 2 * NSEC_PER_USEC)
/* A thread with at least YIELD_SLICES_MIN slices in a period that are shorter than YIELD_SLICE_NS
 * on average spins in sched_yield, or is woken all the time. */
#define YIELD_SLICES_MIN TUNED("YIELD_SLICES_MIN", 4)
#define YIELD_SLICE_NS   TUNED("YIELD_SLICE_NS", 50 * NSEC_PER_USEC)
/* If a thread is alone on its processor, a gap of less than this part of the period is not sleep:
 * the host of the virtual machine has taken that time. */
#define GAP_PARTS TUNED("GAP_PARTS", 8)
/* The share of a processor that other programs leave is averaged over this time. */
#define CAPACITY_MEMORY_NS TUNED("CAPACITY_MEMORY_NS", 40 * NSEC_PER_MSEC)

/* ---- where a phase begins, and how long it is ---- */

/* Threads have passed a barrier if at least this part of them waited. */
#define PASSED_PARTS TUNED("PASSED_PARTS", 3)
/* Phases are alike if their work differs by at most this part of it. */
#define REGULAR_PARTS TUNED("REGULAR_PARTS", 4)
/* What is known of phases is the mean over about this many; after four times as many without a
 * barrier it is forgotten. */
#define PHASES_MEMORY TUNED("PHASES_MEMORY", 4)
/* The least determinant over power squared with which the instant of a barrier is solved for
 * (opening.c): below it threads per power are nearly equal on all processors. */
#define APART_MIN TUNED("APART_MIN", 0.25)

/* ---- turns ---- */

/* Processor time that a turn takes on each processor: docs/performance.md. */
#define TURN_NS TUNED("TURN_NS", 50 * (double)NSEC_PER_USEC)
/* Processor time that a turn takes for each thread. */
#define SAMPLE_NS TUNED("SAMPLE_NS", 5 * (double)NSEC_PER_USEC)
/* A shorter sleep does not count, because counters are read one after the other, and a turn takes
 * this long. */
#define IDLE_MIN_NS (2 * (int64_t)TURN_NS)
/* The bounds of the time between two turns. */
#define INTERVAL_MIN_NS TUNED("INTERVAL_MIN_NS", 1 * (double)NSEC_PER_MSEC)
#define INTERVAL_MAX_NS TUNED("INTERVAL_MAX_NS", 20 * (double)NSEC_PER_MSEC)
/* The period while the length of phases is unknown. Threads that busy-wait never show where a phase
 * ends, so phases have to be taken for short. */
#define BLIND_NS TUNED("BLIND_NS", 2.5 * (double)NSEC_PER_MSEC)
/* If phases differ, each has this many turns: what a move loses in caches is small against the time
 * until the next one. */
#define IRREGULAR_PARTS TUNED("IRREGULAR_PARTS", 12)
/* Levels that differ by at most this are equal, if at most two threads share a processor; else
 * SLICE_NS counts. */
#define NOISE_NS TUNED("NOISE_NS", 250 * NSEC_PER_USEC)

/* ---- rest ---- */

/* The period of looks while the domain rests. */
#define LOOK_NS TUNED("LOOK_NS", 80 * NSEC_PER_MSEC)
/* Shorter phases are over before a second turn. */
#define SHORT_PHASE_NS TUNED("SHORT_PHASE_NS", 1750 * NSEC_PER_USEC)
/* A thread that sleeps, and runs for less than this part of SHORT_PHASE_NS each time, has short
 * phases, whatever their length seems to be. */
#define MOMENT_PARTS TUNED("MOMENT_PARTS", 3)
#define MOMENT_NS    (SHORT_PHASE_NS / MOMENT_PARTS)
/* The domain rests after this many turns in a row have shown short phases. */
#define SHORT_TURNS TUNED("SHORT_TURNS", 16)
/* The domain rests if the longest queue wait of a thread is at most this part of the time. */
#define WAITS_PARTS TUNED("WAITS_PARTS", 10)

/* ---- experiments ---- */

/* Turns are measured for at least this long before an experiment, which opens masks for half as
 * long. */
#define EXPERIMENT_NS TUNED("EXPERIMENT_NS", 400 * NSEC_PER_MSEC)
/* An experiment needs at least one sample of a thread asleep for this many turns. */
#define SLEEPS_PARTS TUNED("SLEEPS_PARTS", 16)
/* Turns pay if threads do more work with them by this share. */
#define EXPERIMENT_GAIN_MIN TUNED("EXPERIMENT_GAIN_MIN", 0.01)
/* If phases are alike, an experiment is made only if threads use less than this share of the
 * processors. */
#define USED_MIN TUNED("USED_MIN", 0.88)
/* The longest time from one experiment to the next. */
#define EXPERIMENTS_APART_MAX_NS TUNED("EXPERIMENTS_APART_MAX_NS", 30 * NSEC_PER_SEC)

#endif
