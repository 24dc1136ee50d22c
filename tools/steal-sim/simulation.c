/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/simulation.h"

#include "cli/progress.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/steal/protocol/victims.h"
#include "libjuggle/steal/runtime/process.h"
#include "libjuggle/steal/runtime/properties.h"
#include "tools/steal-sim/lines.h"
#include "tools/steal-sim/links.h"
#include "tools/steal-sim/member.h"
#include "tools/steal-sim/network.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { PROGRESS_EVENTS = 1 << 16, START_SPREAD_NS = 50000, KIB = 1024 };

static void prefetch(const void *watcher, int rank)
{
    const struct steal_simulation *simulation = watcher;

    __builtin_prefetch(&simulation->member[rank]);
    process_prefetch(simulation->next[rank]);
}

static int64_t memory_most(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (int64_t)usage.ru_maxrss * KIB;
}

/* ---- what came of it ----------------------------------------------------------------------- */

/* Returns the standard deviation over the ranks, from the sum of squares and the sum. */
static double deviation(double squares, int64_t sum, int ranks)
{
    const double mean = (double)sum / ranks;

    return sqrt(fmax(squares / ranks - mean * mean, 0));
}

static double links_share(const struct links *links, int64_t time_ns)
{
    int64_t count, held_ns;

    if (!links)
        return 0;
    held_ns = links_held(links, &count);
    return count > 0 ? (double)held_ns / (double)count / (double)time_ns : 0;
}

static void result_finish(struct steal_simulation *simulation)
{
    const int ranks = simulation->settings->options->ranks;
    struct simulation_result *result = simulation->result;
    const int64_t part_ns = result->virtual_ns / TIMELINE_PARTS + 1;
    int64_t active_ns[TIMELINE_PARTS] = {0};

    result->links_share = links_share(simulation->links, result->virtual_ns);
    timeline_sum(&simulation->timeline, 0, part_ns, active_ns);
    for (int i = 0; i < TIMELINE_PARTS; i++)
        result->report.occupancy[i] = (double)active_ns[i] / (double)part_ns / ranks;
    for (int i = 0; i < result->rounds; i++) {
        struct simulation_round *round = &result->round[i];

        round->attempts_deviation = deviation(round->attempts_deviation, round->attempts, ranks);
        round->successes_deviation = deviation(round->successes_deviation, round->successes, ranks);
    }
    if (simulation->nodes)
        result->census = nodes_census(simulation->nodes);
}

static const char *simulation_judge(const struct steal_simulation *simulation)
{
    if (simulation->wrong || simulation->checker.wrong)
        return simulation->wrong ? simulation->wrong : simulation->checker.wrong;
    if (simulation->finished < simulation->settings->options->ranks)
        return "a rank never finished";
    if (network_under_way(simulation->network) > 0)
        return "messages were left behind";
    return checker_judge(&simulation->checker);
}

/* Writes the events of all ranks; their ring buffers have the same size. */
static int trace_write(const struct steal_simulation *simulation)
{
    const size_t capacity = simulation->member[0].runtime->worker[0].activity.trace.capacity;
    struct activity_event *events = calloc(capacity, sizeof(*events));

    if (!events)
        return -ENOMEM;
    for (int rank = 0; rank < simulation->settings->options->ranks; rank++) {
        const struct steal_runtime *runtime = simulation->member[rank].runtime;
        const size_t count = activity_copy(&runtime->worker[0].activity.trace, 0, events);

        for (size_t i = 0; i < count; i++)
            fprintf(simulation->settings->trace, "%" PRId64 ",%d,0,%s\n", events[i].time_ns, rank,
                    activity_name(events[i].state));
    }
    free(events);
    return 0;
}

/* ---- playing ------------------------------------------------------------------------------- */

int64_t simulation_tasks(const struct simulation_settings *settings)
{
    return settings->work ? (int64_t)settings->work->tasks_count * settings->options->iterations
                          : PROGRESS_UNKNOWN;
}

/* Ranks begin within some microseconds of each other. */
static int ranks_wake(struct steal_simulation *simulation)
{
    struct prng prng;
    int error = 0;

    prng_seed(&prng, ~simulation->settings->options->seed);
    for (int rank = 0; rank < simulation->settings->options->ranks && error == 0; rank++)
        error = network_wake(simulation->network, rank,
                             (int64_t)prng_below(&prng, START_SPREAD_NS));
    return error;
}

/* Shows in the progress bar how fast the simulation is. */
static void meter_show(const struct steal_simulation *simulation)
{
    enum { WORDS_SIZE = 96 };
    struct progress_bar *bar = simulation->settings->meter;
    const double events = (double)network_events(simulation->network) / 1e6;
    char words[WORDS_SIZE];

    snprintf(words, sizeof(words), "%.1f million events, %.2f million/s, %.1f million tasks ",
             events, events / progress_bar_elapsed_s(bar), (double)simulation->tasks_done / 1e6);
    progress_bar_tell(bar, simulation->tasks_done, words);
}

static int simulation_play(struct steal_simulation *simulation)
{
    int rank, result = ranks_wake(simulation);

    if (result < 0)
        return result;
    for (int64_t turns = 1; !simulation->wrong && !simulation->checker.wrong; turns++) {
        result = network_next(simulation->network, &rank);
        if (result <= 0)
            return result;
        member_turn(&simulation->member[rank], rank);
        if (turns % PROGRESS_EVENTS == 0)
            meter_show(simulation);
    }
    return 0;
}

/* ---- life ---------------------------------------------------------------------------------- */

static int simulation_connect(struct steal_simulation *simulation)
{
    const struct simulation_settings *settings = simulation->settings;
    struct network_settings network = {.seed = settings->options->seed,
                                       .jitter_ns = settings->options->jitter_ns,
                                       .links = simulation->links,
                                       .processors = simulation->processors,
                                       .watcher = simulation,
                                       .prefetch = prefetch};

    machine_describe(settings->machine, &network);
    network.places = &simulation->places;
    return network_open(&network, &simulation->network);
}

/* Makes the tables of skewed victim selection once for all, because the ranks of a node would all
 * make the same one. */
static int victims_share(struct steal_simulation *simulation)
{
    struct steal_properties properties = simulation->settings->properties;

    simulation->places = *machine_places(simulation->settings->machine);
    if (properties.victim != STEAL_VICTIM_SKEWED)
        return 0;
    properties_resolve(&properties);
    simulation->tables = malloc(skewed_tables_size(&simulation->places));
    if (!simulation->tables)
        return -ENOMEM;
    skewed_tabulate(&simulation->places, properties.exponent, simulation->tables);
    return 0;
}

static int simulation_open(struct steal_simulation *simulation)
{
    const struct simulation_settings *settings = simulation->settings;
    int error = machine_links(settings->machine, &simulation->links);

    if (!error)
        error = processors_open(&settings->options->os_noise, &settings->options->stragglers,
                                settings->options->ranks, settings->options->seed,
                                &simulation->processors);
    if (!error)
        error = victims_share(simulation);
    if (!error)
        error = simulation_connect(simulation);
    if (error == 0 && !settings->work)
        error = nodes_open(&settings->tree, &simulation->nodes);
    simulation->member = lines_allocate((size_t)settings->options->ranks,
                                        sizeof(*simulation->member));
    simulation->next = calloc((size_t)settings->options->ranks, sizeof(struct steal_collection *));
    if (!simulation->member || !simulation->next)
        return -ENOMEM;
    if (!error)
        error = checker_open(settings->options->unchecked,
                             settings->work ? settings->work->tasks_count : 0,
                             simulation->result->rounds, &simulation->checker);
    timeline_begin(&simulation->timeline, 0);
    for (int rank = 0; rank < settings->options->ranks && error == 0; rank++)
        error = member_open(simulation, rank);
    return error == 0 && !settings->work ? tree_seed(simulation) : error;
}

static void simulation_close(struct steal_simulation *simulation)
{
    for (int rank = 0; simulation->member && rank < simulation->settings->options->ranks; rank++)
        member_close(&simulation->member[rank]);
    nodes_close(simulation->nodes);
    checker_close(&simulation->checker);
    free(simulation->next);
    free(simulation->member);
    network_close(simulation->network);
    processors_close(simulation->processors);
    links_close(simulation->links);
    free(simulation->tables);
}

static const char *open_fault(const struct simulation_result *result, int error)
{
    if (error == -ENOSPC)
        return "a rank has no room for its tasks: --memory gives more";
    return *result->refusal ? result->refusal : strerror(-error);
}

static int result_open(struct simulation_result *result, int rounds)
{
    *result = (struct simulation_result){0};
    result->round = calloc((size_t)rounds, sizeof(*result->round));
    if (!result->round)
        return -ENOMEM;
    result->rounds = rounds;
    for (int i = 0; i < rounds; i++)
        result->round[i].begin_ns = -1;
    return 0;
}

const char *simulation_run(const struct simulation_settings *settings,
                           struct simulation_result *out)
{
    struct steal_simulation simulation = {.settings = settings, .result = out};
    const int64_t began_ns = clock_now_ns();
    const int64_t memory_before = memory_most();
    const char *wrong = NULL;
    int error = result_open(out, settings->work ? settings->options->iterations : 1);

    if (!error)
        error = simulation_open(&simulation);
    if (!error)
        error = simulation_play(&simulation);
    wrong = error < 0 ? open_fault(out, error) : simulation_judge(&simulation);
    if (!wrong) {
        out->events = network_events(simulation.network);
        out->virtual_ns = network_now(simulation.network);
        out->memory_bytes = memory_most() - memory_before;
        result_finish(&simulation);
        if (settings->trace && trace_write(&simulation) < 0)
            wrong = "no memory to write the trace";
    }
    simulation_close(&simulation);
    out->host_s = (double)(clock_now_ns() - began_ns) / (double)NSEC_PER_SEC;
    return wrong;
}

void simulation_result_free(struct simulation_result *result)
{
    free(result->round);
}
