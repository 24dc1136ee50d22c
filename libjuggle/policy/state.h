/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of a policy share: threads, processors and domains as it knows them. Internal to
 * policy/. */
#ifndef JUGGLE_POLICY_STATE_H
#define JUGGLE_POLICY_STATE_H

#include "libjuggle/policy/constants.h"
#include "libjuggle/policy/fit.h"
#include "libjuggle/policy/learning.h"
#include "libjuggle/policy/policy.h"
#include "libjuggle/ground/prng.h"
#include "libjuggle/ground/sort.h"

enum { NOWHERE = -1 }; /* no thread, no processor, no domain: end of a list */

#define LEAST_UNKNOWN INT64_MIN

/* What POLICY_JUGGLE knows. */
struct thread_progress {
    bool waited;         /* for others, in the period before its last sample */
    bool slept;          /* was asleep, or said that it waits, at its last sample */
    int64_t standing_ns; /* work that it has done: equal for all at a barrier */
    int64_t since_ns;    /* work since the barrier in the last period */
};

/* What a processor has to do, and by how many. */
struct duty {
    int count;         /* of threads that do not wait for others */
    int burning_count; /* of those who wait and burn their share */
    double load_ns;    /* what the others have left */
};

struct juggle_processor {
    int64_t rate;     /* work per run time in the last period, of RATE_ONE */
    double beside;    /* how much of its threads' run time a sibling was busy */
    int64_t capacity; /* what other programs leave of it, of RATE_ONE */
    struct duty duty; /* of the processor */
    double power;     /* work per time of all threads together */
    int64_t done_ns;  /* by all that are there now, since the last barrier */
};

struct juggle_rest {
    bool open;          /* the masks of the domain's threads */
    int short_count;    /* turns that showed short phases */
    int looks_left;     /* of the rest from them */
    bool moments;       /* threads ran for a moment at a time when it began */
    double wait_share;  /* of a period, the longest queue wait of a thread: mean over the last */
    int64_t mean_of_ns; /* time, at most LOOK_NS */
};

/* Experiments with open masks: what they compare is the work of all threads. */
enum experiment_stage {
    STAGE_BALANCED,
    STAGE_OPEN,
    STAGE_RESTING, /* the last experiment has shown that turns bring nothing */
};

struct juggle_experiment {
    enum experiment_stage stage;
    int64_t began_ns; /* the stage; 0: nothing is measured */
    double work_ns;   /* that all threads have done in it */
    int turns_count;
    int sleeps_count, yields_count; /* how often somebody was seen to sleep in it, or to yield */
    double balanced_rate;           /* of work per time, before the experiment */
    int64_t between_ns;             /* from one experiment to the next, when turns have paid */
    int64_t rest_ns;                /* when they have not */
};

struct juggle_domain {
    struct juggle_rest rest;
    struct juggle_experiment experiment;
    /* All who waited at the last barrier were asleep, and nothing was burnt there; false where
     * barriers are told. */
    bool slept;
    int64_t furthest_ns;   /* where the furthest thread stands */
    int64_t start_ns;      /* where everybody stood at the last barrier, seen or reckoned */
    int64_t seen_ns;       /* when the last barrier opened that was seen, 0 before the first */
    int64_t seen_start_ns; /* where everybody stood then */
    int64_t length_ns;     /* time from barrier to barrier, learned; 0 while unknown */
    int64_t work_ns;       /* of each thread in that time, learned */
    int regular_count;     /* how often it was seen to be so; 0: it may be chance */
    int64_t odd_ns;        /* the last that was not so, seen or suspected; 0: none of late */
    bool suspected;        /* a barrier since the last one that was seen */
    int64_t still_count;   /* turns in a row that moved nobody */
};

/* Private to paper.c: the ring's next thread to look at on a processor. */
struct paper_processor {
    int cursor;
};

struct thread {
    bool present;
    bool sampled;   /* first and last are set */
    bool behind;    /* for paper.c alone */
    int stuck;      /* periods for which others are moved first: its last move failed */
    bool unplaced;  /* its first placement failed: it is not at home yet */
    bool fresh;     /* it has not run since it was moved here */
    int processor;  /* home */
    int previous;   /* home before the last move, where a failed move leaves it */
    int next;       /* on the same processor, ascending by index */
    int hint;       /* domain of its memory */
    int move_index; /* where its last move stands in the plan that holds it */
    enum move_scope scope;
    enum move_scope previous_scope;
    enum thread_state state;

    struct sample first, last;
    int64_t sampled_turn; /* the domain's turn that sampled it last */

    /* Over the last period. */
    int64_t elapsed_ns, run_ns, wait_ns, slices_count;
    int64_t told_ns, counted_ns; /* wait for others that it told of; for a processor, as counted */
    int64_t slept_ns;            /* at least, though awake at the end */
    bool woke;                   /* it slept when the period began */
    bool released;               /* it says that it waits, but has not run since that was over */
    bool gives_way;              /* it sleeps or yields when it says that it waits */

    bool reports;        /* what it has done, throughout the last period, */
    int64_t work_ns;     /* in this amount */
    int64_t progress_ns; /* since the thread's first sample */
    struct thread_progress juggle;
    struct fit_thread fit;
};

struct processor_state {
    bool online;
    int domain;
    int threads_count;
    int head;    /* first thread, or NOWHERE */
    int reserve; /* scratch: of a repair */
    /* Mean progress of its runnable threads, per RATE_ONE of the time in which it was not idle. */
    int64_t speed;
    int64_t progress_ns;  /* mean total progress of its threads */
    int64_t learned_rate; /* 0: none was learned; what is known goes before it */
    /* Of threads that are there now and do not sleep, in the last period. */
    int awake_count;
    int64_t gap_ns; /* what whoever runs slept */
    struct fit_processor fit;
    struct juggle_processor juggle;
    struct paper_processor paper;
};

/* By what threads say of their waits. */
struct told_barrier {
    int64_t opened_ns; /* the last; 0 before the first */
    bool heard;        /* somebody told of a wait: one is enough, and what is not told is none */
    bool anew;         /* in the last period */
};

struct domain {
    int first, count; /* processors */
    int online_count;
    int threads_count;
    int64_t turns; /* so far */
    int64_t next_ns;
    int64_t period_ns;
    double stretch; /* of the period after the next turn: its jitter, drawn one turn ahead */
    enum period_reason reason; /* for it */
    struct period_choice choice;
    struct fit fit;
    struct learning learning;
    struct told_barrier told;
    struct juggle_domain juggle;
    int64_t least_ns; /* where the last of its threads stands: thousands come between two periods */
    struct prng prng;
    struct sort_item *order;  /* scratch: threads_max or its processors, whichever is more */
    struct sort_item *others; /* scratch, as long */
    int *slow, *fast;         /* scratch: rings of processors */
};

struct policy {
    struct machine machine;
    struct policy_options options;
    bool started;
    enum spinning spinning;
    bool told_short; /* the program tells that its phases are too short for turns */
    bool by_speed;   /* who lives where is by what processors get done; else by counts */
    int threads_count;
    int threads_limit; /* up to the last that ever had a thread: `threads` is unwritten beyond */
    struct domain domains[MACHINE_DOMAINS_MAX];
    struct processor_state *processors;
    struct thread *threads;
    int *processor_order; /* all processors, one of each core before their siblings, fast ones first
                           */
    int *siblings;        /* of each processor, the next one of its core: a ring */
};

/* What the events do that differs between kinds. */
struct policy_ops {
    const char *name;
    bool observes_only; /* homes say who samples a thread, nobody is moved */
    /* Appends the period's moves; samples are accounted already. NULL: none are ever wanted. */
    void (*decide)(struct policy *policy, struct domain *domain, int64_t now_ns, struct plan *plan);
};

extern const struct policy_ops policy_juggle_ops, policy_paper_ops, policy_ideal_ops;

/* Rehomes a thread and appends the move; a thread that is where it should be is left out of the
 * plan. */
void plan_move(struct policy *policy, struct plan *plan, int thread, int processor,
               enum move_scope scope);

/* Takes a thread out of its processor's list, or puts it in. */
void thread_detach(struct policy *policy, int thread);
void thread_attach(struct policy *policy, int thread, int processor);

/* kinds.c */
const struct policy_ops *policy_ops_of(const struct policy *policy);
/* Of the period after the next turn. */
double policy_draw_stretch(const struct policy *policy, struct domain *domain);

/* accounting.c */
void account_arrival(struct thread *thread, const struct event *event);
void account_period(struct policy *policy, struct domain *domain, const struct event *event);
void account_processors(struct policy *policy, struct domain *domain);

/* occupancy.c: made once, by what the machine says; what is learned later changes nothing here. */
void distribution_order(struct policy *policy);
void distribution_link_siblings(struct policy *policy);

/* distribution.c: who lives where when nothing is known of progress. */
void distribute(struct policy *policy, struct plan *plan);
void place_arrival(struct policy *policy, int thread, struct plan *plan);
void evacuate(struct policy *policy, int processor, struct plan *plan);
/* Moves threads within the domain until no move has one done sooner: by counts, until no processor
 * holds more than one above another. */
void repair(struct policy *policy, struct domain *domain, struct plan *plan);

/* Domains decide side by side, and each looks through all threads for its own. Those of another
 * domain may move meanwhile, within that domain: whatever is read of their home, it is none of
 * ours. So relaxed order is enough, here and in thread_attach, which writes it. */
static inline int thread_home(const struct thread *thread)
{
    return __atomic_load_n(&thread->processor, __ATOMIC_RELAXED);
}

/* Such a thread spins in sched_yield, or is woken all the time. */
static inline bool slices_are_short(const struct thread *thread)
{
    return thread->slices_count >= YIELD_SLICES_MIN &&
           thread->run_ns < thread->slices_count * YIELD_SLICE_NS;
}

static inline struct thread *thread_at(const struct policy *policy, int index)
{
    return index == NOWHERE ? NULL : &policy->threads[index];
}

/* More than that is a lie of a thread that reports its work; sums of it hold. */
#define SHARE_MAX (INT64_C(1) << 45)

/* Of RATE_ONE. The product of integers would overflow in some hours. */
static inline int64_t share_of(int64_t part, int64_t whole)
{
    const double share = (double)RATE_ONE * (double)part / (double)whole;

    return share < (double)SHARE_MAX ? (int64_t)share : SHARE_MAX;
}

static inline int thread_index(const struct policy *policy, const struct thread *thread)
{
    return (int)(thread - policy->threads);
}

#define FOR_EACH_PROCESSOR_OF(domain, processor)                                         \
    for (int processor = (domain)->first; processor < (domain)->first + (domain)->count; \
         processor++)

/* Most threads that share a processor. */
static inline int domain_crowd(const struct policy *policy, const struct domain *domain)
{
    int crowd = 0;

    FOR_EACH_PROCESSOR_OF(domain, processor)
        if (policy->processors[processor].threads_count > crowd)
            crowd = policy->processors[processor].threads_count;
    return crowd;
}

#define FOR_EACH_THREAD_ON(policy, processor, each)                                           \
    for (struct thread *each = thread_at(policy, (policy)->processors[processor].head); each; \
         each = thread_at(policy, (each)->next))

#define FOR_EACH_THREAD_OF(policy, domain, each)     \
    FOR_EACH_PROCESSOR_OF(domain, processor_of_each) \
        FOR_EACH_THREAD_ON(policy, processor_of_each, each)

#endif
