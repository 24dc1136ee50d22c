/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast slots are, by the speeds of processors, busy siblings, and what other programs leave.
 * Internal to policy/. */
#ifndef JUGGLE_POLICY_SLOTS_H
#define JUGGLE_POLICY_SLOTS_H

#include "libjuggle/policy/state.h"

/* The processor's rate by struct machine, else the one that was learned, else RATE_ONE; and
 * likewise the factor of its rate while a sibling is busy. */
int64_t slots_processor_rate(const struct policy *policy, int processor);
int64_t slots_smt_rate(const struct policy *policy, int processor);

/* Returns the processor where the thread was seen last, if that is online and in the domain; else
 * its home. */
int slots_place(const struct policy *policy, const struct domain *domain,
                const struct thread *thread);

/* To be called after samples were accounted and before threads are moved: notes how much work a run
 * time in the last period was. */
void slots_observe(struct policy *policy, struct domain *domain);

/* Convert run time on the processor where the thread was in the last period to work, and work to
 * run time. */
int64_t slots_work_ns(const struct policy *policy, const struct thread *thread, int64_t time_ns);
int64_t slots_time_ns(const struct policy *policy, const struct thread *thread, int64_t work_ns);

/* Returns the work that the thread reported for the last period. If it reports none: its run time,
 * less what it says that it burnt while it waited, by the rate of its processor. */
int64_t slots_worked_ns(const struct policy *policy, const struct thread *thread);

/* To be called when it is known which threads wait: notes what other programs leave of each
 * processor, and how many threads share it. */
void slots_update(struct policy *policy, struct domain *domain);

/*
 * Returns the work per time of all threads of the processor together, in RATE_ONE: its own rate,
 * less what other programs take of it, and less while a sibling is busy. `whole`: as if all threads
 * ran.
 */
int64_t slots_power(const struct policy *policy, int processor, bool whole);

/* True if no processor with threads is slower than another one, whatever their numbers of threads.
 */
bool slots_processors_alike(const struct policy *policy, const struct domain *domain);

#endif
