/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interleavings. The rank is dry if `active` is zero: the number of threads that have tasks or may
 * get some. A thread decrements it when its own deque is empty, which only the thread itself can
 * change, and increments it again before it claims from another deque, not after. So while `active`
 * is zero, no thread holds a task and all threads' deques are empty.
 *
 * Tasks that arrive from other ranks go to the server's deque. team_dry() looks at this deque
 * first. If it is empty because a thread took its tasks, that thread had incremented `active`
 * before (the claim releases, the look acquires), and is still counted there unless it has executed
 * them since.
 *
 * In a pause threads leave their tasks where they are, and the rank is dry when no thread is
 * active: pausing.h tells why no thread can take any then.
 *
 * `wanted` and, for sharing, `active` are hints: a thread that sees them late shares a batch later.
 *
 * All else that threads and server share is handed over under `lock`: a collection at the start,
 * results at the stop. `over` only ends the search of threads, and hands nothing over.
 *
 * The parts, in this order:
 * - a thread: sharing, taking, searching
 * - the server: starting and stopping the threads, waiting
 */
#include "libjuggle/steal/runtime/team.h"

#include "libjuggle/steal/protocol/amounts.h"
#include "libjuggle/steal/runtime/inbox.h"
#include "libjuggle/steal/runtime/nap.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How long a server without a processor of its own sleeps. A thief waits for it at most this long,
 * and a worker is interrupted this often. */
static const int64_t NAP_NS = 100 * NSEC_PER_USEC;

/* The same if there are no other ranks: it only looks whether the process is to stop. */
static const int64_t NAP_ALONE_NS = 5 * NSEC_PER_MSEC;

/* How often a thread looks around before it sleeps: for about as long as one or two batches
 * take. */
enum { LOOKS = 20000, LOOKS_CROWDED = 20 };

struct team {
    struct steal_runtime *runtime;
    struct steal_collection *collection;
    pthread_mutex_t lock;
    pthread_cond_t started; /* `round` has changed, or `closing` is set */
    pthread_cond_t changed; /* `busy` or `active` became 0 */
    unsigned round;
    int busy; /* threads that have not finished the round */
    bool closing;
    int threads;
    pthread_t *thread;
    _Atomic int active;
    _Atomic bool over;
    _Atomic bool wanted;  /* another rank asked, and no thread shared any tasks */
    _Atomic int starving; /* threads whose latest look found tasks that they have no memory for */
};

/* ---- a thread ------------------------------------------------------------------------------ */

/*
 * A thread keeps a batch for itself. If it shared all but its latest tasks, which are the smallest
 * in a search of a tree, its thieves would be back at once. But in a deep and narrow tree a deque
 * may never hold more than a batch, and thieves would starve beside it.
 */
void team_share(const struct steal_collection *collection, struct worker_tasks *worker_tasks,
                uint32_t executing)
{
    struct team *team = collection->runtime->team;
    const bool wanted = atomic_load_explicit(&team->wanted, memory_order_relaxed);
    const bool hungry = wanted ||
                        atomic_load_explicit(&team->active, memory_order_relaxed) < team->threads;

    const uint32_t keep = (hungry ? 1 : (uint32_t)collection->properties.batch) - executing;

    if (worker_tasks->ordered)
        tiers_share(&worker_tasks->tiers, keep);
    else
        deque_share(&worker_tasks->deque, keep);
    if (wanted && worker_tasks_shared(worker_tasks) > 0)
        atomic_store_explicit(&team->wanted, false, memory_order_relaxed);
}

void team_want(struct team *team)
{
    atomic_store_explicit(&team->wanted, true, memory_order_relaxed);
}

static void team_work(struct steal_collection *collection, struct steal_worker *worker)
{
    struct worker_tasks *worker_tasks = &collection->worker_tasks[worker->index];

    worker_tasks->record.clock = 0;
    do
        team_share(collection, worker_tasks, 0);
    while (worker_tasks_work(collection, worker, worker_tasks) > 0);
}

/*
 * Moves up to `want` tasks from another deque to the thread's own, in that tier. Returns how many,
 * or -ENOMEM if there is no memory for them. 0, too, if the deque is full and cannot grow, because
 * claims of tasks that lay there before are pending.
 */
static int team_move(struct worker_tasks *worker_tasks, int tier, struct deque_tail *tail,
                     uint32_t want)
{
    const struct deque *deque = worker_tasks_deque(worker_tasks, tier);
    const uint32_t most = (uint32_t)min_i64(want,
                                            min_i64(DEQUE_RESERVE_MAX, deque->capacity_first));
    void *room = most > 0 ? worker_tasks_reserve(worker_tasks, tier, most) : NULL;
    struct deque_claim claim;

    if (most > 0 && !room)
        return !worker_tasks->batch || deque_may_grow(deque) ? -ENOMEM : 0;
    if (!room || deque_claim(tail, most, &claim) == 0)
        return 0;
    if (!deque_copy(tail, &claim, room))
        return 0;
    deque_complete(tail, &claim);
    worker_tasks_commit(worker_tasks, tier, claim.count);
    return (int)claim.count;
}

/* Takes half of them, whatever `amount` says for other ranks: it costs little, and the rest of an
 * arrival must never be too small to be taken. */
static int team_take(struct worker_tasks *worker_tasks, struct deque_tail *tail)
{
    return team_move(worker_tasks, -1, tail,
                     amount_of(STEAL_AMOUNT_HALF, 0, deque_tail_count(tail)));
}

/* As team_take(), for tasks that have an order: half of the work that the other one shares. */
static int team_take_ordered(struct worker_tasks *worker_tasks, struct tiers *tiers)
{
    struct tiers_part part = {.fraction = 0.5};
    int taken = 0, failed = 0;

    for (int tier = 0; tier < tiers->count; tier++) {
        struct deque_tail *tail = &tiers->deque[tier].tail;
        const uint32_t shared = deque_tail_count(tail);
        const uint32_t want = shared > 0 ? tiers_portion(tiers, &part, tier, shared) : 0;
        const int moved = team_move(worker_tasks, tier, tail, want);

        taken += moved > 0 ? moved : 0;
        failed = moved < 0 ? moved : failed;
    }
    return taken > 0 ? taken : failed;
}

static void team_leave(struct team *team)
{
    if (atomic_fetch_sub_explicit(&team->active, 1, memory_order_acq_rel) > 1)
        return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_signal(&team->changed);
    pthread_mutex_unlock(&team->lock);
}

static int team_try(struct team *team, struct worker_tasks *worker_tasks,
                    struct worker_tasks *other)
{
    int taken = 0;

    if (worker_tasks_shared(other) == 0)
        return 0;
    atomic_fetch_add(&team->active, 1);
    if (!halt_pauses(team->collection))
        taken = worker_tasks->ordered ? team_take_ordered(worker_tasks, &other->tiers)
                                      : team_take(worker_tasks, &other->deque.tail);
    if (taken > 0)
        worker_tasks->shares++;
    else
        team_leave(team);
    return taken;
}

/* Tries to take tasks of all others, from the next one on. Returns how many it took, 0 or
 * -ENOMEM. */
static int team_look_around(struct team *team, struct steal_worker *worker)
{
    struct steal_collection *collection = team->collection;
    struct worker_tasks *worker_tasks = &collection->worker_tasks[worker->index];
    int result = 0;

    for (int step = 1; step < collection->worker_tasks_length && result <= 0; step++) {
        const int other = (worker->index + step) % collection->worker_tasks_length;
        const int taken = team_try(team, worker_tasks, &collection->worker_tasks[other]);

        result = taken != 0 ? taken : result;
    }
    return result;
}

/* Searches until the thread has tasks or the process is over; true if it has tasks. Others normally
 * share within a batch: naps begin later, and stay short. */
static bool team_search(struct team *team, struct steal_worker *worker)
{
    const bool crowded = team->runtime->crowded;
    bool starving = false;
    struct nap nap = {0};

    for (int looks = 0; !atomic_load_explicit(&team->over, memory_order_relaxed); looks++) {
        const int taken = team_look_around(team, worker);

        if (starving != (taken < 0)) {
            starving = taken < 0;
            atomic_fetch_add(&team->starving, starving ? 1 : -1);
        }
        if (taken > 0)
            return true;
        if (looks >= (crowded ? LOOKS_CROWDED : LOOKS))
            nap_take(&nap, false);
        else if (crowded)
            sched_yield();
    }
    return false;
}

static void team_process(struct team *team, struct steal_worker *worker)
{
    struct worker_tasks *worker_tasks = &team->collection->worker_tasks[worker->index];
    bool found;

    do {
        team_work(team->collection, worker);
        session_begin(worker_tasks, worker, runtime_now(team->runtime));
        team_leave(team);
        found = team_search(team, worker);
        session_end(worker_tasks, worker, found ? STEAL_STATE_WORKING : STEAL_STATE_TERMINATING,
                    runtime_now(team->runtime));
    } while (found);
}

static void *team_main(void *context)
{
    struct steal_worker *worker = context;
    struct team *team = worker->runtime->team;
    unsigned round = 0;

    pthread_mutex_lock(&team->lock);
    for (;;) {
        while (team->round == round && !team->closing)
            pthread_cond_wait(&team->started, &team->lock);
        if (team->closing)
            break;
        round = team->round;
        pthread_mutex_unlock(&team->lock);
        team_process(team, worker);
        pthread_mutex_lock(&team->lock);
        if (--team->busy == 0)
            pthread_cond_signal(&team->changed);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

/* ---- the server ---------------------------------------------------------------------------- */

int team_open(struct steal_runtime *runtime, struct team **out)
{
    struct team *team = calloc(1, sizeof(*team));
    pthread_condattr_t steady;
    int error = 0;

    if (!team)
        return runtime_fail(runtime, -ENOMEM, "no memory for a team");
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->started, NULL);
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&team->changed, &steady);
    pthread_condattr_destroy(&steady);
    team->runtime = runtime;
    *out = team;
    team->thread = calloc((size_t)runtime->workers, sizeof(*team->thread));
    if (!team->thread)
        return runtime_fail(runtime, -ENOMEM, "no memory for %d threads", runtime->workers);
    while (team->threads < runtime->workers && error == 0) {
        error = pthread_create(&team->thread[team->threads], NULL, team_main,
                               &runtime->worker[team->threads]);
        team->threads += error == 0;
    }
    if (error)
        return runtime_fail(runtime, -error, "cannot start %d threads: %s", runtime->workers,
                            strerror(error));
    return 0;
}

void team_close(struct team *team)
{
    if (!team)
        return;
    pthread_mutex_lock(&team->lock);
    team->closing = true;
    pthread_cond_broadcast(&team->started);
    pthread_mutex_unlock(&team->lock);
    for (int i = 0; i < team->threads; i++)
        pthread_join(team->thread[i], NULL);
    pthread_cond_destroy(&team->changed);
    pthread_cond_destroy(&team->started);
    pthread_mutex_destroy(&team->lock);
    free(team->thread);
    free(team);
}

void team_start(struct team *team, struct steal_collection *collection)
{
    pthread_mutex_lock(&team->lock);
    team->collection = collection;
    team->busy = team->threads;
    team->active = team->threads;
    team->over = false;
    team->starving = 0;
    team->wanted = false;
    team->round++;
    pthread_cond_broadcast(&team->started);
    pthread_mutex_unlock(&team->lock);
}

void team_stop(struct team *team)
{
    atomic_store_explicit(&team->over, true, memory_order_relaxed);
    pthread_mutex_lock(&team->lock);
    while (team->busy > 0)
        pthread_cond_wait(&team->changed, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

bool team_dry(const struct steal_collection *collection)
{
    const struct team *team = collection->runtime->team;

    return (halt_pauses(collection) || worker_tasks_shared(inbox_of(collection)) == 0) &&
           atomic_load(&team->active) == 0;
}

/* `starving` is read first: a thread that has memory again increments `active` before it takes
 * tasks, and decrements `starving` before it decrements `active`. */
bool team_starves(const struct steal_collection *collection)
{
    const struct team *team = collection->runtime->team;

    return atomic_load(&team->starving) == team->threads && atomic_load(&team->active) == 0 &&
           worker_tasks_shared(inbox_of(collection)) > 0;
}

struct worker_tasks *team_richest(const struct steal_collection *collection)
{
    struct worker_tasks *richest = &collection->worker_tasks[0];

    for (int i = 1; i < collection->runtime->workers; i++)
        if (worker_tasks_shared(&collection->worker_tasks[i]) > worker_tasks_shared(richest))
            richest = &collection->worker_tasks[i];
    return richest;
}

static void team_nap(struct team *team, int64_t nap_ns)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += nap_ns;
    if (until.tv_nsec >= NSEC_PER_SEC) {
        until.tv_nsec -= NSEC_PER_SEC;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&team->changed, &team->lock, &until);
}

void team_wait(struct team *team, bool listening)
{
    if (listening && !team->runtime->crowded)
        return;
    pthread_mutex_lock(&team->lock);
    if (atomic_load_explicit(&team->active, memory_order_relaxed) > 0)
        team_nap(team, listening ? NAP_NS : NAP_ALONE_NS);
    pthread_mutex_unlock(&team->lock);
}
