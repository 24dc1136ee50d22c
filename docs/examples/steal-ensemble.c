/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An ensemble: the same model with many parameters, and a task for each. It is not known beforehand
 * which tasks take long. Each member is a pendulum, and its task finds the period. Compile with
 *     cc -O2 steal-ensemble.c -o steal-ensemble $(pkg-config --cflags --libs libjuggle-steal) -lm
 * and run as
 *     mpirun -n 4 ./steal-ensemble [LEDGER]
 * The file LEDGER keeps the durations of members: the next run begins balanced by them.
 */
#include <juggle/steal.h>
#include <math.h>
#include <stdio.h>

enum { MEMBERS = 2000 };

struct member {
    uint64_t index;
};

/* The periods that this rank has found. The others are 0, so that the sum over ranks has all. */
static int64_t period_ns[MEMBERS];

/* Integrates a quarter of the swing in small steps: the larger the angle, the more steps. */
static double period_of(double angle)
{
    const double step = 2e-4;
    double position = angle, speed = 0, time = 0;

    for (; position > 0; time += step) {
        speed -= step * sin(position);
        position += step * speed;
    }
    return 4 * time;
}

static void swing(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    const struct member *member = tasks;

    (void)worker, (void)local;
    for (size_t i = 0; i < count; i++) {
        const double share = (double)(member[i].index + 1) / MEMBERS;

        period_ns[member[i].index] = llround(1e9 * period_of(0.999 * acos(-1) * share));
    }
}

/* Identifies a member in all runs. */
static uint64_t member_key(const void *local, const void *task)
{
    (void)local;
    return ((const struct member *)task)->index;
}

/* Seeds members round-robin over the ranks. It is no failure if the ledger does not exist yet. */
static int run(struct steal_runtime *runtime, struct steal_collection *members, const char *ledger)
{
    struct member member;

    for (member.index = (uint64_t)steal_rank(runtime); member.index < MEMBERS;
         member.index += (uint64_t)steal_ranks(runtime))
        if (steal_add(steal_seeder(runtime), members, &member, sizeof(member)) < 0)
            return -1;
    if (ledger && steal_ledger_load(members, ledger) == 0 && steal_rebalance(members, NULL) < 0)
        return -1;
    if (steal_process(members) < 0 || (ledger && steal_ledger_save(members, ledger) < 0))
        return -1;
    return steal_sum(runtime, period_ns, MEMBERS);
}

int main(int argc, char **argv)
{
    struct steal_error error;
    struct steal_runtime *runtime;
    struct steal_collection *members = NULL;
    struct steal_properties properties = {
        .size = sizeof(struct steal_properties),
        .task_size = sizeof(struct member),
        .retain = STEAL_RETENTION_SEEDED,
        .key = member_key,
    };

    if (steal_runtime_create(NULL, NULL, &runtime, &error) < 0)
        return fprintf(stderr, "%s\n", error.message), 1;
    const int failed = steal_function_register(runtime, "swing", swing, &properties.function) < 0 ||
                       steal_collection_create(runtime, &properties, &members) < 0 ||
                       run(runtime, members, argc > 1 ? argv[1] : NULL) < 0;
    if (failed)
        fprintf(stderr, "%s\n", steal_message(runtime));
    else if (steal_rank(runtime) == 0)
        printf("periods from %.3f to %.3f\n", (double)period_ns[0] / 1e9,
               (double)period_ns[MEMBERS - 1] / 1e9);
    steal_collection_destroy(members);
    return steal_runtime_destroy(runtime) < 0 || failed;
}
