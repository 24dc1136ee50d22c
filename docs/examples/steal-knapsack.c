/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The best load of a knapsack: all ranks share the greatest value found, and skip loads that cannot
 * exceed it. If any argument is given, each worker uses only its own greatest value. Compile with
 *     cc -O2 steal-knapsack.c -o steal-knapsack $(pkg-config --cflags --libs libjuggle-steal)
 * and run as
 *     mpirun -n 4 ./steal-knapsack
 */
#include <inttypes.h>
#include <juggle/steal.h>
#include <stdio.h>

enum { ITEMS = 36, CAPACITY = 16207, WORTH = 333 };

struct load { /* the items taken of those before `next` */
    int64_t next, weight, value;
};

struct search {
    struct steal_collection *loads;
    int shared;
};

struct count { /* of each worker */
    int64_t visited, best;
};

/* The value of an item is its weight plus WORTH: light items have more value per weight. */
static int64_t weight_of(int64_t item)
{
    return 1000 + 25 * item + item * item * 7919 % 25;
}

/* An upper bound of the value of all loads that begin like this: it cuts the last item. */
static int64_t most_of(struct load load)
{
    for (; load.next < ITEMS; load.next++) {
        const int64_t weight = weight_of(load.next), room = CAPACITY - load.weight;

        if (weight > room)
            return load.value + room * (weight_of(load.next) + WORTH) / weight;
        load.weight += weight;
        load.value += (weight_of(load.next) + WORTH);
    }
    return load.value;
}

static void visit(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct search *search = local;
    struct count *own = steal_storage(worker, search->loads);

    for (size_t i = 0; i < count; i++) {
        struct load load = ((const struct load *)tasks)[i], more = load;

        own->visited++;
        own->best = load.value > own->best ? load.value : own->best;
        if (steal_bound_improve(search->loads, load.value) >= 0 && search->shared)
            own->best = steal_bound(search->loads);
        if (most_of(load) <= own->best)
            continue;
        more.weight += weight_of(load.next);
        more.value += (weight_of(load.next) + WORTH);
        more.next = ++load.next;
        /* The task that was added last is executed first. */
        if (steal_add(worker, search->loads, &load, sizeof(load)) < 0 ||
            (more.weight <= CAPACITY && steal_add(worker, search->loads, &more, sizeof(more)) < 0))
            steal_cancel(search->loads); /* no memory */
    }
}

int main(int argc, char **argv)
{
    struct search search = {NULL, argc < 2 || !*argv[1]};
    struct steal_error error;
    struct steal_runtime *runtime;
    struct steal_properties properties = {
        .size = sizeof(properties), .bound = STEAL_BOUND_MAX, .local = &search};
    const struct load nothing = {0};
    int64_t visited = 0;

    properties.task_size = sizeof(struct load);
    properties.storage = sizeof(struct count);
    if (steal_runtime_create(NULL, NULL, &runtime, &error) < 0)
        return fprintf(stderr, "%s\n", error.message), 1;
    const int failed = steal_function_register(runtime, "visit", visit, &properties.function) < 0 ||
                       steal_collection_create(runtime, &properties, &search.loads) < 0 ||
                       (steal_rank(runtime) == 0 && steal_add(steal_seeder(runtime), search.loads,
                                                              &nothing, sizeof(nothing)) < 0) ||
                       steal_process(search.loads) < 0 ||
                       steal_reduce(search.loads, STEAL_REDUCTION_SUM, 0, 1, &visited) < 0;
    if (failed)
        fprintf(stderr, "%s\n", steal_message(runtime));
    else if (steal_rank(runtime) == 0)
        printf("%" PRId64 " is the greatest value, %" PRId64 " loads visited\n",
               steal_bound(search.loads), visited);
    steal_collection_destroy(search.loads);
    return steal_runtime_destroy(runtime) < 0 || failed;
}
