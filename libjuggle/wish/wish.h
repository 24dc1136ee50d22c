/* SPDX-License-Identifier: BSD-3-Clause */
/* How a user wants a program to be balanced. Options, a section of the configuration, a call to the
 * service and a record of its state all hold a wish. A plain value. Pure.
 *
 * To add a field: add a member here, one line in the table of wish.c, and the member of struct
 * job_options that it is copied to. Options, variables, --help, completion, juggle.conf, the
 * interface's Settings and the checks of the man pages come from the line. Tests demand words about
 * the field in juggle.1, and in juggle.conf.5 and io.juggle.varlink if it has names there. */
#ifndef JUGGLE_WISH_WISH_H
#define JUGGLE_WISH_WISH_H

#include "libjuggle/job/job.h"
#include "libjuggle/wish/field.h"

enum { WISH_THREADS_MAX = 4096 };

struct wish {
    int threads;                /* start when there are this many; 0: with those there are */
    char cpus[FIELD_LIST_SIZE]; /* empty: all; an empty text below is no choice, too */
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

/* Sets all fields to their defaults. */
void wish_init(struct wish *wish);

/* Find a field by its key in the configuration, or by its name in JSON; NULL: there is none. */
const struct field *wish_field_by_key(const char *key);
const struct field *wish_field_by_name(const char *name);

/* Returns in words which fields contradict each other, or NULL. */
const char *wish_problem(const struct wish *wish);

/* Returns, in words that follow "--", an option that is not at its default and has no effect, given
 * the other options; or NULL. */
const char *wish_unused(const struct wish *wish);

/* Returns an option that is not at its default, or NULL: of the options that a service can do if
 * `served`, else of the others. */
const char *wish_first_set(const struct wish *wish, bool served);

bool wish_equal(const struct wish *a, const struct wish *b);

/* Copies the wish to the options of a job. The wish must outlive the job. */
void wish_apply(const struct wish *wish, struct job_options *options);

#endif
