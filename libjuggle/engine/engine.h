/* SPDX-License-Identifier: BSD-3-Clause */
/* One balancing turn: sample, decide, apply, feed back. Knows no clock, kernel or simulator: all
 * through ports.
 *
 * A turn of a domain is three steps (paper Fig. 2):
 *   engine_sample(processor)  for every processor of the domain, side by side if you like
 *   engine_decide(domain)     once, when all are sampled
 *   engine_apply(domain)      once, before the next sample
 * Domains are independent of each other. Arrivals, exits and processor changes may come from any
 * thread at any time: a lock lets them in between the steps. */
#ifndef JUGGLE_ENGINE_ENGINE_H
#define JUGGLE_ENGINE_ENGINE_H

#include "libjuggle/engine/ports.h"
#include "libjuggle/policy/policy.h"

struct engine;

/* Sees every event that the policy is given and the plan that it answered, in the order in which
 * the policy saw them. Called under a lock; must not call the engine. */
struct engine_recorder {
    void (*record)(void *context, const struct event *event, const struct plan *plan);
    void *context;
};

/* How often moves failed, by errno, for the first MOVE_ERRORS_MAX kinds of errors. */
enum { MOVE_ERRORS_MAX = 4 };

struct move_failures {
    struct {
        int error; /* -errno; 0: none yet */
        int64_t count;
    } kinds[MOVE_ERRORS_MAX];
};

/* Adds to the count of the error, unless there are MOVE_ERRORS_MAX other kinds. */
void move_failures_add(struct move_failures *failures, int error, int64_t count);

struct engine_statistics {
    int64_t rounds_count;
    int64_t
        migrations_count; /* moves to another processor that succeeded, first placements aside */
    int64_t moves_failed_count;
    struct move_failures failures;
    struct period_choice choice; /* of all domains */
};

/* -ENOMEM, or -EINVAL if machine or options are out of bounds. The recorder may be NULL. */
int engine_create(const struct machine *machine, const struct policy_options *options,
                  const struct ports *ports, const struct engine_recorder *recorder,
                  struct engine **engine) MUST_CHECK;
void engine_destroy(struct engine *engine);

/* Reserves an index for a thread. The caller makes the thread known to the world by this index,
 * then calls engine_thread_arrived(). -ENOSPC. */
int engine_thread_reserve(struct engine *engine, int *thread) MUST_CHECK;
/* `domain` is where its memory is, or -1. */
void engine_thread_arrived(struct engine *engine, int thread, int domain);
/* After this no port is called for the thread; its index is free again. */
void engine_thread_exited(struct engine *engine, int thread);

/* Distributes the threads that have arrived; next_ns tells when each domain wants its first
 * turn. */
void engine_start(struct engine *engine);
/* The same in pieces. False: until_ns, by the clock of the world, came before all threads were
 * placed; call it again. A change that comes meanwhile has the others placed first. */
bool engine_start_until(struct engine *engine, int64_t until_ns);
/* Threads that were not placed yet stay unplaced. */
void engine_start_abandon(struct engine *engine);
void engine_processor_lost(struct engine *engine, int processor);
void engine_processor_found(struct engine *engine, int processor);

/* Tells the policy what is known of waits that samples do not show. */
void engine_spinning(struct engine *engine, enum spinning spinning);
/* Tells the policy whether the program says that its phases are too short for turns to follow. One
 * thread calls this, as often as it likes. */
void engine_short_phases(struct engine *engine, bool told);

void engine_sample(struct engine *engine, int processor);
void engine_decide(struct engine *engine, int domain);
void engine_apply(struct engine *engine, int domain);

/* The three steps of one domain in one call, for worlds with a single balancer. */
void engine_turn(struct engine *engine, int domain);

/* The check of policy or plan that failed first, or NULL. From then on nothing is decided and no
 * thread is moved; the code that polls the engine gives the masks back. */
const char *engine_fault(const struct engine *engine);

/* When the domain wants its next turn; INT64_MAX for never. */
int64_t engine_next_ns(const struct engine *engine, int domain);
/* When it will want the turn after that, as far as can be told before the next is decided. */
int64_t engine_following_ns(const struct engine *engine, int domain);

int64_t engine_period_ns(const struct engine *engine, int domain);
/* Keeps balancers out while it reads: for reports, not for every turn. */
int engine_thread(struct engine *engine, int thread, struct thread_view *view) MUST_CHECK;
/* As policy_machine. */
bool engine_machine(struct engine *engine, struct machine *machine);
void engine_statistics(struct engine *engine, struct engine_statistics *statistics);

#endif
