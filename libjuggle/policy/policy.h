/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The decision core: observations go in, a bounded list of moves comes out.
 *
 * A policy is pure. It never reads a clock, allocates, sleeps or asks the kernel; equal events
 * yield equal plans. The live balancer, the simulator, the replay of a recording and the property
 * tests all run these same objects.
 *
 * Threads are indexes in [0, threads_max). The caller assigns them, and may use one again after
 * EVENT_THREAD_EXITED. Processors are indexes into the machine.
 *
 * Calls that may overlap: EVENT_PERIOD of different domains touch disjoint state and may run in
 * parallel; every other event excludes all others. So each domain can have its own balancer, which
 * decides without locks.
 */
#ifndef JUGGLE_POLICY_POLICY_H
#define JUGGLE_POLICY_POLICY_H

#include "libjuggle/ground/fault.h"
#include "libjuggle/ground/machine.h"
#include "libjuggle/ground/units.h"

#include <stdbool.h>

enum { POLICY_THREADS_MAX = 16384 };

enum policy_kind {
    POLICY_JUGGLE, /* the default: proactive swaps, aware of blocked and yielding threads */
    POLICY_PAPER,  /* section 2: Fig. 2 and 3, every period */
    POLICY_IDEAL,  /* section 3: Fig. 4, sorts all threads every period */
    POLICY_STATIC, /* distributes once */
    POLICY_NONE,   /* observes only: a thread's home is the processor that samples it */
    POLICY_KINDS_COUNT,
};

struct policy_options {
    enum policy_kind kind;
    int64_t period_ns; /* lambda, the time between turns; 0 lets POLICY_JUGGLE choose it, the others
                          take PERIOD_DEFAULT_NS */
    double jitter;     /* random variation of lambda: 0.1 is +-10 % */
    int64_t margin_ns; /* xi, for POLICY_PAPER: a thread is behind if its progress is below average
                          + xi */
    uint64_t seed;     /* of the jitter */
    int threads_max;
};

#define PERIOD_DEFAULT_NS (10 * NSEC_PER_MSEC)
#define PERIOD_MIN_NS     (1 * NSEC_PER_MSEC)
#define PERIOD_MAX_NS     (100 * NSEC_PER_MSEC)

/* What a progress source knows of a thread at the moment of reading, beside its totals. */
enum sample_state {
    SAMPLE_UNKNOWN,
    SAMPLE_RUNNABLE, /* on a processor or in a run queue; wait_ns does not have a queue wait that
                        has not ended */
    SAMPLE_SLEEPING,
    SAMPLE_WAITING, /* does not sleep, but says that it waits for other threads */
};

/* What a progress source saw of one thread: totals since the thread began, never differences. */
struct sample {
    int thread;
    int64_t now_ns;  /* when it was read */
    int64_t run_ns;  /* user + system time */
    int64_t wait_ns; /* runnable but waiting for a processor; -1 where the source cannot tell */
    int64_t slices_count; /* how often it was given a processor; -1 where the source cannot tell */
    /* A source may leave it unknown if run and wait time account for nearly all of the time since
     * the last sample, because such a thread did not sleep. */
    enum sample_state state;
    int processor; /* where it is, or was last; -1 where the source cannot tell */
    /* How long the thread itself says that it has waited for others in all, with the wait that goes
     * on; 0 while it tells of no waits. */
    int64_t told_wait_ns;
    /* told_since_ns: when the wait began that the thread tells of now. told_from_ns, told_until_ns:
     * when the last wait that has ended began and ended. 0 if there is none. A wait ends when the
     * thread runs and notices, which may be later than the barrier opened. */
    int64_t told_since_ns, told_from_ns, told_until_ns;
    /* The work that the thread itself reports, as the time that this work takes on average; 0 while
     * it reports none. */
    int64_t work_ns;
};

enum event_type {
    EVENT_THREAD_ARRIVED, /* subject: thread; domain: where its memory is, or -1; samples[0]: its
                             state now */
    EVENT_THREAD_EXITED,  /* subject: thread */
    EVENT_START,  /* all threads are there: distribute them; later arrivals are placed at once */
    EVENT_PERIOD, /* domain; samples of its threads, in any order; missing ones count as blocked */
    EVENT_PROCESSOR_LOST,  /* subject: processor, offline or outside the cpuset */
    EVENT_PROCESSOR_FOUND, /* subject: processor, back again */
    EVENT_MOVE_FAILED,     /* subject: thread, which is still where it was before the plan's move;
                                  answered in the next period */
    EVENT_SPINNING,        /* subject: enum spinning */
    EVENT_SHORT_PHASES, /* subject: 1 if the program says that its phases are too short for turns,
                           else 0 */
    EVENT_TYPES_COUNT,
};

/* What is known of threads that wait by spinning, which shows in no counter of the kernel. */
enum spinning {
    SPINNING_UNKNOWN,
    SPINNING_SEEN, /* threads spin at barriers */
    SPINNING_NONE, /* hardly any thread spins: a thread that runs works */
    SPINNING_OPEN, /* threads were seen to do more work with open masks */
};

struct event {
    enum event_type type;
    int subject;
    int domain;
    int64_t now_ns;
    const struct sample *samples;
    int samples_count;
};

/* How far the affinity mask of a moved thread opens. */
enum move_scope {
    SCOPE_PROCESSOR, /* `to` alone */
    SCOPE_DOMAIN,    /* all processors of the domain of `to`, which still is its home */
};

struct move {
    int thread;
    int from; /* home before, -1 for a first placement */
    int to;   /* home after; may equal `from` when only the scope changes */
    enum move_scope scope;
};

/*
 * The answer. `moves` belongs to the caller and has room for `moves_max` = threads_max moves; a
 * thread is moved at most once in a plan.
 */
struct plan {
    struct move *moves;
    int moves_max;
    int moves_count;
    int64_t next_ns; /* EVENT_START, EVENT_PERIOD: when this domain wants its next period; INT64_MAX
                        for never */
};

struct policy;

/* Bytes that policy_init wants, or -EINVAL if the options or the machine are out of bounds. */
int64_t policy_footprint(const struct machine *machine, const struct policy_options *options);

/* `memory` holds policy_footprint() bytes, aligned for any type, and outlives the policy. */
struct policy *policy_init(void *memory, const struct machine *machine,
                           const struct policy_options *options);

/* Events about unknown threads or processors out of range are ignored and yield an empty plan. */
void policy_step(struct policy *policy, const struct event *event, struct plan *plan);

/* To be called after a step, with its plan. True if the policy's state is consistent: for
 * EVENT_PERIOD that of the domain, for an event of one thread all counts and the threads that the
 * step touched, else all of it. A failed check is noted in `fault`; the plan of an inconsistent
 * policy must not be carried out. */
bool policy_check(const struct policy *policy, const struct event *event, const struct plan *plan,
                  struct fault *fault);

/* ---- what the policy believes, for reports and tests ---- */

enum thread_state {
    THREAD_RUNNING,  /* ran, or waited in a run queue */
    THREAD_BLOCKED,  /* sleeps */
    THREAD_YIELDING, /* waits and may burn processor time: spins in sched_yield, or says that it
                        waits */
};

struct thread_view {
    int processor; /* home, or -1 before EVENT_START */
    enum move_scope scope;
    enum thread_state state;
    int64_t progress_ns;                 /* since the thread was first sampled */
    int64_t run_ns, wait_ns, blocked_ns; /* shares of the time since then */
    int64_t slices_count; /* how often it was given a processor since; 0 where nothing tells */
};

/* -ENOENT if no thread has the index. */
int policy_thread(const struct policy *policy, int thread, struct thread_view *view) MUST_CHECK;

/* Returns the next thread of the processor, by ascending index, after `thread`; the first one if
 * that is -1; -1 if there is no more. */
int policy_thread_after(const struct policy *policy, int processor, int thread);

/* Returns the domain's period as it is now: chosen by the policy, or given by the options. */
int64_t policy_period(const struct policy *policy, int domain);
/* Returns the period with its jitter: the time from the domain's next turn to the one after it,
 * unless the next turn changes the period. */
int64_t policy_period_ahead(const struct policy *policy, int domain);

/* Why a domain's turns came when they did. */
enum period_reason {
    PERIOD_GIVEN,   /* by the options, or fixed for the kind */
    PERIOD_LEARNED, /* suits the phases that were seen */
    PERIOD_BLIND,   /* short: the length of phases is unknown */
    PERIOD_RESTING, /* long: no thread waits for a processor, or turns have gained nothing */
    PERIOD_SHORT,   /* long: phases are too short for turns */
    PERIOD_SPUN, /* no turns: each thread has a processor, and some spin at barriers, which does not
                    show */
    PERIOD_REASONS_COUNT,
};

struct period_choice {
    int64_t phase_ns; /* the length that was learned last, or 0 */
    int64_t turns_count[PERIOD_REASONS_COUNT];
    int64_t time_ns[PERIOD_REASONS_COUNT]; /* sum of the periods that followed these turns */
};

/* Returns the share of the time in which masks were open and turns far apart; 0 before the first
 * turn. */
double period_choice_resting_share(const struct period_choice *choice);

const char *period_reason_name(enum period_reason reason);

const struct period_choice *policy_period_choice(const struct policy *policy, int domain);

/* Writes the machine as decisions see it. True if any of its rates was learned from what threads
 * did. */
bool policy_machine(const struct policy *policy, struct machine *machine);

const char *policy_kind_name(enum policy_kind kind);

/* -EINVAL for an unknown name. */
int policy_kind_parse(const char *name, enum policy_kind *kind) MUST_CHECK;

#endif
