/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tuned constants of the default policy. docs/constants.md says what set each, and what half
 * and twice of it do; tools/sim/scan measures that with a build in which they can be changed.
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

/* The kernel's time slice. Threads of one processor run in turn for about as long: within a slice
 * the difference of what they have done says nothing. */
#define SLICE_NS TUNED("SLICE_NS", 4 * NSEC_PER_MSEC)
/* How long a thread that yields keeps the processor. */
#define YIELD_TURN_NS TUNED("YIELD_TURN_NS", 2 * NSEC_PER_USEC)
/* A thread with at least as many slices in a period, of at most this length on average, spins in
 * sched_yield. */
#define YIELD_SLICES_MIN TUNED("YIELD_SLICES_MIN", 4)
#define YIELD_SLICE_NS   TUNED("YIELD_SLICE_NS", 50 * NSEC_PER_USEC)
/* Of who is alone, so small a part of a period is no sleep: the host has stolen it. */
#define GAP_PARTS TUNED("GAP_PARTS", 8)
/* The share of a processor that other programs leave is averaged over this time. */
#define CAPACITY_MEMORY_NS TUNED("CAPACITY_MEMORY_NS", 40 * NSEC_PER_MSEC)

/* ---- where a phase begins, and how long it is ---- */

/* A barrier is where at least this part of the threads waited. */
#define PASSED_PARTS TUNED("PASSED_PARTS", 3)
/* Phases are alike whose work differs by less than this part of it. */
#define REGULAR_PARTS TUNED("REGULAR_PARTS", 4)
/* Phases that count in what is known of them; without a barrier for four times as many, their
 * length is unknown again. */
#define PHASES_MEMORY TUNED("PHASES_MEMORY", 4)
/* Minimum determinant over power squared: below it threads per power are nearly equal on all
 * processors. */
#define APART_MIN TUNED("APART_MIN", 0.25)

/* ---- turns ---- */

/* What a turn takes away of each processor: docs/performance.md. */
#define TURN_NS TUNED("TURN_NS", 50 * (double)NSEC_PER_USEC)
/* And for each of its threads. */
#define SAMPLE_NS TUNED("SAMPLE_NS", 5 * (double)NSEC_PER_USEC)
/* Shorter sleep counts as none: counters are read one after the other, and a turn takes as long. */
#define IDLE_MIN_NS     (2 * (int64_t)TURN_NS)
#define INTERVAL_MIN_NS TUNED("INTERVAL_MIN_NS", 1 * (double)NSEC_PER_MSEC)
#define INTERVAL_MAX_NS TUNED("INTERVAL_MAX_NS", 20 * (double)NSEC_PER_MSEC)
/* The period while phases are unknown: threads that busy-wait never show where a phase ends, so it
 * has to be taken for short. */
#define BLIND_NS TUNED("BLIND_NS", 2.5 * (double)NSEC_PER_MSEC)
/* Where phases differ, there are so many turns in each: what a move loses of a cache is small
 * beside the time until the next one. */
#define IRREGULAR_PARTS TUNED("IRREGULAR_PARTS", 12)
/* So many turns in a row that moved nobody make the next one come later by an interval. */
#define STILL_TURNS TUNED("STILL_TURNS", 8)
/* Levels that differ by less are equal, where at most two threads share a processor. */
#define NOISE_NS TUNED("NOISE_NS", 250 * NSEC_PER_USEC)

/* ---- rest ---- */

#define LOOK_NS TUNED("LOOK_NS", 80 * NSEC_PER_MSEC)
/* Phases below that are over before a second turn. */
#define SHORT_PHASE_NS TUNED("SHORT_PHASE_NS", 1750 * NSEC_PER_USEC)
/* A thread that sleeps, and runs for less than this part of SHORT_PHASE_NS each time, has short
 * phases, whatever their length seems to be. */
#define MOMENT_PARTS TUNED("MOMENT_PARTS", 3)
#define MOMENT_NS    (SHORT_PHASE_NS / MOMENT_PARTS)
/* Turns in a row that must have shown short phases. */
#define SHORT_TURNS TUNED("SHORT_TURNS", 16)
/* Threads rest if none waits for a processor for more than this part of the time. */
#define WAITS_PARTS TUNED("WAITS_PARTS", 10)

/* ---- experiments ---- */

/* An experiment lasts as long with turns, and half of it with open masks. */
#define EXPERIMENT_NS TUNED("EXPERIMENT_NS", 400 * NSEC_PER_MSEC)
/* An experiment needs a thread that sleeps at one turn in this many. */
#define SLEEPS_PARTS TUNED("SLEEPS_PARTS", 16)
/* They pay if threads do more by this part. */
#define EXPERIMENT_GAIN_MIN TUNED("EXPERIMENT_GAIN_MIN", 0.01)
/* Where phases are alike, they are doubted if less of the processors is used. */
#define USED_MIN TUNED("USED_MIN", 0.88)
/* The longest time from one to the next. */
#define EXPERIMENTS_APART_MAX_NS TUNED("EXPERIMENTS_APART_MAX_NS", 30 * NSEC_PER_SEC)

#endif
