/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The features of the library beside executing tasks, over a real MPI. Rank 0 prints the results,
 * which are the same on any number of ranks.
 *
 *     features SCENARIO...        by the names below, one after the other, as JUGGLE_STEAL says
 *     features MODE SCENARIO...   "polling" or "threads", for the scenarios that follow
 */
#include "libjuggle/steal.h"
#include "libjuggle/steal/runtime/collection.h"
#include "tests/mpi/leave.h"

#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TASKS = 3000 };

static struct {
    const char *mode, *scenario; /* printed before each line */
    struct steal_runtime *runtime;
    struct steal_collection *collection;
} program;

static void check(int result, const char *what)
{
    leave_if_failed(result, what, program.runtime, program.collection);
}

static void begin(steal_exec *exec, struct steal_properties properties)
{
    check(steal_function_register(program.runtime, "task", exec, &properties.function), "register");
    properties.size = sizeof(properties);
    if (properties.task_size == 0)
        properties.task_size = sizeof(uint64_t);
    check(steal_collection_create(program.runtime, &properties, &program.collection), "create");
}

/* Most tasks are added on rank 0. */
static void seed(void)
{
    const int ranks = steal_ranks(program.runtime);

    for (uint64_t task = 0; task < TASKS; task++)
        if ((int)(task % 7 == 0 ? task % (uint64_t)ranks : 0) == steal_rank(program.runtime))
            check(steal_add(steal_seeder(program.runtime), program.collection, &task, sizeof(task)),
                  "add");
}

static void vtell(const char *format, va_list arguments)
{
    char line[2 * STEAL_MESSAGE_MAX];

    vsnprintf(line, sizeof(line), format, arguments);
    printf("%s %s: %s\n", program.mode, program.scenario, line);
    fflush(stdout);
}

/* Prints with one write, because launchers mix the output of ranks that write in pieces. */
__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vtell(format, arguments);
    va_end(arguments);
}

/* Prints on rank 0 only. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list arguments;

    if (steal_rank(program.runtime) != 0)
        return;
    va_start(arguments, format);
    vtell(format, arguments);
    va_end(arguments);
}

/* ---- storage ------------------------------------------------------------------------------- */

struct sums {
    int64_t tasks;
    double halves;
    struct steal_arg least;
    struct steal_arg_double most;
};

static void sum_up(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct sums *sums = steal_storage(worker, program.collection);

    (void)local;
    for (size_t i = 0; i < count; i++) {
        const int64_t task = ((const int64_t *)tasks)[i], value = task * 7919 % (TASKS - 1);

        sums->tasks++;
        sums->halves += (double)task / 2;
        if (value < sums->least.value || (value == sums->least.value && task < sums->least.where))
            sums->least = (struct steal_arg){value, task};
        if ((double)value > sums->most.value)
            sums->most = (struct steal_arg_double){(double)value, task};
    }
}

static void combine(void *context, void *into, const void *from)
{
    struct sums *all = into;

    (void)context;
    all->tasks += ((const struct sums *)from)->tasks;
}

static void storage(void)
{
    static const struct sums initial = {.least = {INT64_MAX, -1}, .most = {-1, -1}};
    struct sums sums = initial, other;

    begin(sum_up, (struct steal_properties){.storage = sizeof(sums), .storage_initial = &initial});
    seed();
    check(steal_process(program.collection), "process");
    check(steal_reduce(program.collection, STEAL_REDUCTION_SUM, 0, 1, &sums.tasks), "reduce");
    check(steal_reduce(program.collection, STEAL_REDUCTION_SUM_DOUBLE,
                       offsetof(struct sums, halves), 1, &sums.halves),
          "reduce");
    check(steal_reduce(program.collection, STEAL_REDUCTION_ARGMIN, offsetof(struct sums, least), 1,
                       &sums.least),
          "reduce");
    check(steal_reduce(program.collection, STEAL_REDUCTION_ARGMAX_DOUBLE,
                       offsetof(struct sums, most), 1, &sums.most),
          "reduce");
    check(steal_reduce_with(program.collection, combine, NULL, &other), "reduce with");
    say("%" PRId64 " tasks, %.1f, least %" PRId64 " at %" PRId64 ", most %.0f at %" PRId64
        ", %" PRId64 " tasks",
        sums.tasks, sums.halves, sums.least.value, sums.least.where, sums.most.value,
        sums.most.where, other.tasks);
    /* All ranks have the sum. */
    sums.tasks -= TASKS;
    check(steal_sum(program.runtime, &sums.tasks, 1), "sum");
    say("%" PRId64 " missing anywhere", sums.tasks);
    tell("disagreement is told: %d",
         steal_ranks(program.runtime) == 1 ||
             steal_reduce(program.collection, STEAL_REDUCTION_SUM, 0,
                          1 + (steal_rank(program.runtime) == 1), &sums) == -EPROTO);
}

/* ---- results ------------------------------------------------------------------------------- */

static struct {
    uint64_t count, digest;
    int in_order;
} given;

static void cube(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    uint64_t data[64];

    (void)local;
    for (size_t i = 0; i < count; i++) {
        const uint64_t task = ((const uint64_t *)tasks)[i];

        for (size_t k = 0; k < 64; k++)
            data[k] = task * task * task + k;
        if (steal_result(worker, task, data, 8 * (1 + task % 64)) < 0)
            check(steal_cancel(program.collection), steal_worker_message(worker));
    }
}

static void take(void *local, uint64_t id, const void *data, size_t size)
{
    uint64_t last;

    (void)local;
    memcpy(&last, (const char *)data + size - 8, 8);
    given.in_order &= id == given.count;
    given.count++;
    given.digest += last * (size / 8);
}

static void results(void)
{
    given.count = given.digest = 0;
    given.in_order = 1;
    begin(cube, (struct steal_properties){
                    .result = take, .results = STEAL_RESULTS_BY_ID, .results_memory = 20000});
    seed();
    check(steal_process(program.collection), "process");
    say("%" PRIu64 " results, digest %" PRIx64 ", in order: %d", given.count, given.digest,
        given.in_order);
}

static void full(void)
{
    begin(cube, (struct steal_properties){.results_path = "/dev/full"});
    seed();
    const int result = steal_process(program.collection);

    tell("%d %s", result, steal_message(program.runtime));
}

/* ---- order --------------------------------------------------------------------------------- */

/* Counts itself, and adds tasks of all levels and costs. */
static void spread(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    int64_t *sums = steal_storage(worker, program.collection);
    const int weighted = local != NULL;

    for (size_t i = 0; i < count; i++) {
        const uint64_t task = ((const uint64_t *)tasks)[i], child = task + TASKS;
        int result = 0;

        sums[0]++;
        sums[1] += (int64_t)task;
        if (task < 3 * TASKS)
            result = weighted ? steal_add_weighted(worker, program.collection,
                                                   (int64_t)(task * task), &child, sizeof(child))
                              : steal_add_level(worker, program.collection, (int)(task % 4), &child,
                                                sizeof(child));
        if (result < 0)
            check(steal_cancel(program.collection), steal_worker_message(worker));
    }
}

static void ordered(struct steal_properties properties)
{
    int64_t sums[2];

    properties.storage = sizeof(sums);
    begin(spread, properties);
    seed();
    check(steal_process(program.collection), "process");
    check(steal_reduce(program.collection, STEAL_REDUCTION_SUM, 0, 2, sums), "reduce");
    say("%" PRId64 " tasks, sum %" PRId64, sums[0], sums[1]);
}

static void levels(void)
{
    ordered((struct steal_properties){.levels = 4, .batch = 4});
}

static void weighted(void)
{
    static int yes;

    ordered((struct steal_properties){.weighted = 1, .local = &yes});
}

/* ---- waiting ------------------------------------------------------------------------------- */

enum { EDGE = 30 };

static void block(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    int64_t *sums = steal_storage(worker, program.collection);

    (void)local;
    for (size_t i = 0; i < count; i++) {
        const uint64_t task = ((const uint64_t *)tasks)[i];
        int result = 0;

        sums[0]++;
        sums[1] += (int64_t)task;
        if (task % EDGE < EDGE - 1)
            result = steal_count_down(worker, program.collection, task + 1);
        if (result == 0 && task / EDGE < EDGE - 1)
            result = steal_count_down(worker, program.collection, task + EDGE);
        if (result < 0)
            check(steal_cancel(program.collection), steal_worker_message(worker));
    }
}

/* The last task waits for `more` count-downs than it gets. */
static int blocks(int64_t more)
{
    struct steal_worker *const seeder = steal_seeder(program.runtime);
    const uint64_t ranks = (uint64_t)steal_ranks(program.runtime);

    begin(block, (struct steal_properties){.waiting = 1, .storage = 2 * sizeof(int64_t)});
    for (uint64_t task = 0; task < EDGE * EDGE; task++)
        if ((int)(task % ranks) == steal_rank(program.runtime))
            check(steal_add_waiting(seeder, program.collection, task,
                                    (task % EDGE > 0) + (task >= EDGE) +
                                        (task == EDGE * EDGE - 1 ? more : 0),
                                    &task, sizeof(task)),
                  "add");
    return steal_process(program.collection);
}

static void waiting(void)
{
    int64_t sums[2];

    check(blocks(0), "process");
    check(steal_reduce(program.collection, STEAL_REDUCTION_SUM, 0, 2, sums), "reduce");
    say("%" PRId64 " blocks, sum %" PRId64, sums[0], sums[1]);
}

static void stuck(void)
{
    const int result = blocks(1);

    if (result == -EDEADLK)
        tell("%s", steal_message(program.runtime));
    else
        tell("%d", result);
}

/* ---- impossible states --------------------------------------------------------------------- */

/* A task breaks the state of the last rank's peer. */
static void spoil(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    const struct timespec pause = {.tv_nsec = 100000};

    (void)worker, (void)local, (void)tasks, (void)count;
    if (steal_rank(program.runtime) == steal_ranks(program.runtime) - 1)
        program.collection->peer.lifelines.waiting_count = -1;
    nanosleep(&pause, NULL);
}

static void broken(void)
{
    begin(spoil, (struct steal_properties){.task_size = 4096});
    seed();
    for (int i = 0; i < 2; i++) {
        const int result = steal_process(program.collection);

        tell("%d %s", result, steal_message(program.runtime));
    }
}

static void idle(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks, (void)count;
}

static const struct transport_ops *whole;

static int receive_and_lose(struct transport *transport, uint32_t epoch, struct message *message,
                            const void **tasks)
{
    transport->ops = whole;
    program.collection->worker_tasks[0].deque.head--;
    return whole->receive(transport, epoch, message, tasks);
}

/* Balancing finds out on the last rank that it has lost a task. */
static void unbalanced(void)
{
    static struct transport_ops losing;
    const uint64_t task = 1;

    begin(idle, (struct steal_properties){.retain = STEAL_RETENTION_ALL});
    for (int i = 0; i < 2; i++)
        check(steal_add(steal_seeder(program.runtime), program.collection, &task, 8), "add");
    whole = program.collection->transport->ops;
    losing = *whole;
    losing.receive = receive_and_lose;
    if (steal_rank(program.runtime) == steal_ranks(program.runtime) - 1)
        program.collection->transport->ops = &losing;
    const int result = steal_rebalance(program.collection, NULL);

    tell("%d %s", result, steal_message(program.runtime));
}

static void *no_room(struct transport *transport)
{
    (void)transport;
    return NULL;
}

/* From now on the last rank has no room for messages. */
static void starve(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    static struct transport_ops starving;
    struct transport *transport = program.collection->transport;

    (void)local, (void)count;
    if (steal_rank(program.runtime) < steal_ranks(program.runtime) - 1)
        return;
    starving = *transport->ops;
    starving.room = no_room;
    transport->ops = &starving;
    check(steal_count_down(worker, program.collection, *(const uint64_t *)tasks), "count down");
}

/* The last rank surely has its task, because no rank may steal it. */
static void starved(void)
{
    const uint64_t task = 1;

    begin(starve, (struct steal_properties){.isolate = 1, .waiting = 1});
    check(steal_add(steal_seeder(program.runtime), program.collection, &task, sizeof(task)), "add");
    for (int i = 0; i < 2; i++) {
        const int result = steal_process(program.collection);

        tell("%d %s", result, steal_message(program.runtime));
    }
}

static const struct {
    const char *name;
    void (*play)(void);
} scenarios[] = {
    {"storage", storage},   {"results", results},       {"full", full},   {"levels", levels},
    {"weighted", weighted}, {"waiting", waiting},       {"stuck", stuck}, {"broken", broken},
    {"starved", starved},   {"unbalanced", unbalanced},
};

static int play(const char *name)
{
    struct steal_error error;

    program.scenario = name;
    program.collection = NULL;
    if (steal_runtime_create(NULL, NULL, &program.runtime, &error) < 0)
        return fprintf(stderr, "%s\n", error.message), 1;
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
        if (strcmp(name, scenarios[i].name) == 0)
            scenarios[i].play();
    steal_collection_destroy(program.collection);
    return steal_runtime_destroy(program.runtime) < 0;
}

int main(int argc, char **argv)
{
    int provided, failed = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    program.mode = "any";
    for (int i = 1; i < argc; i++) {
        const int threads = strcmp(argv[i], "threads") == 0;

        if (!threads && strcmp(argv[i], "polling") != 0) {
            failed |= play(argv[i]);
            continue;
        }
        program.mode = argv[i];
        setenv("JUGGLE_STEAL", threads ? "mode=threads,workers=2" : "mode=polling", 1);
    }
    MPI_Finalize();
    return failed;
}
