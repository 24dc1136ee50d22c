/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/uts/settings.h"

#include "cli/launched.h"
#include "tools/iterate/choices.h"

#include <errno.h>
#include <string.h>

/* Parses one of `count` words, or its number. */
static int word_or_number(const char *text, const char *const *words, size_t count, int *value)
{
    for (size_t i = 0; i < count; i++) {
        if (text[0] != (char)('0' + i) || text[1])
            continue;
        *value = (int)i;
        return 0;
    }
    return option_word(text, words, count, value);
}

static int option_type(const char *text, void *target, const char **expected)
{
    static const char *const words[] = {"binomial", "geometric", "hybrid", "balanced"};

    *expected = "0 binomial, 1 geometric, 2 hybrid or 3 balanced";
    return word_or_number(text, words, ARRAY_COUNT(words), target);
}

static int option_shape(const char *text, void *target, const char **expected)
{
    static const char *const words[] = {"linear", "exponential", "cyclic", "fixed"};

    *expected = "0 linear, 1 exponential, 2 cyclic or 3 fixed";
    return word_or_number(text, words, ARRAY_COUNT(words), target);
}

static int option_strategy(const char *text, void *target, const char **expected)
{
    const struct strategy *strategy = strategy_find(text);

    *expected = STRATEGY_NAMES;
    if (!strategy)
        return -EINVAL;
    *(struct strategy *)target = *strategy;
    return 0;
}

static int option_seed_tasks(const char *text, void *target, const char **expected)
{
    struct settings *settings = target;

    settings->strategy.scatter = true;
    return option_count(text, &settings->seed_tasks, expected);
}

static int option_tree(const char *text, void *target, const char **expected)
{
    *expected = "T1, T1L, T3, T3L, T3XXL, T3WL or T4";
    return tree_named(text, target);
}

static int option_report(const char *text, void *target, const char **expected)
{
    struct settings *settings = target;

    *expected = "text or json";
    if (strcmp(text, "text") && strcmp(text, "json"))
        return -EINVAL;
    settings->detailed = true;
    settings->json |= text[0] == 'j';
    return 0;
}

#define TARGET(field) offsetof(struct settings, field)

static const struct option_spec options[] = {
    {"tree", 0, "NAME", "a published tree: T1, T1L, T3, T3L, T3XXL, T3WL or T4", option_tree,
     TARGET(tree)},
    {"type", 't', "TYPE", "0 binomial, 1 geometric (default), 2 hybrid, 3 balanced", option_type,
     TARGET(tree.type)},
    {"branching", 'b', "B", "branching factor of the root (4)", option_real,
     TARGET(tree.branching)},
    {"root-seed", 'r', "SEED", "seed of the root (0)", option_number, TARGET(tree.seed)},
    {"branches", 'm', "M", "children of a binomial inner node (4)", option_number,
     TARGET(tree.branches)},
    {"branch-chance", 'q', "Q", "probability that a binomial node is an inner one (15/64)",
     option_fraction, TARGET(tree.branch_chance)},
    {"shape", 'a', "SHAPE", "geometric: 0 linear (default), 1 exponential, 2 cyclic, 3 fixed",
     option_shape, TARGET(tree.shape)},
    {"depth", 'd', "D", "depth of a geometric or balanced tree (6)", option_number,
     TARGET(tree.depth)},
    {"shift", 'f', "F", "share of the depth at which a hybrid turns binomial (0.5)",
     option_fraction, TARGET(tree.shift)},
    {"granularity", 'g', "G", "how often each hash is computed (1)", option_count,
     TARGET(tree.granularity)},
    {"hash", 0, "NAME", "auto (default), c, avx2 or avx512", option_string, TARGET(hash_name)},
    {"seq", 0, NULL, "search in one thread, without MPI", option_flag, TARGET(sequential)},
    {"chunk", 'c', "TASKS", "tasks per steal, for --amount chunk and k (20)", option_count,
     TARGET(chunk)},
    {"mode", 0, "MODE", "polling (default) or threads", option_mode, TARGET(mode)},
    {"threads", 0, "COUNT", "threads of a rank in threads mode (its share of the processors)",
     option_count, TARGET(threads_count)},
    {"strategy", 0, "NAME",
     "of the papers: reference, rand or tofu, each also with -half; or lifelines", option_strategy,
     TARGET(strategy)},
    {"victim", 0, "NAME", "uniform (default), round-robin, skewed or nearest", option_victim,
     TARGET(strategy.victim)},
    {"exponent", 0, "X", "for --victim skewed: weights are 1 / distance^X (1)", option_real,
     TARGET(exponent)},
    {"distances", 0, "SOURCE", "node, cache, coordinates, measured, torus:AxB or tree:AxB (node)",
     option_string, TARGET(distances)},
    {"amount", 0, "NAME", "half (default), chunk or k", option_amount, TARGET(strategy.amount)},
    {"lifelines", 0, "Z", "lifelines of a rank, on which it waits for work (0: none, it asks on)",
     option_number, TARGET(strategy.lifelines)},
    {"radix", 0, "H", "radix of the hypercube of lifelines (0: least that reaches all ranks)",
     option_number, TARGET(radix)},
    {"tries", 0, "W", "victims asked before the lifelines (4)", option_count,
     TARGET(strategy.tries)},
    {"termination", 0, "NAME", "tree (default), ring or finish", option_termination,
     TARGET(strategy.termination)},
    {"seed-tasks", 0, "TASKS",
     "tasks that rank 0 finds first and deals out (none; lifelines: 2 a rank)", option_seed_tasks,
     0},
    {"poll", 0, "TASKS", "look for messages after this many tasks", option_count,
     TARGET(poll_tasks)},
    {"steal-seed", 0, "SEED", "seed of the choice of victims (0)", option_seed, TARGET(steal_seed)},
    {"trace", 0, "FILE", "write what each rank did when: CSV, or for Perfetto if *.json",
     option_string, TARGET(trace)},
    {"progress", 0, NULL, "report on stderr while searching", option_flag, TARGET(progress)},
    {"report", 0, "FORMAT",
     "print also when ranks had work, and how long they searched: text or json", option_report, 0},
    {"json", 0, NULL, "print the result as JSON", option_flag, TARGET(json)},
    {0},
};

static const struct command_spec command = {
    .name = "uts",
    .synopsis = "[options]",
    .summary = "Searches an unbalanced tree, alone or with the ranks of an MPI program.",
    .options = options,
};

static int check(void *context)
{
    struct settings *settings = context;
    const char *fault = tree_fault(&settings->tree);

    /* An exponent of 0 gives all distances the same weight. */
    if (settings->strategy.victim == STEAL_VICTIM_SKEWED && settings->exponent == 0)
        settings->strategy.victim = STEAL_VICTIM_UNIFORM;
    if (settings->exponent < 0)
        settings->exponent = 0; /* the library's default */

    if (fault) {
        complain(command.name, "%s", fault);
        return -EINVAL;
    }
    const int error = hasher_find(settings->hash_name, &settings->hasher);
    if (error == -ENOTSUP)
        complain(command.name, "--hash: this processor cannot run '%s': try auto",
                 settings->hash_name);
    else if (error)
        complain(command.name, "--hash: '%s' is not usable: expected auto, c, avx2 or avx512",
                 settings->hash_name);
    return error;
}

int settings_parse(int argc, char **argv, struct settings *settings, int *exit_status)
{
    *settings = (struct settings){
        .program = command.name, .tree = tree_default(), .hash_name = "auto", .exponent = -1};
    return launched_parse(&command, argc, argv, settings, check, exit_status);
}
