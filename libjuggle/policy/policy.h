/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The decision core: what was observed goes in, a bounded list of moves comes out.
 *
 * A policy is pure. It never reads a clock, allocates, sleeps or asks the kernel; equal events
 * yield equal plans. The live balancer, the simulator, the replay of a recording and the property
 * tests all run these same objects.
 *
 * Threads are indexes in [0, threads_max) that the caller gives out and may give out again
 * after EVENT_THREAD_EXITED. Processors are indexes into the machine.
 *
 * Which calls may overlap: EVENT_PERIOD of different domains touch disjoint state and may run side
 * by side; every other event excludes all others. So one balancer per domain decides without locks.
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
    int64_t period_ns; /* lambda; 0 lets POLICY_JUGGLE choose, the others take PERIOD_DEFAULT_NS */
    double jitter;     /* random variation of lambda: 0.1 is +-10 % */
    int64_t margin_ns; /* xi: a thread is behind only below average + xi */
    uint64_t seed;     /* of the jitter */
    int threads_max;
};

#define PERIOD_DEFAULT_NS (10 * NSEC_PER_MSEC)
#define PERIOD_MIN_NS     (1 * NSEC_PER_MSEC)
#define PERIOD_MAX_NS     (100 * NSEC_PER_MSEC)

/* What a progress source knows of a thread at the moment of reading, beside its totals. */
enum sample_state {
    SAMPLE_UNKNOWN,
    SAMPLE_RUNNABLE, /* on a processor or in a run queue: a wait that goes on is in no total yet */
    SAMPLE_SLEEPING,
    SAMPLE_WAITING, /* does not sleep, but says that it waits for others */
};

/* What a progress source saw of one thread: totals since the thread began, never differences. */
struct sample {
    int thread;
    int64_t now_ns;  /* when it was read */
    int64_t run_ns;  /* user + system time */
    int64_t wait_ns; /* runnable but waiting for a processor; -1 where the source cannot tell */
    int64_t slices_count; /* how often it was given a processor; -1 where the source cannot tell */
    /*
     * Sources may leave it unknown when run and wait account for nearly all of the time since the
     * last sample: such a thread did not sleep.
     */
    enum sample_state state;
    int processor; /* where it is, or was last; -1 where the source cannot tell */
    /* How long the thread itself says that it has waited for others, a wait that goes on included;
     * 0 while it says nothing. */
    int64_t told_wait_ns;
    /* Since when it says that it waits, and when the last wait began that has ended, and ended; 0
     * without one. A thread learns that it need not wait any more when it runs. */
    int64_t told_since_ns, told_from_ns, told_until_ns;
    /* How much of its work the thread itself says that it has done, in the time that this takes in
     * the mean; 0 while it says nothing. */
    int64_t work_ns;
};

enum event_type {
    EVENT_THREAD_ARRIVED, /* subject: thread; domain: where its memory is, or -1; samples[0]: its
                             state now */
    EVENT_THREAD_EXITED,  /* subject: thread */
    EVENT_START,  /* the set is complete: distribute; arrivals from now on are placed at once */
    EVENT_PERIOD, /* domain; samples of its threads, in any order; missing ones count as blocked */
    EVENT_PROCESSOR_LOST,  /* subject: processor, offline or outside the cpuset */
    EVENT_PROCESSOR_FOUND, /* subject: processor, back again */
    EVENT_MOVE_FAILED,     /* subject: thread, which is still where it was before the plan's move;
                                  answered in the next period */
    EVENT_SPINNING,        /* subject: enum spinning */
    EVENT_SHORT_PHASES,    /* subject: 1 if the program tells that turns cannot follow, or 0 */
    EVENT_TYPES_COUNT,
};

/* What is known of the waits that show nowhere. */
enum spinning {
    SPINNING_UNKNOWN,
    SPINNING_SEEN, /* threads spin at barriers */
    SPINNING_NONE, /* who runs works */
    SPINNING_OPEN, /* threads were seen to do more with open masks */
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
    SCOPE_DOMAIN,    /* every processor of the domain of `to`, which stays its home */
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

/* After a step, with its plan: whether the policy agrees with itself, of the event's domain where
 * that is a period's; where it is one thread's, all counts and the threads that it touched. A
 * failed check is noted; what a broken policy answers must not be carried out. */
bool policy_check(const struct policy *policy, const struct event *event, const struct plan *plan,
                  struct fault *fault);

/* ---- what the policy believes, for reports and tests ---- */

enum thread_state {
    THREAD_RUNNING,  /* ran, or waited in a run queue */
    THREAD_BLOCKED,  /* sleeps */
    THREAD_YIELDING, /* waits and may burn what it gets: spins in sched_yield, or says so */
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

/* The threads of a processor, ascending: the first after `thread`, the first of all after -1; -1
 * when there is none. */
int policy_thread_after(const struct policy *policy, int processor, int thread);

/* Lambda as it is now, for a domain: what `auto` chose, or what the options said. */
int64_t policy_period(const struct policy *policy, int domain);
/* The same with its jitter: how long after the next turn the one after it is due, unless that turn
 * changes lambda. */
int64_t policy_period_ahead(const struct policy *policy, int domain);

/* Why a domain's turns came when they did. */
enum period_reason {
    PERIOD_GIVEN,   /* by the options, or fixed for the kind */
    PERIOD_LEARNED, /* suits the phases that were seen */
    PERIOD_BLIND,   /* short, for phases that do not show */
    PERIOD_RESTING, /* long: nobody waits for a processor, or turns have brought nothing */
    PERIOD_SHORT,   /* long: phases are shorter than what turns can follow */
    PERIOD_SPUN,    /* no turns: threads with a processor each spin at barriers that do not show */
    PERIOD_REASONS_COUNT,
};

struct period_choice {
    int64_t phase_ns; /* the length that was learned last, or 0 */
    int64_t turns_count[PERIOD_REASONS_COUNT];
    int64_t time_ns[PERIOD_REASONS_COUNT]; /* until the turn after each of them */
};

/* How much of the time masks were open and turns far apart; 0 before the first turn. */
double period_choice_resting_share(const struct period_choice *choice);

const char *period_reason_name(enum period_reason reason);

const struct period_choice *policy_period_choice(const struct policy *policy, int domain);

/* The machine as decisions see it: true if some of its rates were learned, of what threads did. */
bool policy_machine(const struct policy *policy, struct machine *machine);

const char *policy_kind_name(enum policy_kind kind);

/* -EINVAL for an unknown name. */
int policy_kind_parse(const char *name, enum policy_kind *kind) MUST_CHECK;

#endif
