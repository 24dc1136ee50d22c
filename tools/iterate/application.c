/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/iterate/application.h"

#include "libjuggle/linux/clock.h"
#include "cli/launched.h"
#include "cli/progress.h"
#include "tools/iterate/durations.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Memory for the case that one rank holds all tasks: the capacity of a deque is a power of two, and
 * each task has its history. */
enum { MEMORY_PER_TASK = 64, MEMORY_MIN = 1 << 20 };

/* One rank's part of a run. */
struct player {
    const struct application *application;
    const struct iterate_options *options;
    const struct scheme *scheme;
    struct steal_runtime *runtime;
    struct steal_collection *collection;
    /* A bit for each task that does nothing: at first the tasks of this rank, then of all ranks. */
    int64_t *null_tasks;
    size_t null_words;
    struct durations *durations; /* NULL: not wanted */
    struct progress_bar bar;
};

/* ---- tasks --------------------------------------------------------------------------------- */

static bool is_null(const struct player *player, int64_t task)
{
    return player->null_tasks[task / 64] >> (task % 64) & 1;
}

/* Atomic, because several workers of a rank may set bits of one word at once. */
static void note_null(struct player *player, int64_t task)
{
    __atomic_fetch_or(&player->null_tasks[task / 64], (int64_t)(UINT64_C(1) << (task % 64)),
                      __ATOMIC_RELAXED);
}

static void execute(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct player *player = local;
    const struct application *application = player->application;
    const int64_t *task = tasks;

    for (size_t i = 0; i < count; i++) {
        const int64_t start_ns = player->durations ? clock_now_ns() : 0;

        if (!application->execute(application->context, steal_worker_index(worker), task[i])) {
            note_null(player, task[i]);
            steal_forget(worker, i);
        } else if (player->durations) {
            durations_note(player->durations, task[i], clock_now_ns() - start_ns);
        }
    }
}

static int seed(struct player *player, bool live_only)
{
    struct steal_worker *seeder = steal_seeder(player->runtime);
    const struct portion portion = start_portion(
        player->options->start, player->application->tasks_count, steal_rank(player->runtime),
        steal_ranks(player->runtime));
    int error = 0;

    for (int64_t task = portion.first; task < portion.end && error == 0; task += portion.step)
        if (!live_only || !is_null(player, task))
            error = steal_add(seeder, player->collection, &task, sizeof(task));
    return error;
}

/* Joins the bit sets of all ranks. A sum does this, because every task was executed on one rank
 * only. */
static int share_null_tasks(struct player *player)
{
    return steal_sum(player->runtime, player->null_tasks, player->null_words);
}

/* Collective: returns 0, or an error of the ranks that failed, the same on all ranks, so that none
 * waits for a rank that failed. */
static int agree(const struct player *player, int error)
{
    int64_t worst = -error;
    const int met = steal_max(player->runtime, &worst, 1);

    return met < 0 ? met : (int)-worst;
}

/* ---- iterations ---------------------------------------------------------------------------- */

static struct steal_balance balance_of(const struct player *player)
{
    return (struct steal_balance){
        .size = sizeof(struct steal_balance),
        .balancer = player->scheme->balancer,
        .arity = player->options->arity,
        .donation = player->options->donation,
        .donate_above = player->options->tolerance,
        .fill_below = player->options->tolerance,
    };
}

/* Places the tasks of an iteration on the ranks where they begin. */
static int lay_out(struct player *player, int number)
{
    const struct scheme *scheme = player->scheme;
    const bool first = number == 0;
    int error = steal_isolate(player->collection, !(first ? scheme->steals_first : scheme->steals));

    if (error == 0 && !first && scheme->seed == SEED_KEPT)
        error = steal_restore(player->collection);
    else if (!error)
        error = seed(player, !first && scheme->seed == SEED_LIVE);
    error = agree(player, error);
    if (error == 0 && scheme->balances && number >= scheme->balances_from) {
        const struct steal_balance balance = balance_of(player);

        error = steal_rebalance(player->collection, &balance);
    }
    return error;
}

static double ratio(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static int account(struct player *player, const struct run *run, struct iteration *iteration)
{
    struct steal_statistics sum = {.size = sizeof(struct steal_statistics)};
    const int error = steal_statistics_sum(player->collection, &sum);

    if (error < 0)
        return error;
    *iteration = (struct iteration){
        .time_s = (double)sum.elapsed_ns / NSEC_PER_SEC,
        .efficiency = ratio(sum.load_ns, sum.elapsed_ns * run->workers_count),
        .imbalance = ratio(sum.load_max_ns * run->ranks_count, sum.load_ns),
        .predicted_imbalance = ratio(sum.predicted_max_ns * run->ranks_count, sum.predicted_ns),
        .steals_attempted = sum.steals_attempted,
        .steals_successful = sum.steals_successful,
        .tasks_moved = sum.tasks_taken + sum.tasks_moved,
        .balance_s = (double)sum.balance_ns / NSEC_PER_SEC,
    };
    return 0;
}

static int iterate(struct player *player, struct run *run, int number, bool *done)
{
    const struct application *application = player->application;
    int error = lay_out(player, number);

    if (!error) {
        application->begin(application->context);
        error = steal_process(player->collection);
    }
    if (error == 0 && number == 0)
        error = share_null_tasks(player);
    if (!error)
        error = account(player, run, &run->iteration[number]);
    if (!error)
        error = application->end(application->context, player->runtime, done);
    return error;
}

static int iterate_all(struct player *player, struct run *run)
{
    bool done = false;
    int error = 0;

    if (player->options->progress && steal_rank(player->runtime) == 0)
        progress_bar_begin(&player->bar, player->options->iterations);
    while (!done && error == 0 && run->iterations_count < player->options->iterations) {
        error = iterate(player, run, run->iterations_count, &done);
        if (!error)
            progress_bar_update(&player->bar, ++run->iterations_count);
    }
    progress_bar_end(&player->bar);
    return error;
}

/* ---- life ---------------------------------------------------------------------------------- */

static int runtime_create(struct player *player)
{
    const struct steal_options options = {.size = sizeof(struct steal_options),
                                          .mode = player->options->mode,
                                          .workers = player->options->threads};
    struct steal_error fault;
    const int error = steal_runtime_create(NULL, &options, &player->runtime, &fault);
    const char *told = error ? fault.message : steal_message(player->runtime);

    if (*told && launched_rank() == 0)
        complain(player->application->program, "%s", told);
    return error;
}

static int collection_create(struct player *player)
{
    struct steal_properties properties = {
        .size = sizeof(struct steal_properties),
        .task_size = sizeof(int64_t),
        .local = player,
        .retain = STEAL_RETENTION_SEEDED,
        .order = player->options->order,
        .prediction = player->options->prediction,
        .memory_max = (size_t)max_i64(player->application->tasks_count * MEMORY_PER_TASK,
                                      MEMORY_MIN),
    };
    const int error = steal_function_register(player->runtime, "execute", execute,
                                              &properties.function);

    return error < 0 ? error
                     : steal_collection_create(player->runtime, &properties, &player->collection);
}

/* Reports a file that cannot be written before the first iteration instead of after the last. */
static int durations_open(struct player *player)
{
    const char *path = player->options->durations;

    if (path && steal_rank(player->runtime) == 0) {
        const int error = durations_try(path, player->application->program);

        if (error < 0)
            return error;
    }
    if (path && !(player->durations = durations_create(player->application->tasks_count)))
        return -ENOMEM;
    return 0;
}

/* The part of the preparation that a rank does alone. */
static int player_prepare(struct player *player, struct run *run)
{
    const struct application *application = player->application;
    int error = durations_open(player);

    player->null_words = (size_t)(application->tasks_count + 63) / 64;
    player->null_tasks = calloc(player->null_words, sizeof(*player->null_tasks));
    run->iteration = calloc((size_t)player->options->iterations, sizeof(*run->iteration));
    if (error == 0 && (!player->null_tasks || !run->iteration))
        error = -ENOMEM;
    if (!error)
        error = application->open(application->context, steal_workers(player->runtime));
    return error;
}

static int player_open(struct player *player, struct run *run)
{
    int64_t workers = steal_workers(player->runtime);
    int result = agree(player, player_prepare(player, run));

    if (!result)
        result = steal_sum(player->runtime, &workers, 1);
    run->ranks_count = steal_ranks(player->runtime);
    run->workers_count = (int)workers;
    return result < 0 ? result : collection_create(player);
}

/* Complains on rank 0 about an error that was not reported yet. If another rank failed, the
 * library has a message. */
static void complain_of(const struct player *player, int error)
{
    const char *told = steal_message(player->runtime);

    if ((error == -ECANCELED && !*told) || steal_rank(player->runtime) > 0)
        return;
    if (error == -ENOMEM && !*told)
        complain(player->application->program, "no memory for %" PRId64 " tasks",
                 player->application->tasks_count);
    else
        complain(player->application->program, "%s", *told ? told : strerror(-error));
}

int application_run(const struct application *application, const struct iterate_options *options,
                    struct run *run, bool *is_root)
{
    struct player player = {.application = application,
                            .options = options,
                            .scheme = scheme_find(options->scheme_name)};
    int error;

    *run = (struct run){0};
    error = runtime_create(&player);
    if (error < 0)
        return error;
    *is_root = steal_rank(player.runtime) == 0;
    error = player_open(&player, run);
    if (!error)
        error = iterate_all(&player, run);
    if (error < 0)
        complain_of(&player, error);
    if (error == 0 && player.durations)
        run->export_error = durations_write(player.durations, player.runtime, options->durations,
                                            application->program);
    (void)steal_collection_destroy(player.collection);
    durations_destroy(player.durations);
    free(player.null_tasks);
    (void)steal_runtime_destroy(player.runtime);
    return error;
}

void run_destroy(struct run *run)
{
    free(run->iteration);
}
