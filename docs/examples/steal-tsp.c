/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shortest tour through cities: all ranks share the shortest length found, and drop ways that
 * cannot be shorter. If any argument is given, each worker uses only its own length. Compile with
 *     cc -O2 steal-tsp.c -o steal-tsp $(pkg-config --cflags --libs libjuggle-steal) -lm
 * and run as
 *     mpirun -n 4 ./steal-tsp
 */
#include <inttypes.h>
#include <juggle/steal.h>
#include <math.h>
#include <stdio.h>

enum { CITIES = 13 };

static const struct way {
    double length;
    uint32_t seen, last; /* a bit for each city; the number of a city */
} start = {0, 1, 0};

struct search {
    struct steal_collection *ways;
    int shared;
    double nearest[CITIES]; /* the distance to the nearest other city */
};

static const struct count { /* of each worker */
    int64_t visited;
    double shortest;
} initial = {0, INFINITY};

static double distance(int64_t a, int64_t b)
{
    return hypot((double)(a * 37 % 101 - b * 37 % 101),
                 (double)(a * a * 53 % 97 - b * b * 53 % 97));
}

static void prepare(struct search *search)
{
    for (int a = 0; a < CITIES; a++) {
        search->nearest[a] = INFINITY;
        for (int b = 0; b < CITIES; b++)
            search->nearest[a] = fmin(search->nearest[a], a == b ? INFINITY : distance(a, b));
    }
}

static void visit(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct search *search = local;
    const struct way *way = tasks; /* a batch has one task */
    struct count *own = steal_storage(worker, search->ways);
    double left = search->nearest[way->last];

    own->visited += (int64_t)count;
    if (way->seen == (1U << CITIES) - 1) {
        own->shortest = fmin(own->shortest, way->length + distance(way->last, 0));
        (void)!steal_bound_improve_double(search->ways, own->shortest);
    }
    own->shortest = search->shared ? steal_bound_double(search->ways) : own->shortest;
    for (int city = 0; city < CITIES; city++)
        left += way->seen >> city & 1 ? 0 : search->nearest[city];
    for (uint32_t city = 0; city < CITIES && way->length + left < own->shortest; city++) {
        struct way next = {way->length + distance(way->last, city), way->seen | 1U << city, city};

        if (!(way->seen >> city & 1) && steal_add(worker, search->ways, &next, sizeof(next)) < 0)
            steal_cancel(search->ways);
    }
}

int main(int argc, char **argv)
{
    static struct search search;
    struct steal_error error;
    struct steal_runtime *runtime;
    struct steal_properties properties = {.size = sizeof(properties), .local = &search};
    int64_t visited = 0;

    search.shared = argc < 2 || !*argv[1];
    prepare(&search);
    properties.task_size = sizeof(struct way);
    properties.storage = sizeof(initial);
    properties.storage_initial = &initial;
    properties.bound = STEAL_BOUND_MIN_DOUBLE;
    if (steal_runtime_create(NULL, NULL, &runtime, &error) < 0)
        return fprintf(stderr, "%s\n", error.message), 1;
    const int failed = steal_function_register(runtime, "visit", visit, &properties.function) < 0 ||
                       steal_collection_create(runtime, &properties, &search.ways) < 0 ||
                       (steal_rank(runtime) == 0 &&
                        steal_add(steal_seeder(runtime), search.ways, &start, sizeof(start)) < 0) ||
                       steal_process(search.ways) < 0 ||
                       steal_reduce(search.ways, STEAL_REDUCTION_SUM, 0, 1, &visited) < 0;
    if (failed)
        fprintf(stderr, "%s\n", steal_message(runtime));
    else if (steal_rank(runtime) == 0)
        printf("%.3f is the shortest tour, %" PRId64 " ways visited\n",
               steal_bound_double(search.ways), visited);
    steal_collection_destroy(search.ways);
    return steal_runtime_destroy(runtime) < 0 || failed;
}
