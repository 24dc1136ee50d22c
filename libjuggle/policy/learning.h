/* SPDX-License-Identifier: BSD-3-Clause */
/* Speeds of processors that nobody tells, learned from what threads run for the same work. Internal
 * to policy/. */
#ifndef JUGGLE_POLICY_LEARNING_H
#define JUGGLE_POLICY_LEARNING_H

#include "libjuggle/policy/fit.h"

struct plan;
struct thread;

enum learning_state {
    LEARNING_NOTHING, /* compares what comes by */
    LEARNING_SURVEY,  /* looks at phases, though nobody waits for a processor */
    LEARNING_TRIAL,   /* goes by what it believes, for some phases */
    LEARNING_KNOWN,   /* goes by it: moved threads have confirmed it */
};

struct learning {
    enum learning_state state;
    int64_t until_ns;     /* a survey or trial goes on at most */
    int accounts_left;    /* of a trial */
    int suspicion_count;  /* looks in a row at which some threads waited for others */
    int looks_left;       /* before the next survey */
    int looks_count;      /* between two of them */
    int64_t accounted_ns; /* when the last account was made */
    int trials_count;     /* of exchanges for the sake of learning */
    int64_t smt_rate;     /* as in struct machine; 0: not learned */
};

/* What a thread has run in the last period, or until a barrier and after it; and that the barrier
 * opened. */
void learning_run(struct policy *policy, struct domain *domain, struct thread *thread,
                  int64_t run_ns);
void learning_barrier(struct policy *policy, struct domain *domain, int64_t now_ns);

/* Once a turn, after both: makes accounts of what threads tell. */
void learning_turn(struct policy *policy, struct domain *domain, int64_t now_ns);

/* Exchanges the two threads alone on a processor whose work per run time differs most, as long as
 * that may be the processors'. */
void learning_exchange(struct policy *policy, struct domain *domain, int64_t now_ns,
                       struct plan *plan);

/* Where nobody waits for a processor: phases are to be looked at nevertheless. */
bool learning_wants_phases(const struct policy *policy, struct domain *domain, int64_t now_ns);

#endif
