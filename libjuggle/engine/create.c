/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates an engine with all its buffers, and frees it: no turn allocates. */
#include "libjuggle/engine/state.h"

#include <errno.h>
#include <stdlib.h>

static int turn_init(struct turn *turn, int threads_max)
{
    const size_t count = (size_t)threads_max;

    turn->plan.moves = calloc(count, sizeof(*turn->plan.moves));
    turn->results = calloc(count, sizeof(*turn->results));
    turn->moved = calloc(count, sizeof(*turn->moved));
    turn->samples = calloc(count, sizeof(*turn->samples));
    turn->plan.moves_max = threads_max;
    turn->next_ns = INT64_MAX;
    return turn->plan.moves && turn->results && turn->moved && turn->samples ? 0 : -ENOMEM;
}

static void turn_release(struct turn *turn)
{
    free(turn->plan.moves);
    free(turn->results);
    free(turn->moved);
    free(turn->samples);
}

static int buffers_create(struct engine *engine, int64_t policy_size)
{
    const size_t alignment = 64;
    const size_t domains = (size_t)engine->machine.domains_count;
    int error;

    engine->policy_memory = aligned_alloc(alignment, (size_t)policy_size);
    engine->threads = calloc((size_t)engine->threads_max, sizeof(*engine->threads));
    engine->turns = calloc(domains, sizeof(*engine->turns));
    if (!engine->policy_memory || !engine->threads || !engine->turns)
        return -ENOMEM;
    error = turn_init(&engine->changes, engine->threads_max);
    for (int i = 0; !error && i < engine->machine.domains_count; i++) {
        engine->turns[i].first = machine_domain_first(&engine->machine, i);
        engine->turns[i].count = machine_domain_count(&engine->machine, i);
        error = turn_init(&engine->turns[i], engine->threads_max);
    }
    return error;
}

int engine_create(const struct machine *machine, const struct policy_options *options,
                  const struct ports *ports, const struct engine_recorder *recorder,
                  struct engine **result)
{
    const int64_t policy_size = policy_footprint(machine, options);
    struct engine *engine;
    int error;

    if (policy_size < 0)
        return (int)policy_size;
    engine = calloc(1, sizeof(*engine));
    if (!engine)
        return -ENOMEM;
    engine->machine = *machine;
    engine->ports = *ports;
    engine->threads_max = options->threads_max;
    if (recorder)
        engine->recorder = *recorder;
    pthread_rwlock_init(&engine->change_lock, NULL);
    pthread_mutex_init(&engine->recorder_lock, NULL);
    pthread_mutex_init(&engine->failures_lock, NULL);
    error = buffers_create(engine, policy_size);
    if (error) {
        engine_destroy(engine);
        return error;
    }
    engine->policy = policy_init(engine->policy_memory, machine, options);
    for (int i = 0; i < machine->domains_count; i++)
        turn_announce(engine, i, INT64_MAX);
    *result = engine;
    return 0;
}

void engine_destroy(struct engine *engine)
{
    if (!engine)
        return;
    for (int i = 0; engine->turns && i < engine->machine.domains_count; i++)
        turn_release(&engine->turns[i]);
    turn_release(&engine->changes);
    free(engine->turns);
    free(engine->threads);
    free(engine->policy_memory);
    pthread_mutex_destroy(&engine->failures_lock);
    pthread_mutex_destroy(&engine->recorder_lock);
    pthread_rwlock_destroy(&engine->change_lock);
    free(engine);
}
