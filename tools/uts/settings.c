/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/uts/settings.h"

#include "libjuggle/cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int settings_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        const char *text = getenv(names[i]);

        if (text)
            return atoi(text);
    }
    return 0;
}

/* A value that is one of some names, or its number; the names end with NULL. */
static int parse_named(const char *text, const char *const *names, int *value)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(text, names[i]) && !(text[0] == '0' + i && !text[1]))
            continue;
        *value = i;
        return 0;
    }
    return -EINVAL;
}

/* An option whose value is one of an enum's, in the enum's order. */
#define OPTION_NAMED(option, type, expectation, ...)                         \
    static int option(const char *text, void *target, const char **expected) \
    {                                                                        \
        static const char *const names[] = {__VA_ARGS__, NULL};              \
        int value;                                                           \
                                                                             \
        *expected = expectation;                                             \
        const int error = parse_named(text, names, &value);                  \
        if (!error)                                                          \
            *(type *)target = (type)value;                                   \
        return error;                                                        \
    }

OPTION_NAMED(option_type, enum tree_type, "0 binomial, 1 geometric, 2 hybrid or 3 balanced",
             "binomial", "geometric", "hybrid", "balanced")
OPTION_NAMED(option_shape, enum tree_shape, "0 linear, 1 exponential, 2 cyclic or 3 fixed",
             "linear", "exponential", "cyclic", "fixed")
OPTION_NAMED(option_mode, enum steal_mode, "polling or threads", "polling", "threads")
OPTION_NAMED(option_victim, enum steal_victim, "uniform or round-robin", "uniform", "round-robin")
OPTION_NAMED(option_amount, enum steal_amount, "half, chunk or k", "half", "chunk", "k")
OPTION_NAMED(option_termination, enum steal_termination, "tree or ring", "tree", "ring")

static int option_tree(const char *text, void *target, const char **expected)
{
    *expected = "T1, T1L, T3, T3L, T3XXL, T3WL or T4";
    return tree_named(text, target);
}

#define TARGET(field) offsetof(struct settings, field)

static const struct option_spec options[] = {
    {"tree", 0, "NAME", "a published tree: T1, T1L, T3, T3L, T3XXL, T3WL or T4", option_tree,
     TARGET(tree)},
    {"type", 't', "TYPE", "0 binomial, 1 geometric (default), 2 hybrid, 3 balanced", option_type,
     TARGET(tree.type)},
    {"branching", 'b', "B", "branching factor of the root (4)", option_real,
     TARGET(tree.branching)},
    {"root-seed", 'r', "SEED", "of the root (0)", option_number, TARGET(tree.seed)},
    {"branches", 'm', "M", "children of a binomial inner node (4)", option_number,
     TARGET(tree.branches)},
    {"branch-chance", 'q', "Q", "that a binomial node is an inner one (15/64)", option_fraction,
     TARGET(tree.branch_chance)},
    {"shape", 'a', "SHAPE", "geometric: 0 linear (default), 1 exponential, 2 cyclic, 3 fixed",
     option_shape, TARGET(tree.shape)},
    {"depth", 'd', "D", "of a geometric or balanced tree (6)", option_number, TARGET(tree.depth)},
    {"shift", 'f', "F", "share of the depth at which a hybrid turns binomial (0.5)",
     option_fraction, TARGET(tree.shift)},
    {"granularity", 'g', "G", "times that each hash is computed (1)", option_count,
     TARGET(tree.granularity)},
    {"hash", 0, "NAME", "auto (default), c, shani, avx2 or avx512", option_string,
     TARGET(hash_name)},
    {"seq", 0, NULL, "search in one thread, without MPI", option_flag, TARGET(sequential)},
    {"chunk", 'c', "TASKS", "that a steal takes, of --amount chunk and k (20)", option_count,
     TARGET(chunk)},
    {"mode", 0, "MODE", "polling (default) or threads", option_mode, TARGET(mode)},
    {"threads", 0, "COUNT", "of a rank, in threads mode (its share of the processors)",
     option_count, TARGET(threads_count)},
    {"victim", 0, "NAME", "uniform (default) or round-robin", option_victim, TARGET(victim)},
    {"amount", 0, "NAME", "half (default), chunk or k", option_amount, TARGET(amount)},
    {"termination", 0, "NAME", "tree (default) or ring", option_termination, TARGET(termination)},
    {"poll", 0, "TASKS", "look for messages every so many tasks", option_count, TARGET(poll_tasks)},
    {"steal-seed", 0, "SEED", "of the choice of victims (0)", option_seed, TARGET(steal_seed)},
    {"trace", 0, "FILE", "write when which rank did what: CSV, or for Perfetto if *.json",
     option_string, TARGET(trace)},
    {"progress", 0, NULL, "report on stderr while searching", option_flag, TARGET(progress)},
    {"json", 0, NULL, "print the result as JSON", option_flag, TARGET(json)},
    {0},
};

static const struct command_spec command = {
    .name = "uts",
    .synopsis = "[options]",
    .summary = "Searches an unbalanced tree, alone or with the ranks of an MPI program.",
    .options = options,
};

static int settings_check(struct settings *settings)
{
    const char *fault = tree_fault(&settings->tree);

    if (fault) {
        complain(command.name, "%s", fault);
        return -EINVAL;
    }
    const int error = hasher_find(settings->hash_name, &settings->hasher);
    if (error == -ENOTSUP)
        complain(command.name, "--hash: this processor cannot run '%s': try auto",
                 settings->hash_name);
    else if (error)
        complain(command.name,
                 "--hash: '%s' is not usable: expected auto, c, shani, avx2 or avx512",
                 settings->hash_name);
    return error;
}

static int settings_read(int argc, char **argv, struct settings *settings, int *exit_status)
{
    int operands;

    if (options_parse(&command, argc, argv, settings, &operands, exit_status))
        return -EINVAL;
    *exit_status = EXIT_USAGE;
    if (operands < argc) {
        complain(command.name, "'%s' is not an option: see 'uts --help'", argv[operands]);
        return -EINVAL;
    }
    return settings_check(settings);
}

int settings_parse(int argc, char **argv, struct settings *settings, int *exit_status)
{
    FILE *const heard_out = stdout, *const heard_err = stderr;
    FILE *silence = settings_rank() > 0 ? fopen("/dev/null", "w") : NULL;

    *settings = (struct settings){
        .program = command.name, .tree = tree_default(), .hash_name = "auto"};
    if (silence)
        stdout = stderr = silence;
    const int error = settings_read(argc, argv, settings, exit_status);
    if (silence) {
        stdout = heard_out;
        stderr = heard_err;
        fclose(silence);
    }
    return error;
}
