/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An ensemble that outlives its job: each member is a pendulum, and its task finds the period. A
 * checkpoint keeps the remaining tasks for another run, on any number of ranks. Compile with
 *     cc -O2 steal-restart.c -o steal-restart $(pkg-config --cflags --libs libjuggle-steal) -lm
 * and run as
 *     mpirun -n 4 ./steal-restart [RESULTS [CHECKPOINT]]
 * SIGUSR1 (sbatch --signal=USR1@60) stops it; the same command then resumes it.
 */
#include <juggle/steal.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>

enum { MEMBERS = 2000 };

static struct steal_collection *members;
static volatile sig_atomic_t wanted;
/* Integrates a quarter of the swing in small steps: the larger the angle, the more steps. */
static double period_of(double angle)
{
    double position = angle, speed = 0, time = 0;

    for (; position > 0; time += 2e-4) {
        speed -= 2e-4 * sin(position);
        position += 2e-4 * speed;
    }
    return 4 * time;
}

/* Writes a line to the file of results, and adds the period to the worker's sum. */
static void swing(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    const uint64_t *member = tasks;
    double *sum = steal_storage(worker, members);
    char line[64];

    (void)local;
    for (size_t i = 0; i < count; i++) {
        const double angle = 0.999 * acos(-1) * (double)(member[i] + 1) / MEMBERS;
        const double period = period_of(angle);
        const int length = snprintf(line, sizeof(line), "%.6f,%.6f\n", angle, period);

        *sum += period;
        if (steal_result(worker, member[i], line, (size_t)length) < 0)
            steal_cancel(members); /* no memory, or no disk space */
    }
}

static void on_signal(int number)
{
    wanted = number;
    steal_stop(members);
}

/* If the checkpoint exists, steal_checkpoint() adds the remaining tasks; none is added here. */
static int run(struct steal_runtime *runtime, const char *path, double *sum)
{
    const struct steal_checkpoint settings = {
        .size = sizeof(settings), .path = path, .every_ns = 10 * INT64_C(1000000000)};
    int result = steal_checkpoint(members, &settings);

    for (uint64_t member = (uint64_t)steal_rank(runtime); result == 0 && member < MEMBERS;
         member += (uint64_t)steal_ranks(runtime))
        if (steal_add(steal_seeder(runtime), members, &member, sizeof(member)) < 0)
            return -1;
    if (wanted) /* the signal came before there was a collection to stop */
        steal_stop(members);
    if (result >= 0)
        result = steal_process(members);
    return result != 0 ? result : steal_reduce(members, STEAL_REDUCTION_SUM_DOUBLE, 0, 1, sum);
}

int main(int argc, char **argv)
{
    struct steal_error error;
    struct steal_runtime *runtime;
    struct steal_properties properties = {
        .size = sizeof(properties), .task_size = sizeof(uint64_t), .storage = sizeof(double)};
    double sum = 0;
    int result = -1;

    properties.results = STEAL_RESULTS_BY_ID;
    properties.results_path = argc > 1 ? argv[1] : "periods.csv";
    signal(SIGUSR1, on_signal);
    if (steal_runtime_create(NULL, NULL, &runtime, &error) < 0)
        return fprintf(stderr, "%s\n", error.message), 1;
    if (steal_function_register(runtime, "swing", swing, &properties.function) == 0 &&
        steal_collection_create(runtime, &properties, &members) == 0)
        result = run(runtime, argc > 2 ? argv[2] : "members.checkpoint", &sum);
    if (result < 0)
        fprintf(stderr, "%s\n", steal_message(runtime));
    else if (steal_rank(runtime) == 0)
        result == STEAL_STOPPED ? puts("stopped: the same command goes on")
                                : printf("mean period %.6f\n", sum / MEMBERS);
    signal(SIGUSR1, SIG_IGN); /* there will be no collection to stop */
    steal_collection_destroy(members);
    return steal_runtime_destroy(runtime) < 0 || result < 0;
}
