/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives indexes to threads. */
#include "libjuggle/engine/state.h"

#include <errno.h>

/* The first free index; threads_max or beyond: there is none. */
static int first_free(const struct engine *engine)
{
    int word = 0;

    while (word < engine->threads_max / TAKEN_BITS && engine->taken[word] == UINT64_MAX)
        word++;
    if (engine->taken[word] == UINT64_MAX)
        return engine->threads_max;
    return word * TAKEN_BITS + __builtin_ctzll(~engine->taken[word]);
}

static uint64_t bit_of(int thread)
{
    return UINT64_C(1) << thread % TAKEN_BITS;
}

static void take(struct engine *engine, int thread)
{
    engine->threads[thread] = (struct engine_thread){.state = THREAD_RESERVED};
    engine->taken[thread / TAKEN_BITS] |= bit_of(thread);
}

void thread_index_release(struct engine *engine, int thread)
{
    (void)HOLDS(&engine->fault, engine->taken[thread / TAKEN_BITS] & bit_of(thread));
    (void)HOLDS(&engine->fault, engine->threads[thread].state != THREAD_FREE);
    engine->threads[thread].state = THREAD_FREE;
    engine->threads[thread].fresh = false;
    engine->taken[thread / TAKEN_BITS] &= ~bit_of(thread);
}

int engine_thread_reserve(struct engine *engine, int *thread)
{
    int error = -ENOSPC;

    pthread_rwlock_wrlock(&engine->change_lock);
    const int first = first_free(engine);
    /* Two threads of one index would be one to the policy, and one of them would starve. */
    if (first < engine->threads_max &&
        HOLDS(&engine->fault, engine->threads[first].state == THREAD_FREE)) {
        take(engine, first);
        *thread = first;
        error = 0;
    }
    pthread_rwlock_unlock(&engine->change_lock);
    return error;
}

bool thread_index_holds(struct engine *engine, int thread, enum engine_thread_state last)
{
    return HOLDS(&engine->fault, thread >= 0 && thread < engine->threads_max) &&
           HOLDS(&engine->fault, engine->threads[thread].state >= THREAD_RESERVED &&
                                     engine->threads[thread].state <= last);
}
