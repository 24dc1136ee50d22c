/* SPDX-License-Identifier: BSD-3-Clause */
/* A task is an inner node. In threads mode several workers of a rank run visit() at once: each has
 * an expander of its own, and `error` is the only variable that they share. */
#include "tools/uts/parallel.h"

#include "cli/launched.h"
#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    RESERVED_NODES = 1024,      /* nodes for which a visit reserves room in the deque at once */
    TRACE_EVENTS_MAX = 1 << 20, /* per rank */
    PROGRESS_INTERVAL_MS = 500,
};

struct search {
    const struct settings *settings;
    struct steal_runtime *runtime;
    struct steal_collection *tree;
    struct expander **expander; /* of each worker */
    int workers_count;
    /* The first error of a task. Written by any worker, read after all are done, so relaxed order
     * does. */
    atomic_int error;
};

/* A sink that writes to the worker's deque. */
struct deque_sink {
    struct node_sink sink;
    struct steal_worker *worker;
    struct steal_collection *tree;
};

static int deque_more(struct node_sink *sink)
{
    struct deque_sink *deque = (struct deque_sink *)sink;
    void *room;

    if (sink->nodes)
        steal_commit(deque->worker, deque->tree, sink->count);
    *sink = (struct node_sink){.more = deque_more};
    const int error = steal_reserve(deque->worker, deque->tree, RESERVED_NODES, &room);
    if (error)
        return error;
    sink->nodes = room;
    sink->room = RESERVED_NODES;
    return 0;
}

static void deque_close(struct deque_sink *deque)
{
    if (deque->sink.nodes)
        steal_commit(deque->worker, deque->tree, deque->sink.count);
}

static void visit(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct search *search = local;
    struct deque_sink deque = {{.more = deque_more}, worker, search->tree};
    int none = 0;

    const int error = expander_expand(search->expander[steal_worker_index(worker)], tasks,
                                      (int)count, &deque.sink);
    if (error)
        atomic_compare_exchange_strong_explicit(&search->error, &none, error, memory_order_relaxed,
                                                memory_order_relaxed);
    deque_close(&deque);
}

/* Expands the root on rank 0, from which the other ranks steal. */
static int seed(struct search *search)
{
    struct deque_sink deque = {{.more = deque_more}, steal_seeder(search->runtime), search->tree};
    struct node root;
    int error = 0;

    expander_root(search->expander[0], &root);
    for (int64_t first = 0; !error && first < root.children; first += TREE_CHILDREN_MAX)
        error = expander_grow(search->expander[0], &root, (uint32_t)first, &deque.sink);
    deque_close(&deque);
    return error;
}

static int search_count(struct search *search, struct result *result)
{
    struct census sum = {0};

    for (int i = 0; i < search->workers_count; i++) {
        const struct census census = expander_census(search->expander[i]);

        sum.nodes += census.nodes;
        sum.leaves += census.leaves;
        sum.depth = max_i64(sum.depth, census.depth);
    }
    int64_t sums[] = {sum.nodes, sum.leaves, search->workers_count};
    int error = steal_sum(search->runtime, sums, ARRAY_COUNT(sums));
    if (!error)
        error = steal_max(search->runtime, &sum.depth, 1);
    result->statistics.size = sizeof(result->statistics);
    result->report.size = sizeof(result->report);
    if (!error)
        error = steal_statistics_sum(search->tree, &result->statistics);
    if (!error)
        error = steal_report(search->tree, &result->report);
    result->census = (struct census){.nodes = sums[0], .leaves = sums[1], .depth = sum.depth};
    result->ranks_count = steal_ranks(search->runtime);
    result->threads_count = (int)sums[2];
    return error;
}

/* Seeds, searches and counts. Tasks that failed on one rank fail the search on all. */
static int search_run(struct search *search, struct result *result)
{
    const struct settings *settings = search->settings;
    const int64_t start_ns = clock_now_ns();

    if (steal_rank(search->runtime) == 0)
        search->error = seed(search);
    if (settings->strategy.scatter && steal_rank(search->runtime) == 0 && !search->error)
        search->error = steal_scatter(search->tree, (size_t)settings->seed_tasks);
    int error = steal_process(search->tree);
    result->elapsed_ns = clock_now_ns() - start_ns;
    if (error)
        return error;
    if (search->error)
        complain(search->settings->program, "rank %d, a deque of inner nodes: %s",
                 steal_rank(search->runtime), strerror(-search->error));
    int64_t failed = search->error != 0;
    error = steal_max(search->runtime, &failed, 1);
    if (!error && failed)
        return -ECANCELED;
    return error ? error : search_count(search, result);
}

static int search_trace(const struct search *search)
{
    const char *path = search->settings->trace;

    return path ? steal_trace_write(search->runtime, path) : 0;
}

static int collection_create(struct search *search)
{
    const struct settings *settings = search->settings;
    struct steal_properties properties = {
        .size = sizeof(struct steal_properties),
        .task_size = sizeof(struct node),
        .batch = EXPANDER_BATCH,
        .lanes = EXPANDER_LANES,
        .local = search,
        .victim = settings->strategy.victim,
        .amount = settings->strategy.amount,
        .termination = settings->strategy.termination,
        .exponent = settings->exponent,
        .lifelines = settings->strategy.lifelines,
        .radix = settings->radix,
        .tries = settings->strategy.tries,
        .chunk = (size_t)settings->chunk,
        .poll_tasks = (size_t)settings->poll_tasks,
        .seed = settings->steal_seed,
    };

    const int error = steal_function_register(search->runtime, "visit", visit,
                                              &properties.function);
    return error ? error : steal_collection_create(search->runtime, &properties, &search->tree);
}

static void expanders_destroy(struct search *search)
{
    for (int i = 0; search->expander && i < search->workers_count; i++)
        expander_destroy(search->expander[i]);
    free(search->expander);
}

static int expanders_create(struct search *search)
{
    const struct settings *settings = search->settings;

    search->expander = calloc((size_t)search->workers_count, sizeof(struct expander *));
    if (!search->expander)
        return -ENOMEM;
    for (int i = 0; i < search->workers_count; i++) {
        search->expander[i] = expander_create(&settings->tree, settings->hasher);
        if (!search->expander[i])
            return -ENOMEM;
    }
    return 0;
}

static void show_progress(void *context, const struct steal_progress *progress)
{
    const struct settings *settings = context;

    fprintf(stderr, "%s: %.1f s, %.1f million inner nodes, %.1f million/s, %d of %d ranks active\n",
            settings->program, (double)progress->elapsed_ns / NSEC_PER_SEC,
            (double)progress->tasks_executed / 1e6, progress->tasks_per_s / 1e6,
            progress->ranks_active, progress->ranks);
}

static int runtime_create(struct search *search)
{
    const struct settings *settings = search->settings;
    const struct steal_options options = {
        .size = sizeof(struct steal_options),
        .mode = settings->mode,
        .workers = settings->threads_count,
        .distances = settings->distances,
        .trace_events = settings->trace ? TRACE_EVENTS_MAX : 0,
        .progress = settings->progress ? show_progress : NULL,
        .progress_context = settings->progress ? (void *)settings : NULL,
        .progress_interval_ns = settings->progress ? PROGRESS_INTERVAL_MS * NSEC_PER_MSEC : 0,
    };
    struct steal_error fault;

    const int error = steal_runtime_create(NULL, &options, &search->runtime, &fault);
    const char *told = error ? fault.message : steal_message(search->runtime);
    if (*told && launched_rank() == 0)
        complain(settings->program, "%s", told);
    return error;
}

/* Complains about an error. An error that all ranks have, as of options or the trace file, is
 * reported by rank 0 only. -ECANCELED says that another rank failed, which reports it itself. */
static void search_complain(const struct search *search, int error, bool everywhere)
{
    const int rank = steal_rank(search->runtime);
    const char *message = steal_message(search->runtime);

    if (!*message)
        message = strerror(-error);
    if (error != -ECANCELED && !everywhere)
        complain(search->settings->program, "rank %d: %s", rank, message);
    else if (everywhere && rank == 0)
        complain(search->settings->program, "%s", message);
}

int parallel_search(const struct settings *settings, struct result *result, bool *root)
{
    struct search search = {.settings = settings};
    bool everywhere = false;

    int error = runtime_create(&search);
    if (error)
        return error;
    *root = steal_rank(search.runtime) == 0;
    search.workers_count = steal_workers(search.runtime);

    int64_t failed = -expanders_create(&search);
    error = steal_max(search.runtime, &failed, 1);
    everywhere = failed > 0;
    if (!error)
        error = -(int)failed;
    if (error)
        goto out_expanders;
    error = collection_create(&search);
    if (error)
        goto out_expanders;
    error = search_run(&search, result);
    if (!error) {
        error = search_trace(&search);
        everywhere = true;
    }
out_expanders:
    /* Before other calls of the library, because one that succeeds clears the message. */
    if (error)
        search_complain(&search, error, everywhere || error == -EINVAL);
    steal_collection_destroy(search.tree);
    expanders_destroy(&search);
    steal_runtime_destroy(search.runtime);
    return error;
}
