/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that use the interface in ways that do not fit together. Prints what each call returned.
 * Usage: CHECKPOINT=FILE manners SCENARIO... (by the names below, one after the other; all need two
 * ranks)
 */
#include "libjuggle/steal.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/steal/runtime/collection.h"

#include <errno.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct steal_runtime *runtime;
static struct steal_collection *first, *second;
static const char *scenario; /* printed before each line */
static int rank;

static void tell(const char *what, int result)
{
    printf("%s: rank %d, %s: %d%s%s\n", scenario, rank, what, result, result < 0 ? " " : "",
           result < 0 ? steal_message(runtime) : "");
    fflush(stdout);
}

static void nothing(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks, (void)count;
}

/* The task that holds 1 cancels. */
static void cancel_one(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct steal_collection **collection = local;
    const int64_t *task = tasks;

    (void)worker, (void)count;
    if (*task == 1 && steal_cancel(*collection) < 0)
        fprintf(stderr, "canceling was refused\n");
}

/* Tasks are integers unless another size is wished. */
static int open_collection(struct steal_properties properties, const char *name, steal_exec *exec,
                           struct steal_collection **collection)
{
    const int result = steal_function_register(runtime, name, exec, &properties.function);

    properties.size = sizeof(properties);
    if (properties.task_size == 0)
        properties.task_size = sizeof(int64_t);
    return result < 0 ? result : steal_collection_create(runtime, &properties, collection);
}

static void other_collection(void)
{
    tell("process", steal_process(rank == 0 ? first : second));
    tell("process again", steal_process(first));
}

static void other_call(void)
{
    int64_t one = 1;

    tell(rank == 0 ? "process" : "sum",
         rank == 0 ? steal_process(first) : steal_sum(runtime, &one, 1));
    tell("sum again", steal_sum(runtime, &one, 1));
}

static void other_count(void)
{
    int64_t values[2] = {1, 1};

    tell("sum", steal_sum(runtime, values, rank == 0 ? 1 : 2));
}

static void departed(void)
{
    if (rank == 1)
        tell("process", steal_process(first));
}

static void bad_trace(void)
{
    tell("trace", steal_trace_write(runtime, "/nonexistent/trace.csv"));
}

static void canceled(void)
{
    const int64_t task = 1;

    if (rank == 1 && steal_add(steal_seeder(runtime), second, &task, sizeof(task)) < 0)
        return;
    tell("process", steal_process(second));
    tell("process again", steal_process(second));
}

static void undestroyed(void)
{
    steal_collection_destroy(second);
    steal_collection_destroy(rank == 0 ? first : NULL);
    tell("destroy", steal_runtime_destroy(runtime));
    steal_collection_destroy(rank == 0 ? NULL : first);
    first = second = NULL;
}

/* Reserves, and does not commit. */
static void reserve(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct steal_collection **collection = local;
    void *room;

    (void)tasks, (void)count;
    if (steal_reserve(worker, *collection, 2, &room) < 0)
        fprintf(stderr, "the reservation was refused\n");
}

static void uncommitted(void)
{
    static struct steal_collection *third;
    const struct steal_properties properties = {.local = &third, .isolate = 1};
    const int64_t task = 1;

    if (open_collection(properties, "third", reserve, &third) < 0 ||
        (rank == 1 && steal_add(steal_seeder(runtime), third, &task, sizeof(task)) < 0))
        return;
    tell("process", steal_process(third));
    tell("process again", steal_process(third));
    steal_collection_destroy(third);
}

/* Each steal takes twenty tasks of 64 KiB, in twenty messages. */
static void large(void)
{
    enum { TASKS = 64 };
    static char task[STEAL_TASK_SIZE_MAX];
    const struct steal_properties properties = {
        .task_size = sizeof(task), .amount = STEAL_AMOUNT_CHUNK, .chunk = 20, .tasks = TASKS};
    struct steal_collection *collection;
    struct steal_statistics sum = {.size = sizeof(struct steal_statistics)};

    if (open_collection(properties, "large", nothing, &collection) < 0)
        return;
    for (int i = 0; rank == 0 && i < TASKS; i++)
        if (steal_add(steal_seeder(runtime), collection, task, sizeof(task)) < 0)
            return;
    tell("process", steal_process(collection));
    if (steal_statistics_sum(collection, &sum) == 0 && rank == 0)
        printf("%s: all executed: %d, 20 a steal: %d\n", scenario, sum.tasks_executed == TASKS,
               sum.tasks_taken == 20 * sum.steals_successful);
    steal_collection_destroy(collection);
}

static void latecomer(void)
{
    enum { LATE_US = 300000 };
    struct steal_statistics statistics = {.size = sizeof(struct steal_statistics)};
    int64_t came_ns;

    usleep(rank == 1 ? LATE_US : 0);
    came_ns = clock_now_ns();
    tell("process", steal_process(first));
    const int64_t left_ns = clock_now_ns();
    MPI_Bcast(&came_ns, 1, MPI_INT64_T, 1, MPI_COMM_WORLD);
    if (steal_statistics_rank(first, &statistics) == 0 && rank == 0)
        printf("%s: waited within: %d\n", scenario, statistics.elapsed_ns > left_ns - came_ns);
}

/* ---- without memory ------------------------------------------------------------------------ */

static int no_letters;
static int no_affinity;
static long fails_at; /* the number of this program's allocation that fails, from 1 on; 0: none */

extern char __executable_start, etext;
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

/* True if this program called it: allocations of MPI do not count. */
static int is_ours(const void *caller)
{
    const char *at = caller;

    return at > &__executable_start && at < &etext;
}

static int fails_now(const void *caller)
{
    return fails_at > 0 && is_ours(caller) && --fails_at == 0;
}

void *malloc(size_t size)
{
    return fails_now(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails_now(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails_now(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

/* Stands in for the C library's: there is no memory for messages. */
int posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (no_letters && size > STEAL_TASK_SIZE_MAX && size < 2 * STEAL_TASK_SIZE_MAX)
        return ENOMEM;
    *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    return *memory ? 0 : ENOMEM;
}

/* Rank 0 receives nothing before rank 1 has left; rank 1 sends more than there is memory for
 * messages. */
static void say_much(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    enum { NUMBERS = 100000 };
    struct steal_collection **collection = local;

    (void)tasks, (void)count;
    if (rank == 0)
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (uint64_t id = 0; rank == 1 && id < NUMBERS; id++)
        if (steal_count_down(worker, *collection, id) < 0)
            fprintf(stderr, "counting was refused\n");
    no_letters = rank;
}

static void starving(void)
{
    static struct steal_collection *third;
    const struct steal_properties properties = {.local = &third, .isolate = 1, .waiting = 1};
    const int64_t task = 1;

    if (open_collection(properties, "third", say_much, &third) < 0 ||
        steal_add(steal_seeder(runtime), third, &task, sizeof(task)) < 0)
        return;
    tell("process", steal_process(third));
    printf("%s: rank %d, failed: %d\n", scenario, rank, steal_runtime_failed(runtime));
    no_letters = 0;
    if (rank == 1)
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    steal_collection_destroy(third);
}

static void *no_room(struct transport *transport)
{
    (void)transport;
    return NULL;
}

/* From now on rank 1 has no room for its messages about balancing. */
static void balance_mute(int (*balance)(struct steal_collection *collection))
{
    static struct transport_ops mute;
    static struct steal_collection *third;
    const struct steal_properties properties = {.retain = STEAL_RETENTION_ALL, .balance_every = 1};

    if (open_collection(properties, "third", nothing, &third) < 0)
        return;
    tell("process", steal_process(third));
    mute = *third->transport->ops;
    mute.room = rank == 1 ? no_room : mute.room;
    third->transport->ops = &mute;
    tell("balance", balance(third));
    tell("process again", steal_process(third));
    steal_collection_destroy(third);
}

static int rebalance(struct steal_collection *collection)
{
    return steal_rebalance(collection, NULL);
}

static void balance_muted(void)
{
    balance_mute(rebalance);
}

static void process_muted(void)
{
    balance_mute(steal_process);
}

static void bad_communicators(void)
{
    MPI_Comm bad = MPI_COMM_NULL, half;
    struct steal_runtime *never;
    struct steal_error error = {""};
    int result = steal_runtime_create(&bad, NULL, &never, &error);

    printf("%s: rank %d, null: %d %s\n", scenario, rank, result, error.message);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank, 0, &bad);
    result = steal_runtime_create(&bad, NULL, &never, &error);
    printf("%s: rank %d, between groups: %d %s\n", scenario, rank, result, error.message);
    MPI_Comm_free(&bad);
    MPI_Comm_free(&half);
}

/* Lets an allocation of rank 1 fail; returns whether it did. */
static int starve(long at, int (*attempt)(void))
{
    int failed;

    fails_at = rank == 1 ? at : 0;
    const int result = attempt();
    failed = rank == 1 && fails_at == 0;
    fails_at = 0;
    MPI_Bcast(&failed, 1, MPI_INT, 1, MPI_COMM_WORLD);
    if (failed && result != (rank == 1 ? -ENOMEM : -ECANCELED) && result != -ENOMEM)
        printf("%s: rank %d, allocation %ld: %d\n", scenario, rank, at, result);
    return failed;
}

static void starve_all(long from, int (*attempt)(void))
{
    long at = from;

    while (starve(at, attempt))
        at++;
    if (rank == 0)
        printf("%s: all told of several: %d\n", scenario, at > from + 2);
    fflush(stdout);
}

static int create_again(void)
{
    struct steal_runtime *again;
    struct steal_error error;
    const int result = steal_runtime_create(NULL, NULL, &again, &error);

    if (result == 0)
        (void)!steal_runtime_destroy(again);
    return result;
}

static void starved_runtimes(void)
{
    starve_all(1, create_again);
}

/* Stands in for the C library's: a rank cannot tell its processors. */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    long result;

    if (no_affinity && is_ours(__builtin_return_address(0))) {
        errno = EPERM;
        return -1;
    }
    result = syscall(SYS_sched_getaffinity, pid, size, set);
    if (result < 0)
        return -1;
    memset((char *)set + result, 0, size - (size_t)result);
    return 0;
}

static void blind(void)
{
    struct steal_runtime *never;
    struct steal_error error = {""};

    no_affinity = rank == 1;
    const int result = steal_runtime_create(NULL, NULL, &never, &error);
    no_affinity = 0;
    printf("%s: rank %d, create: %d %s\n", scenario, rank, result, error.message);
    fflush(stdout);
}

static int resume(void)
{
    enum { SIZE = 1000 };
    static char data[SIZE], none[SIZE];
    struct steal_checkpoint settings = {
        .size = sizeof(settings), .path = getenv("CHECKPOINT"), .data = data, .data_size = SIZE};
    const struct steal_properties properties = {.size = sizeof(properties),
                                                .task_size = sizeof(int64_t),
                                                .function = second->properties.function};
    struct steal_collection *third;
    const long at = fails_at;

    fails_at = 0;
    memset(data, 0, SIZE);
    if (steal_collection_create(runtime, &properties, &third) < 0)
        exit(1);
    fails_at = at;
    const int result = steal_checkpoint(third, &settings);
    const long left = fails_at;
    fails_at = 0;
    if (result < 0 && memcmp(data, none, SIZE) != 0)
        printf("%s: rank %d: its data has changed\n", scenario, rank);
    if (result == 0) {
        memset(data, 1, SIZE);
        (void)!steal_process(third);
    }
    steal_collection_destroy(third);
    fails_at = left;
    return result;
}

static void starved_checkpoints(void)
{
    remove(getenv("CHECKPOINT"));
    MPI_Barrier(MPI_COMM_WORLD);
    tell("first", resume());
    starve_all(1, resume);
    remove(getenv("CHECKPOINT"));
}

static const struct {
    const char *name;
    void (*play)(void);
} scenarios[] = {
    {"other-collection", other_collection},
    {"other-call", other_call},
    {"other-count", other_count},
    {"departed", departed},
    {"bad-trace", bad_trace},
    {"canceled", canceled},
    {"undestroyed", undestroyed},
    {"uncommitted", uncommitted},
    {"large", large},
    {"latecomer", latecomer},
    {"starving", starving},
    {"starved-runtimes", starved_runtimes},
    {"blind", blind},
    {"starved-checkpoints", starved_checkpoints},
    {"balance-muted", balance_muted},
    {"process-muted", process_muted},
    {"bad-communicators", bad_communicators},
};

static int play(void (*scenario_play)(void))
{
    const struct steal_properties properties = {.local = &second};
    const struct steal_options options = {.size = sizeof(struct steal_options), .trace_events = 16};
    struct steal_error error;

    if (steal_runtime_create(NULL, &options, &runtime, &error) < 0)
        return 1;
    rank = steal_rank(runtime);
    if (*steal_message(runtime))
        printf("warning: %s\n", steal_message(runtime));
    if (open_collection(properties, "first", nothing, &first) < 0 ||
        open_collection(properties, "second", cancel_one, &second) < 0)
        return 1;
    scenario_play();
    steal_collection_destroy(second);
    steal_collection_destroy(first);
    return steal_runtime_destroy(runtime) < 0;
}

int main(int argc, char **argv)
{
    int failed = 0;

    MPI_Init(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        scenario = argv[i];
        for (size_t k = 0; k < sizeof(scenarios) / sizeof(scenarios[0]); k++)
            if (strcmp(scenario, scenarios[k].name) == 0)
                failed |= play(scenarios[k].play);
    }
    MPI_Finalize();
    return failed;
}
