/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that lack memory, or may not ask for their processors. Prints what each call returned.
 * Usage: CHECKPOINT=FILE starved SCENARIO... (by the names below, one after the other; all need two
 * ranks)
 */
#include "libjuggle/steal/runtime/collection.h"

#include "tests/mpi/scenarios.h" /* last: its variables would be shadowed in other headers */

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

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

static const struct scenario scenarios[] = {
    {"starving", starving},
    {"starved-runtimes", starved_runtimes},
    {"blind", blind},
    {"starved-checkpoints", starved_checkpoints},
    {"balance-muted", balance_muted},
    {"process-muted", process_muted},
};

int main(int argc, char **argv)
{
    (void)argc;
    return play_all(argv + 1, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
}
