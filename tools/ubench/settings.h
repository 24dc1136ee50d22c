/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of a run of the benchmark, shared by ubench and its MPI variants. */
#ifndef JUGGLE_UBENCH_SETTINGS_H
#define JUGGLE_UBENCH_SETTINGS_H

#include "tools/ubench/barrier.h"

#include "libjuggle/ground/units.h"

#include <stdbool.h>

struct settings {
    const char *program;
    const char *exchange; /* name of the barrier or message exchange, for the report */
    int members_count;
    int phases_count;
    int64_t phase_ns;    /* e: length of a phase on a dedicated processor */
    uint64_t iterations; /* of one member in one phase; 0: calibrate */
    enum barrier_kind barrier;
    int64_t footprint_size; /* bytes per member */
    double uneven;          /* a phase takes up to this share more or less */
    uint64_t seed;
    int static_count; /* pin cyclically to this many processors; 0: do not pin */
    bool processes;
    bool tell_waits; /* members tell juggle when they wait for the others */
    bool calibrate_only;
    bool json;
};

#define SETTINGS_DEFAULTS                                             \
    {                                                                 \
        .phases_count = 50, .phase_ns = 30 * NSEC_PER_MSEC, .seed = 1 \
    }

/* Options that ubench and its MPI variants have in common, for their tables. */
#define SETTINGS_OPTIONS                                                                          \
    {"phases",     'k',                                                                           \
     "K",          "compute K phases, each followed by a barrier (50)",                           \
     option_count, offsetof(struct settings, phases_count)},                                      \
        {"phase-length",  'e',                                                                    \
         "TIME",          "computation of a phase on a dedicated processor (30ms)",               \
         option_duration, offsetof(struct settings, phase_ns)},                                   \
        {"iterations",                                                                            \
         0,                                                                                       \
         "COUNT",                                                                                 \
         "iterations of a phase, instead of its length: the same work in each run",               \
         option_iterations,                                                                       \
         offsetof(struct settings, iterations)},                                                  \
        {"footprint", 0,                                                                          \
         "SIZE",      "memory that each thread streams through, such as 4MiB (0)",                \
         option_size, offsetof(struct settings, footprint_size)},                                 \
        {"uneven",        0,                                                                      \
         "SHARE",         "work varies by so much about the mean, such as 20% (0)",               \
         option_fraction, offsetof(struct settings, uneven)},                                     \
        {"seed",      0,                                                                          \
         "SEED",      "seed of the uneven work (1)",                                              \
         option_seed, offsetof(struct settings, seed)},                                           \
        {"static",     0,                                                                         \
         "M",          "pin threads cyclically to M processors",                                  \
         option_count, offsetof(struct settings, static_count)},                                  \
    {                                                                                             \
        "json", 0, NULL, "print the result as JSON", option_flag, offsetof(struct settings, json) \
    }

/* A whole number of at least 1. */
int option_iterations(const char *text, void *target, const char **expected) MUST_CHECK;

/* Bytes, with KiB, MiB or GiB. */
int option_size(const char *text, void *target, const char **expected);

/* Fills in the options that were not given, and checks the others. Returns 0, or -errno after
 * complaining. */
int settings_complete(struct settings *settings) MUST_CHECK;

/* Sets the iterations if they were not given. Returns 0, or -errno after complaining. */
int settings_calibrate(struct settings *settings) MUST_CHECK;

#endif
