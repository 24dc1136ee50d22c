/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/settings.h"

#include "tools/iterate/choices.h"

#include <errno.h>
#include <string.h>

/* More would let virtual time overflow. */
enum { SPAN_MAX_S = 3600 };

static int option_span(const char *text, void *target, const char **expected)
{
    int64_t span_ns;
    int error = duration_parse(text, &span_ns);

    *expected = "a duration of at most an hour with its unit, such as 2us or 0s";
    if (error == 0 && span_ns > SPAN_MAX_S * NSEC_PER_SEC)
        error = -ERANGE;
    if (!error)
        *(int64_t *)target = span_ns;
    return error;
}

static int option_visit(const char *text, void *target, const char **expected)
{
    int64_t visit_ns = 0;
    int error = option_span(text, &visit_ns, expected);

    *expected = "a duration from 1ns to 1h with its unit";
    if (error == 0 && visit_ns == 0)
        error = -ERANGE;
    if (!error)
        *(int64_t *)target = visit_ns;
    return error;
}

/* True if the two sweep the same option. */
static bool sweeps_alike(const char *a, const char *b)
{
    const size_t size = strcspn(a, "=");

    return size == strcspn(b, "=") && memcmp(a, b, size) == 0;
}

static int option_sweep(const char *text, void *target, const char **expected)
{
    struct steal_sim_settings *settings = target;
    const char *equals = strchr(text, '=');

    *expected = "OPTION=VALUE,VALUE,... of this program, up to six times";
    if (!equals || equals == text || !equals[1] || settings->sweeps_count == SWEEPS_MAX)
        return -EINVAL;
    for (int i = 0; i < settings->sweeps_count; i++) {
        *expected = "another option than those of other sweeps";
        if (sweeps_alike(settings->sweep[i], text))
            return -EINVAL;
    }
    settings->sweep[settings->sweeps_count++] = text;
    return 0;
}

#define OPTION(field) offsetof(struct steal_sim_settings, options.field)
#define TARGET(field) offsetof(struct steal_sim_settings, field)

static const struct option_spec options[] = {
    {"ranks", 'n', "COUNT", "virtual ranks (1024)", option_count, OPTION(ranks)},
    {"workload", 'w', "NAME",
     "uts (default), hf, hf-be512, hf-be512-20, tce, exponential, lognormal, or a file",
     option_string, OPTION(workload)},
    {"tree", 0, "NAME",
     "uts tree: T1, T1L, T3 (default), T3L, T3XXL, T3WL, T4, binomial:B,M,Q,SEED ...",
     option_string, OPTION(tree)},
    {"scheme", 's', "NAME", "how ranks share work: see the manual (uts: tofu-half; others: retain)",
     option_string, OPTION(scheme)},
    {"iterations", 'k', "COUNT", "iterations over a set of tasks (5)", option_count,
     OPTION(iterations)},
    {"seed", 0, "SEED", "seed of all random numbers (0)", option_seed, OPTION(seed)},
    {"seeds", 0, "COUNT", "seeds to simulate, from --seed on (1)", option_count,
     TARGET(seeds_count)},
    {"sweep", 0, "OPTION=LIST", "simulate each of these values; several are combined", option_sweep,
     0},
    {"jobs", 'j', "COUNT", "simulations at a time (as many as processors)", option_count,
     TARGET(jobs)},
    {"preset", 'p', "NAME", "machine: cluster (default), hopper, intrepid, titan, k, bgp or p7",
     option_string, OPTION(preset)},
    {"mapping", 0, "MAPPING", "1/N, blocks, 8G or 8RR: ranks a node, in blocks or round robin",
     option_string, OPTION(mapping)},
    {"topology", 0, "SHAPE", "flat, tree:AxB, torus:AxBxC, mesh:AxBxC, tofu or dragonfly:AxB",
     option_string, OPTION(topology)},
    {"latency", 0, "TIME", "latency between nodes next to each other", option_span,
     OPTION(latency_ns)},
    {"hop", 0, "TIME", "latency of each further hop", option_span, OPTION(hop_ns)},
    {"local", 0, "TIME", "latency within a node", option_span, OPTION(local_ns)},
    {"overhead", 0, "TIME", "processor time to send or to receive a message", option_span,
     OPTION(overhead_ns)},
    {"poll-cost", 0, "TIME", "processor time to find that no message has come", option_span,
     OPTION(poll_cost_ns)},
    {"gap", 0, "TIME", "time for which a message occupies a node's network interface", option_span,
     OPTION(gap_ns)},
    {"links", 0, NULL, "messages wait for crowded links of a torus or a mesh", option_flag,
     OPTION(links)},
    {"jitter", 0, "TIME", "random additional delay of a message, at most (0s)", option_span,
     OPTION(jitter_ns)},
    {"visit", 0, "TIME", "time that a node of a tree takes (the preset's)", option_visit,
     OPTION(visit_ns)},
    {"tasks", 0, "COUNT", "tasks of a random set", option_count, OPTION(tasks_count)},
    {"mean", 0, "TIME", "mean time of a task", option_duration, OPTION(mean_ns)},
    {"noise", 0, "SHARE", "share by which a task's time differs in each iteration (0)",
     option_fraction, OPTION(noise)},
    {"drift", 0, "SHARE", "share by which a task's time changes between iterations (0)",
     option_fraction, OPTION(drift)},
    {"os-noise", 0, "SHARE:PERIOD",
     "share of each processor that the operating system takes, and how often", option_os_noise,
     OPTION(os_noise)},
    {"stragglers", 0, "SHARE:FACTOR", "a share of the ranks is slower by this factor",
     option_stragglers, OPTION(stragglers)},
    {"server", 0, NULL, "each rank has a thread that answers while it computes", option_flag,
     OPTION(server)},
    {"first-static", 0, NULL, "no stealing in the first iteration", option_flag,
     OPTION(first_static)},
    {"start", 0, "NAME", "where tasks of a set begin: dealt (default) or blocks", option_start,
     OPTION(start)},
    {"order", 0, "NAME", "order of kept tasks: as executed (default), or longest first",
     option_order, OPTION(order)},
    {"tolerance", 0, "FACTOR", "load over the average that balancing leaves alone (1.003)",
     option_real, OPTION(tolerance)},
    {"arity", 0, "COUNT", "children of a rank in the tree of hierarchical balancing (3)",
     option_count, OPTION(arity)},
    {"victim", 0, "NAME", "uniform, round-robin, skewed or nearest (the scheme's)", option_victim,
     OPTION(victim)},
    {"exponent", 0, "X", "for --victim skewed: weights are 1 / distance^X (1)", option_real,
     OPTION(exponent)},
    {"amount", 0, "NAME", "half, chunk or k (the scheme's)", option_amount, OPTION(amount)},
    {"termination", 0, "NAME", "tree, ring or finish (the scheme's)", option_termination,
     OPTION(termination)},
    {"chunk", 'c', "TASKS", "tasks per steal, for --amount chunk and k (20)", option_count,
     OPTION(chunk)},
    {"lifelines", 0, "Z", "lifelines of a rank, on which it waits for work (the scheme's)",
     option_number, OPTION(lifelines)},
    {"tries", 0, "W", "victims asked before the lifelines (the scheme's)", option_count,
     OPTION(tries)},
    {"poll", 0, "TASKS", "look for messages after this many tasks (512)", option_count,
     OPTION(poll_tasks)},
    {"batch", 0, "TASKS", "tasks of a tree that a rank executes at once (64)", option_count,
     OPTION(batch)},
    {"memory", 0, "MIB", "memory for a rank's tasks (64; 1 for more than 16384 ranks)",
     option_count, OPTION(memory_mib)},
    {"no-check", 0, NULL, "do not check that each task is executed once, before the end",
     option_flag, OPTION(unchecked)},
    {"trace", 0, "FILE", "write what each rank did when, as CSV", option_string,
     TARGET(trace_path)},
    {"json", 0, NULL, "print the result as JSON", option_flag, TARGET(json)},
    {0},
};

const struct command_spec steal_sim_command = {
    .name = "steal-sim",
    .synopsis = "[options]",
    .summary = "Plays the stealing runtime on thousands of virtual ranks.",
    .options = options,
};

void steal_sim_settings_init(struct steal_sim_settings *settings)
{
    enum { RANKS = 1024 };

    *settings = (struct steal_sim_settings){
        .options = {.ranks = RANKS,
                    .workload = "uts",
                    .preset = "cluster",
                    .latency_ns = -1,
                    .hop_ns = -1,
                    .local_ns = -1,
                    .overhead_ns = -1,
                    .poll_cost_ns = -1,
                    .gap_ns = -1,
                    .victim = -1,
                    .amount = -1,
                    .termination = -1,
                    .exponent = -1,
                    .lifelines = -1},
        .seeds_count = 1,
    };
}

/* True if the option says what is simulated, and not how the program runs. */
static bool option_is_of_simulation(const struct option_spec *option)
{
    return option->parse != option_sweep && option->offset < sizeof(struct simulation_options);
}

int simulation_options_set(struct steal_sim_settings *settings, const char *name, const char *value)
{
    const char *expected = NULL;
    const struct option_spec *option = options;

    while (option->name && strcmp(option->name, name) != 0)
        option++;
    if (!option->name || !option->argument || !option_is_of_simulation(option)) {
        complain(steal_sim_command.name, "--sweep: '%s' is not an option whose values can be swept",
                 name);
        return -EINVAL;
    }
    if (option->parse(value, (char *)settings + option->offset, &expected) == 0)
        return 0;
    complain(steal_sim_command.name, "--sweep: '%s' is not usable for --%s: expected %s", value,
             name, expected ? expected : "another value");
    return -EINVAL;
}
