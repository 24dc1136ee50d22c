/* SPDX-License-Identifier: BSD-3-Clause */
/* How somebody wants a program to be balanced: what options, a section of the configuration, a call
 * to the service and a record of its state all say. A plain value. Pure.
 *
 * To add a field: a member here, one line in the table of wish.c, and a member of struct
 * job_options that it is handed on to. Options, variables, --help, completion, juggle.conf, the
 * interface's Settings and the checks of the pages come from the line; tests ask for the field's
 * words in juggle.1, and in juggle.conf.5 and io.juggle.varlink if it has names there. */
#ifndef JUGGLE_WISH_WISH_H
#define JUGGLE_WISH_WISH_H

#include "libjuggle/job/job.h"
#include "libjuggle/wish/field.h"

enum { WISH_THREADS_MAX = 4096 };

struct wish {
    int threads;                /* expected; 0: however many there are */
    char cpus[FIELD_LIST_SIZE]; /* empty: all; as all texts below */
    int64_t period_ns;          /* 0: the policy chooses */
    int64_t margin_ns;
    char domains[FIELD_LIST_SIZE];
    bool inter_domain;
    char capacity[FIELD_LIST_SIZE];
    bool follow_memory;
    enum progress_kind progress;
    enum policy_kind policy;
    enum balancers_shape balancers;
    enum spin_mode spin;
    int idle; /* or WORKERS_IDLE_AUTO */
    char idle_comm[FIELD_PATTERN_SIZE];
    char match[FIELD_PATTERN_SIZE];
    bool override;
};

/* The table: all fields of a wish; ends with a NULL option. */
extern const struct field wish_fields[];

/* As by default. */
void wish_init(struct wish *wish);

/* A field by its key in the configuration, or by its name in JSON; NULL: there is none. */
const struct field *wish_key(const char *key);
const struct field *wish_name(const char *name);

/* What contradicts itself: in words, or NULL. */
const char *wish_problem(const struct wish *wish);

/* The option that is not as by default and that nobody acts on, given the others: in words behind
 * "--", or NULL. */
const char *wish_unused(const struct wish *wish);

/* An option that is not as by default, of those that a service can do, or of the others; or NULL.
 */
const char *wish_asked(const struct wish *wish, bool served);

bool wish_equal(const struct wish *a, const struct wish *b);

/* Hands the wish on to a job, which it must outlive. */
void wish_apply(const struct wish *wish, struct job_options *options);

#endif
