/* SPDX-License-Identifier: BSD-3-Clause */
/* Learns the speeds of processors that struct machine does not tell, from how long threads run for
 * the same work. Internal to policy/. */
#ifndef JUGGLE_POLICY_LEARNING_H
#define JUGGLE_POLICY_LEARNING_H

#include "libjuggle/policy/fit.h"

struct plan;
struct thread;

enum learning_state {
    LEARNING_NOTHING, /* compares what threads run, but uses nothing of it */
    LEARNING_SURVEY,  /* takes turns to see phases, though no thread waits for a processor */
    LEARNING_KNOWN,   /* uses the fitted speeds, until they are refuted */
};

struct learning {
    enum learning_state state;
    int64_t until_ns;     /* when a survey ends at the latest */
    int accounts_left;    /* of a survey */
    int suspicion_count;  /* looks in a row at which some threads waited for others */
    int looks_left;       /* before the next survey */
    int looks_count;      /* between two surveys */
    int64_t accounted_ns; /* when the last account was made */
    int exchanges_count;  /* that were made for learning */
    int64_t smt_rate;     /* as in struct machine; 0: not learned */
};

/* learning_run() notes what a thread has run in the last period, or until a barrier and after it.
 * learning_barrier() is called between the two, when the barrier has opened, and makes an account.
 */
void learning_run(struct policy *policy, struct domain *domain, struct thread *thread,
                  int64_t run_ns);
void learning_barrier(struct policy *policy, struct domain *domain);

/* To be called once a turn, after these: makes accounts of the work that threads report. */
void learning_turn(struct policy *policy, struct domain *domain, int64_t now_ns);

/* Exchanges two threads that are alone on their processors: those whose work per run time differs
 * most, while it is not known whether that is because the processors differ. */
void learning_exchange(struct policy *policy, struct domain *domain, int64_t now_ns,
                       struct plan *plan);

/* To be called when no thread waits for a processor. True if turns are to go on all the same, to
 * see phases. */
bool learning_wants_phases(const struct policy *policy, struct domain *domain, int64_t now_ns);

#endif
