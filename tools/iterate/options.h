/* SPDX-License-Identifier: BSD-3-Clause */
/* The options that iterative applications share, for their tables. */
#ifndef JUGGLE_ITERATE_OPTIONS_H
#define JUGGLE_ITERATE_OPTIONS_H

#include "cli/options.h"
#include "tools/iterate/application.h"
#include "tools/iterate/choices.h"

void iterate_options_init(struct iterate_options *options);

/* Checks the options. Returns 0, or -EINVAL after complaining about one that names no scheme, is
 * out of its range, or has no effect with the scheme. */
int iterate_options_check(const char *program, const struct iterate_options *options) MUST_CHECK;

#define ITERATE_TARGET(settings, member) \
    (offsetof(settings, iterate) + offsetof(struct iterate_options, member))

/* `settings` must have a member `iterate`, a struct iterate_options. */
/* clang-format off */
#define ITERATE_OPTIONS(settings)                                                                  \
    {"scheme", 0, "NAME",                                                                          \
     "stealall, steal, retain (default), central, hierarchical, combined or static",               \
     option_string, ITERATE_TARGET(settings, scheme_name)},                                        \
    {"start", 0, "NAME", "where tasks begin: dealt (default), or blocks of those that follow",     \
     option_start, ITERATE_TARGET(settings, start)},                                               \
    {"order", 0, "NAME", "order of kept tasks: longest first (default), or as executed",           \
     option_order, ITERATE_TARGET(settings, order)},                                               \
    {"iterations", 'k', "COUNT", "iterations at most (20)",                                        \
     option_count, ITERATE_TARGET(settings, iterations)},                                          \
    {"mode", 0, "MODE", "polling (default) or threads",                                            \
     option_mode, ITERATE_TARGET(settings, mode)},                                                 \
    {"threads", 0, "COUNT", "threads of a rank in threads mode (its share of the processors)",     \
     option_count, ITERATE_TARGET(settings, threads)},                                             \
    {"tolerance", 0, "FACTOR", "load over the average that balancing leaves alone (1.003)",        \
     option_real, ITERATE_TARGET(settings, tolerance)},                                            \
    {"arity", 0, "COUNT", "children of a rank in the tree of hierarchical balancing (3)",          \
     option_count, ITERATE_TARGET(settings, arity)},                                               \
    {"donation", 0, "NAME", "tasks given away first: shortest (default) or longest",               \
     option_donation, ITERATE_TARGET(settings, donation)},                                         \
    {"prediction", 0, "NAME", "prediction of a task's time: last (default), mean or weighted",     \
     option_prediction, ITERATE_TARGET(settings, prediction)},                                     \
    {"export-durations", 0, "FILE", "write how long each task took: a line of nanoseconds each",   \
     option_string, ITERATE_TARGET(settings, durations)},                                          \
    {"dry-run", 0, NULL, "print how many tasks there are, and exit",                               \
     option_flag, ITERATE_TARGET(settings, dry_run)},                                              \
    {"progress", 0, NULL, "show a progress bar",                                                   \
     option_flag, ITERATE_TARGET(settings, progress)},                                             \
    {"json", 0, NULL, "print the result as JSON", option_flag, ITERATE_TARGET(settings, json)}
/* clang-format on */

#endif
