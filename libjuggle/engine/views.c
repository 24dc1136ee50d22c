/* SPDX-License-Identifier: BSD-3-Clause */
/* What reports, and balancers that sleep until the next turn, ask of the engine. */
#include "libjuggle/engine/state.h"

void move_failures_add(struct move_failures *failures, int error, int64_t count)
{
    for (int i = 0; i < MOVE_ERRORS_MAX; i++) {
        if (failures->kinds[i].error && failures->kinds[i].error != error)
            continue;
        failures->kinds[i].error = error;
        failures->kinds[i].count += count;
        return;
    }
}

const char *engine_fault(const struct engine *engine)
{
    return fault_text(&engine->fault);
}

int64_t engine_next_ns(const struct engine *engine, int domain)
{
    return engine->turns[domain].next_ns;
}

int64_t engine_following_ns(const struct engine *engine, int domain)
{
    return engine->turns[domain].following_ns;
}

int64_t engine_period_ns(const struct engine *engine, int domain)
{
    return engine->turns[domain].period_ns;
}

int engine_thread(struct engine *engine, int thread, struct thread_view *view)
{
    pthread_rwlock_wrlock(&engine->change_lock);
    const int error = policy_thread(engine->policy, thread, view);
    pthread_rwlock_unlock(&engine->change_lock);
    return error;
}

/* The choices of all domains; the phases are those of the first that knows them. */
static struct period_choice sum_choices(const struct engine *engine)
{
    struct period_choice sum = {0};

    for (int domain = 0; domain < engine->machine.domains_count; domain++) {
        const struct period_choice *choice = policy_period_choice(engine->policy, domain);
        if (!sum.phase_ns)
            sum.phase_ns = choice->phase_ns;
        for (int reason = 0; reason < PERIOD_REASONS_COUNT; reason++) {
            sum.turns_count[reason] += choice->turns_count[reason];
            sum.time_ns[reason] += choice->time_ns[reason];
        }
    }
    return sum;
}

bool engine_machine(struct engine *engine, struct machine *machine)
{
    pthread_rwlock_wrlock(&engine->change_lock);
    const bool learned = policy_machine(engine->policy, machine);
    pthread_rwlock_unlock(&engine->change_lock);
    return learned;
}

void engine_statistics(struct engine *engine, struct engine_statistics *statistics)
{
    pthread_rwlock_wrlock(&engine->change_lock);
    *statistics = (struct engine_statistics){
        .rounds_count = engine->rounds_count,
        .migrations_count = engine->migrations_count,
        .moves_failed_count = engine->moves_failed_count,
        .failures = engine->failures, /* the lock is held for writing: no thread is moved */
        .choice = sum_choices(engine),
    };
    pthread_rwlock_unlock(&engine->change_lock);
}
