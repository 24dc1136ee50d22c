/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of uts. */
#ifndef JUGGLE_UTS_SETTINGS_H
#define JUGGLE_UTS_SETTINGS_H

#include "libjuggle/steal.h"
#include "tools/uts/hasher.h"
#include "tools/uts/strategies.h"
#include "tools/uts/tree.h"

struct settings {
    const char *program;
    struct tree tree;
    const char *hash_name;
    const struct hasher *hasher;
    bool sequential;
    bool json;
    bool detailed; /* the whole report */
    bool progress;
    const char *trace; /* path, or NULL */
    enum steal_mode mode;
    struct strategy strategy;
    double exponent;       /* below 0: not given */
    const char *distances; /* NULL: by the environment */
    int radix;
    int seed_tasks; /* 0: the library's default */
    int chunk;
    int poll_tasks;
    int threads_count; /* 0: this rank's share of the processors */
    uint64_t steal_seed;
};

/* Fills in `settings` and returns 0, the same on every rank. Otherwise the program must end with
 * *exit_status; only rank 0 of a parallel run complains, so that one line appears. */
int settings_parse(int argc, char **argv, struct settings *settings, int *exit_status) MUST_CHECK;

#endif
