/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast slots are: processors, what runs beside them on their cores, what other programs leave.
 * Internal to policy/. */
#ifndef JUGGLE_POLICY_SLOTS_H
#define JUGGLE_POLICY_SLOTS_H

#include "libjuggle/policy/state.h"

/* What is known of a processor, else what was learned, else RATE_ONE; and of one beside a busy
 * sibling. */
int64_t slots_processor_rate(const struct policy *policy, int processor);
int64_t slots_smt_rate(const struct policy *policy, int processor);

/* Where the kernel has put a thread, as far as that is known and in the domain; else its home. */
int slots_place(const struct policy *policy, const struct domain *domain,
                const struct thread *thread);

/* After samples were accounted and before anybody is moved: how much work a run time was. */
void slots_observe(struct policy *policy, struct domain *domain);

/* Between time on the processor where the thread was in the last period, and work done in it. */
int64_t slots_work_ns(const struct policy *policy, const struct thread *thread, int64_t time_ns);
int64_t slots_time_ns(const struct policy *policy, const struct thread *thread, int64_t work_ns);

/* What it says that it has done in the last period; else run time less what it says that it burnt
 * while it waited, by the rate of its processor. */
int64_t slots_worked_ns(const struct policy *policy, const struct thread *thread);

/* And, when it is known who waits: what each slot is like now. */
void slots_update(struct policy *policy, struct domain *domain);

/*
 * Work per time of all threads of the processor together, of RATE_ONE: its own rate, less what
 * others take of it, and less while a sibling is busy. `whole`: as if everybody ran.
 */
int64_t slots_power(const struct policy *policy, int processor, bool whole);

/* No processor with threads is slower than any, however many it has. */
bool slots_processors_alike(const struct policy *policy, const struct domain *domain);

#endif
