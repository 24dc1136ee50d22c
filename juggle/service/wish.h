/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How somebody wants a job to be balanced: what a section of the configuration, a call and a record
 * of the state all say. A plain value. Pure.
 */
#ifndef JUGGLE_SERVICE_WISH_H
#define JUGGLE_SERVICE_WISH_H

#include "libjuggle/job/workers.h"
#include "libjuggle/policy/policy.h"

#include <jansson.h>
#include <stdbool.h>

enum {
    WISH_LIST_SIZE = 192,
    WISH_PATTERN_SIZE = 64,
    WISH_THREADS_MAX = 4096,
};

/* All zero but `idle`: the service chooses. */
struct wish {
    int threads; /* expected; 0: however many there are */
    int64_t period_ns;
    enum policy_kind policy;
    char cpus[WISH_LIST_SIZE]; /* empty: all; as all texts below */
    char domains[WISH_LIST_SIZE];
    bool inter_domain;
    int idle; /* or WORKERS_IDLE_AUTO */
    char idle_comm[WISH_PATTERN_SIZE];
    char match[WISH_PATTERN_SIZE];
    bool override;
};

extern const struct wish wish_default;

/* The value of one key of the configuration. -ENOENT: there is no such key; -EINVAL after setting
 * *expected to what would have been right. */
int wish_set(struct wish *wish, const char *key, const char *value,
             const char **expected) MUST_CHECK;

/* What contradicts itself: in words, or NULL. */
const char *wish_problem(const struct wish *wish);

bool wish_equal(const struct wish *a, const struct wish *b);

/* As the interface's Settings; NULL without memory. What is as by default is left out. */
json_t *wish_to_json(const struct wish *wish);

/* -EINVAL after setting *field to the one that is wrong. NULL stands for no settings at all. */
int wish_from_json(const json_t *json, struct wish *wish, const char **field) MUST_CHECK;

#endif
