/* SPDX-License-Identifier: BSD-3-Clause */
/* What uts was asked for on its command line. */
#ifndef JUGGLE_UTS_SETTINGS_H
#define JUGGLE_UTS_SETTINGS_H

#include "libjuggle/steal.h"
#include "tools/uts/hasher.h"
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
    enum steal_victim victim;
    enum steal_amount amount;
    enum steal_termination termination;
    double exponent;       /* below 0: not given */
    const char *distances; /* NULL: as the environment says */
    int lifelines;
    int radix;
    int tries;
    bool scatter;
    int seed_tasks; /* 0: as many as the library deems right */
    int chunk;
    int poll_tasks;
    int threads_count; /* 0: this rank's share of the processors */
    uint64_t steal_seed;
};

/* Fills in `settings`, or complains (rank 0 of a parallel run only, so that one line appears) and
 * says by *exit_status how to end; the same on every rank. */
int settings_parse(int argc, char **argv, struct settings *settings, int *exit_status) MUST_CHECK;

#endif
