/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/account.h"

#include "libjuggle/ground/units.h"
#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/collection.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    LINE_MAX_BYTES = 512,
    PERCENT = 100,
    /* From experience with the applications that came with the library: limits of the advice
     * below. */
    IDLE_PERCENT = 5,
    TASKS_PER_WORKER = 10,
    TRIES_PER_STEAL = 20,
    RANKS_OF_LIFELINES = 4,
};

static const int64_t SHORT_TASK_NS = NSEC_PER_USEC;
static const double UNEVEN = 1.5; /* imbalance that is worth a change */

/* Values that are summed over the ranks, and values of which the maximum is taken. */
struct sums {
    int64_t tasks, attempted, successful, working_ns, idle_ns;
};

struct greatest {
    int64_t working_ns, arose, elapsed_ns;
};

static void rank_gather(const struct steal_collection *collection, struct sums *sums,
                        struct greatest *greatest)
{
    const struct steal_statistics *statistics = &collection->statistics;

    *sums = (struct sums){.tasks = statistics->tasks_executed,
                          .attempted = statistics->steals_attempted,
                          .successful = statistics->steals_successful,
                          .working_ns = collection->working_ns,
                          .idle_ns = collection->idle_ns};
    *greatest = (struct greatest){.working_ns = sums->working_ns,
                                  .arose = statistics->tasks_executed - statistics->tasks_taken +
                                           statistics->tasks_given,
                                  .elapsed_ns = statistics->elapsed_ns};
}

int account_add(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;
    const struct steal_properties *properties = &collection->properties;
    struct account *account = &runtime->account[properties->function - 1];
    struct greatest greatest;
    struct sums sums;
    int result;

    rank_gather(collection, &sums, &greatest);
    result = ranks_sum(runtime, (int64_t *)&sums, sizeof(sums) / sizeof(int64_t));
    if (result == 0)
        result = ranks_max(runtime, (int64_t *)&greatest, sizeof(greatest) / sizeof(int64_t));
    if (result < 0)
        return result;
    account->processes++;
    account->tasks += sums.tasks;
    account->attempted += sums.attempted;
    account->successful += sums.successful;
    account->working_ns += sums.working_ns;
    account->idle_ns += sums.idle_ns;
    account->elapsed_ns += greatest.elapsed_ns;
    account->load_max_ns += (double)greatest.working_ns;
    account->load_mean_ns += (double)sums.working_ns / steal_ranks(runtime);
    if (sums.tasks > 0)
        account->arose_max_ns += (double)greatest.arose * (double)sums.working_ns /
                                 (double)sums.tasks;
    account->batch = properties->batch;
    account->lifelines = properties->lifelines;
    account->retains = properties->retain != STEAL_RETENTION_NONE;
    account->balances = properties->balance_every > 0 || properties->balance_if_it_pays;
    account->ordered = properties->weighted;
    return 0;
}

/* ---- the line at the end ------------------------------------------------------------------- */

static double imbalance(double max_ns, double mean_ns)
{
    return mean_ns > 0 ? max_ns / mean_ns : 1;
}

static double idle_percent(const struct account *account)
{
    const double all_ns = (double)(account->working_ns + account->idle_ns);

    return all_ns > 0 ? PERCENT * (double)account->idle_ns / all_ns : 0;
}

const char *account_advise(const struct account *account, const struct account_scene *scene)
{
    const int64_t workers = (int64_t)scene->ranks * scene->workers;
    const int64_t tasks = account->tasks / max_i64(account->processes, 1);
    const double arose = imbalance(account->arose_max_ns, account->load_mean_ns);

    if (scene->crowded)
        return "start no more threads than there are processors";
    if (account->tasks > 0 && account->batch == 1 &&
        account->working_ns / account->tasks < SHORT_TASK_NS)
        return "tasks are shorter than a microsecond: set batch";
    if (idle_percent(account) < IDLE_PERCENT || workers == 1)
        return "no setting would change much";
    if (tasks < TASKS_PER_WORKER * workers)
        return "cut the work into more tasks: there are fewer than 10 for each worker";
    if (account->retains && !account->balances && account->processes > 1 && arose > UNEVEN)
        return "try balance_if_it_pays=1";
    if (!account->retains && account->processes > 2 && arose > UNEVEN)
        return "set retain, and start each process with steal_restore()";
    if (account->lifelines == 0 && scene->ranks >= RANKS_OF_LIFELINES &&
        account->attempted > TRIES_PER_STEAL * account->successful)
        return "try lifelines=2";
    if (arose > UNEVEN)
        return "add tasks on all ranks, or deal the first ones out with steal_scatter()";
    if (!account->ordered)
        return "add the longest tasks first: see steal_add_weighted()";
    return "cut the longest tasks";
}

void account_line(const struct account *account, const struct account_scene *scene, char *line,
                  size_t size)
{
    snprintf(line, size,
             "%s: %" PRId64 " task%s in %" PRId64 " steal_process(), %.3f s on %d x %d "
             "workers; imbalance %.2f where they were added, %.2f where they ran; %" PRId64
             " of %" PRId64 " steal requests succeeded; %.1f %% idle; %s",
             scene->name, account->tasks, plural(account->tasks), account->processes,
             (double)account->elapsed_ns / (double)NSEC_PER_SEC, scene->ranks, scene->workers,
             imbalance(account->arose_max_ns, account->load_mean_ns),
             imbalance(account->load_max_ns, account->load_mean_ns), account->successful,
             account->attempted, idle_percent(account), account_advise(account, scene));
}

void account_tell(const struct steal_runtime *runtime)
{
    char line[LINE_MAX_BYTES];

    for (uint32_t i = 0; i < runtime->functions && runtime->account; i++) {
        const struct account_scene scene = {.name = runtime->function[i].name,
                                            .ranks = runtime->transport->ranks,
                                            .workers = runtime->workers,
                                            .crowded = runtime->crowded};

        if (runtime->account[i].processes == 0)
            continue;
        account_line(&runtime->account[i], &scene, line, sizeof(line));
        runtime_print(runtime, "%s", line);
    }
}
