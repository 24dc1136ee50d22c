/* SPDX-License-Identifier: BSD-3-Clause */
/* State that the parts of a policy share: threads, processors and domains. Internal to policy/. */
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

/* What POLICY_JUGGLE knows of a thread. */
struct thread_progress {
    bool waited;         /* for other threads, in the period before its last sample */
    bool waited_visibly; /* asleep at its last sample, or said then that it waits */
    int64_t standing_ns; /* work done so far; set so that all are equal at a barrier */
    int64_t since_ns;    /* work after the barrier, if one opened in the last period */
};

/* What a processor has to do, and for how many threads. */
struct duty {
    int count;         /* threads that do not wait for others */
    int burning_count; /* threads that wait for others and burn their share of the processor */
    double load_ns;    /* work that the threads of `count` have left */
};

struct juggle_processor {
    int64_t rate;     /* work per run time in the last period, in RATE_ONE */
    double beside;    /* share of its threads' run time in which a sibling was busy */
    int64_t capacity; /* share that other programs leave of it, in RATE_ONE; 0: not measured yet */
    struct duty duty;
    double power;    /* work per time of all its threads together */
    int64_t done_ns; /* work since the last barrier of all threads that are there now */
};

struct juggle_rest {
    bool open;         /* the masks of the domain's threads are open */
    int short_count;   /* turns in a row that showed short phases */
    int looks_left;    /* looks until the rest from short phases ends */
    bool moments;      /* most threads ran for less than MOMENT_NS at a time when that rest began */
    double wait_share; /* longest queue wait of a thread over the period, mean */
    int64_t mean_of_ns; /* how much time that mean covers by now, at most LOOK_NS */
};

/* Experiments compare the work that all threads do with turns and with open masks. */
enum experiment_stage {
    STAGE_BALANCED,
    STAGE_OPEN,
    STAGE_RESTING, /* the last experiment has shown that turns bring nothing */
};

struct juggle_experiment {
    enum experiment_stage stage;
    int64_t began_ns; /* when the stage began; 0: nothing is measured */
    double work_ns;   /* work of all threads in the stage */
    int turns_count;
    int sleeps_count, yields_count; /* samples that showed a thread asleep, or yielding */
    double balanced_rate;           /* work per time with turns, before the experiment */
    int64_t between_ns;             /* time from one experiment to the next if turns have paid */
    int64_t rest_ns;                /* time to rest if turns have not paid */
};

struct juggle_domain {
    struct juggle_rest rest;
    struct juggle_experiment experiment;
    /* All threads that waited at the last barrier were asleep, so no processor time was burnt
     * there; false if barriers are told (telling.h). */
    bool all_slept;
    int64_t furthest_ns;    /* the greatest standing of a thread */
    int64_t start_ns;       /* the standing of all threads at the last barrier, seen or reckoned */
    int64_t seen_ns;        /* when the last barrier that was seen opened; 0 before the first */
    int64_t seen_start_ns;  /* the standing of all threads then */
    int64_t length_ns;      /* time from barrier to barrier, learned; 0 while unknown */
    int64_t work_ns;        /* work of each thread from barrier to barrier, learned */
    int regular_count;      /* how often that work was seen again; 0: it may be chance */
    int64_t unlike_work_ns; /* work of the last phase that was different; 0: none lately */
};

/* Private to paper.c: the next thread to look at on a processor. */
struct paper_processor {
    int cursor;
};

struct thread {
    bool present;
    bool sampled;  /* first and last are set */
    bool behind;   /* for paper.c alone */
    int stuck;     /* its last move failed: for this many periods other threads are moved first */
    bool unplaced; /* its first placement failed: it is not at home yet */
    bool awaits_first_run; /* it has not run since it was moved here */
    int processor;         /* home */
    int previous;          /* home before the last move, where a failed move leaves it */
    int next;              /* on the same processor, ascending by index */
    int hint;              /* domain of its memory */
    int move_index;        /* where its last move stands in the plan that holds it */
    enum move_scope scope;
    enum move_scope previous_scope;
    enum thread_state state;

    struct sample first, last;
    int64_t sampled_turn; /* the domain's turn that sampled it last */

    /* Over the last period. */
    int64_t elapsed_ns, run_ns, wait_ns, slices_count;
    int64_t told_ns, counted_ns; /* barrier wait that it told of; queue wait as counted */
    int64_t slept_ns;            /* at least this long it slept, though it was awake at the end */
    bool woke;                   /* it slept when the period began */
    bool released; /* it says that it waits, because it has not run since the barrier opened */

    bool reports;        /* it reported its work throughout the last period */
    int64_t work_ns;     /* the work that it reported for it */
    int64_t progress_ns; /* since the thread's first sample */
    struct thread_progress juggle;
    struct fit_thread fit;
};

struct processor_state {
    bool online;
    int domain;
    int threads_count;
    int head;    /* first thread, or NOWHERE */
    int reserve; /* scratch of repair() */
    /* Work of its runnable threads in the last period, on average, per time in which it was not
     * idle; in RATE_ONE. */
    int64_t speed;
    int64_t progress_ns;  /* mean total progress of its threads */
    int64_t learned_rate; /* 0: none was learned; a rate in struct machine goes before it */
    /* Threads that are there now and do not sleep; and a lower bound of what the one that runs has
     * slept in the last period. */
    int awake_count;
    int64_t gap_ns;
    struct fit_processor fit;
    struct juggle_processor juggle;
    struct paper_processor paper;
};

/* The last barrier that follows from the waits that threads tell of. */
struct told_barrier {
    int64_t opened_ns; /* when it opened; 0 before the first */
    bool heard; /* some thread tells of its waits: only told waits count, and one is enough */
    bool anew;  /* it was found in the last period */
};

struct domain {
    int first, count; /* processors */
    int online_count;
    int threads_count;
    int64_t turns; /* so far */
    int64_t next_ns;
    int64_t period_ns;
    double stretch;            /* jitter, as a factor, of the period after the next turn */
    enum period_reason reason; /* for this period */
    struct period_choice choice;
    struct fit fit;
    struct learning learning;
    struct told_barrier told;
    struct juggle_domain juggle;
    int64_t least_ns; /* the least standing of its threads; kept, because thousands may arrive
                         between two periods */
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
    bool told_short; /* the program says that its phases are too short for turns */
    bool by_speed;   /* homes are chosen by the speeds of processors; else by numbers of threads */
    int threads_count;
    int threads_limit; /* threads with this index and greater ones were never used: their memory is
                          uninitialized */
    struct domain domains[MACHINE_DOMAINS_MAX];
    struct processor_state *processors;
    struct thread *threads;
    int *processor_order; /* all processors, one of each core before their siblings, fast ones first
                           */
    int *siblings;        /* of each processor, the next one of its core: a ring */
};

/* What differs between the kinds. */
struct policy_ops {
    const char *name;
    bool observes_only; /* a home only says which balancer samples the thread; no thread is moved */
    /* Appends the moves of the period, after its samples were accounted. NULL: the kind never moves
     * a thread. */
    void (*decide)(struct policy *policy, struct domain *domain, int64_t now_ns, struct plan *plan);
};

extern const struct policy_ops policy_juggle_ops, policy_paper_ops, policy_ideal_ops;

/* Gives the thread a home and appends the move to the plan. Does nothing if the thread has this
 * home and scope already. */
void plan_move(struct policy *policy, struct plan *plan, int thread, int processor,
               enum move_scope scope);

/* Takes a thread out of its processor's list, or puts it in. */
void thread_detach(struct policy *policy, int thread);
void thread_attach(struct policy *policy, int thread, int processor);

/* kinds.c */
const struct policy_ops *policy_ops_of(const struct policy *policy);
/* Returns the jitter of the period after the next turn, as a factor. */
double policy_draw_stretch(const struct policy *policy, struct domain *domain);

/* accounting.c */
void account_arrival(struct thread *thread, const struct event *event);
void account_period(struct policy *policy, struct domain *domain, const struct event *event);
void account_processors(struct policy *policy, struct domain *domain);

/* occupancy.c: made once, by the rates in struct machine. Rates that are learned later change
 * nothing here. */
void distribution_order(struct policy *policy);
void distribution_link_siblings(struct policy *policy);

/* distribution.c: homes that do not depend on progress. */
void distribute(struct policy *policy, struct plan *plan);
void place_arrival(struct policy *policy, int thread, struct plan *plan);
void evacuate(struct policy *policy, int processor, struct plan *plan);
/* Moves threads within the domain until no move would finish one sooner. If homes are not chosen by
 * speeds: until no processor holds more than one thread above another. */
void repair(struct policy *policy, struct domain *domain, struct plan *plan);

/* Domains decide in parallel, and each searches all threads for its own. Threads of another domain
 * may move within that domain meanwhile; whichever home of theirs is read, it is not in this
 * domain. So relaxed memory order is enough, here and in thread_attach, which writes it. */
static inline int thread_home(const struct thread *thread)
{
    return __atomic_load_n(&thread->processor, __ATOMIC_RELAXED);
}

/* True if the thread spins in sched_yield, or is woken all the time. */
static inline bool slices_are_short(const struct thread *thread)
{
    return thread->slices_count >= YIELD_SLICES_MIN &&
           thread->run_ns < thread->slices_count * YIELD_SLICE_NS;
}

static inline struct thread *thread_at(const struct policy *policy, int index)
{
    return index == NOWHERE ? NULL : &policy->threads[index];
}

/* A thread that reports its work falsely could cause greater shares. Sums of shares up to this do
 * not overflow. */
#define SHARE_MAX (INT64_C(1) << 45)

/* Returns part / whole in RATE_ONE. The product of integers would overflow after some hours. */
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

/* Returns the greatest number of threads on one processor. */
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
