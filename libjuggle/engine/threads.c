/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives indexes to threads. */
#include "libjuggle/engine/state.h"

#include <errno.h>

/* The first free index; threads_max: there is none. */
static int first_free(struct engine *engine)
{
    if (!HOLDS(&engine->fault, engine->free_from >= 0))
        return engine->threads_max;
    while (engine->free_from < engine->threads_max &&
           engine->threads[engine->free_from].state != THREAD_FREE)
        engine->free_from++;
    return engine->free_from;
}

void thread_index_release(struct engine *engine, int thread)
{
    (void)HOLDS(&engine->fault, engine->threads[thread].state != THREAD_FREE);
    engine->threads[thread].state = THREAD_FREE;
    engine->threads[thread].fresh = false;
    engine->free_from = (int)min_i64(engine->free_from, thread);
}

int engine_thread_reserve(struct engine *engine, int *thread)
{
    int error = -ENOSPC;

    pthread_rwlock_wrlock(&engine->change_lock);
    const int first = first_free(engine);
    if (first < engine->threads_max) {
        engine->threads[first] = (struct engine_thread){.state = THREAD_RESERVED};
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
