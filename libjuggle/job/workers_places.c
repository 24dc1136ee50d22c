/* SPDX-License-Identifier: BSD-3-Clause */
/* Which threads join the workers, and which leave them, once the set was complete.
 *
 * The parts, in this order: how one joins or leaves; leaving for idleness; giving way to one that
 * does more; filling places, and making them. */
#include "libjuggle/job/workers_state.h"

/* All searches for threads that give way together end after this many steps, about a millisecond:
 * the next decision goes on with the threads that were not reached. */
enum { STEPS_MAX = 1 << 17 };

static void leave(struct workers *workers, int index, const struct workers_listener *listener)
{
    if (!HOLDS(&workers->fault, workers->candidates[index].working))
        return;
    work_end(workers, &workers->candidates[index]);
    listener->left(listener->context, index);
}

static void join(struct workers *workers, int index, const struct workers_listener *listener)
{
    if (!HOLDS(&workers->fault, !workers->candidates[index].working) ||
        !HOLDS(&workers->fault, may_work(&workers->candidates[index])))
        return;
    workers->candidates[index].working = true;
    workers->working_count++;
    listener->joined(listener->context, index);
}

/* A thread that has worked for long may pause for long. MPI's progress threads are busy while a
 * rank starts, and then no more. */
static int64_t patience_with(const struct candidate *candidate)
{
    const int64_t worked_ns = demand_until_quiet(&candidate->demand);

    return clamp_i64(WORKERS_PAUSE_SHARE * worked_ns, WORKERS_IDLE_MIN_NS, WORKERS_IDLE_NS);
}

void workers_idle_leave(struct workers *workers, int64_t now_ns,
                        const struct workers_listener *listener)
{
    for (int i = 0; i < workers->limit; i++) {
        const struct candidate *candidate = &workers->candidates[i];
        bool idle = workers->idle < 0 && workers->expected == 0 &&
                    demand_is_quiet_for(&candidate->demand, patience_with(candidate), now_ns);
        if (candidate->working && (idle || !may_work(candidate)))
            leave(workers, i, listener);
    }
}

/* True if the worker has demanded less in all, and little of late: next to nothing for a while, or
 * less than half since no more threads came. */
static bool gives_way(const struct demand *worker, const struct demand *newcomer, int64_t now_ns)
{
    if (demand_since_arrival(worker) >= demand_since_arrival(newcomer))
        return false;
    return demand_is_quiet_for(worker, DEMAND_PAUSE_NS, now_ns) ||
           demand_since_settled(newcomer) > 2 * demand_since_settled(worker) + DEMAND_WINDOW_NS;
}

/* Finds a place by sending a worker away that works less. */
static bool place_make(struct workers *workers, const struct candidate *newcomer, int64_t now_ns,
                       const struct workers_listener *listener, int *steps_left)
{
    for (int i = 0; i < workers->limit; i++) {
        const struct candidate *worker = &workers->candidates[i];
        --*steps_left;
        if (worker->working && gives_way(&worker->demand, &newcomer->demand, now_ns)) {
            leave(workers, i, listener);
            return true;
        }
    }
    return false;
}

static bool wants_place(const struct workers *workers, const struct candidate *candidate)
{
    return !candidate->working && wants_work(workers, candidate);
}

/* Gives free places to the newest threads, because launchers come before those that they launch. */
static void free_places_fill(struct workers *workers, const struct workers_listener *listener)
{
    int count = 0;

    if (workers->working_count >= workers->expected)
        return;
    for (int i = 0; i < workers->limit; i++)
        if (wants_place(workers, &workers->candidates[i]))
            workers->sorted[count++] = (struct sort_item){-(int64_t)workers->candidates[i].number,
                                                          i};
    sort_items(workers->sorted, count);
    for (int i = 0; i < count && workers->working_count < workers->expected; i++)
        join(workers, workers->sorted[i].index, listener);
}

/* Makes places when all are taken, for threads that demand more. */
static void places_make(struct workers *workers, int64_t now_ns,
                        const struct workers_listener *listener)
{
    int steps_left = STEPS_MAX;

    for (int count = 0; count < workers->limit && steps_left > 0; count++) {
        const int index = workers->place_next % workers->limit;
        const struct candidate *candidate = &workers->candidates[index];
        workers->place_next = index + 1;
        if (wants_place(workers, candidate) &&
            place_make(workers, candidate, now_ns, listener, &steps_left))
            join(workers, index, listener);
    }
    if (steps_left > 0)
        workers->place_next = 0;
}

void workers_busy_join(struct workers *workers, int64_t now_ns,
                       const struct workers_listener *listener)
{
    if (workers->expected > 0) {
        free_places_fill(workers, listener);
        places_make(workers, now_ns, listener);
        return;
    }
    for (int i = 0; i < workers->limit; i++)
        if (wants_place(workers, &workers->candidates[i]))
            join(workers, i, listener);
}
