/* SPDX-License-Identifier: BSD-3-Clause */
/* What the stealing runtime lets a program choose between: a part of <juggle/steal.h>. */
#ifndef JUGGLE_STEAL_CHOICES_H
#define JUGGLE_STEAL_CHOICES_H

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STEAL_API        __attribute__((visibility("default")))
#define STEAL_MUST_CHECK __attribute__((warn_unused_result))

/* Zeroes the struct that `pointer` leads to, and sets its size: where an initializer cannot name a
 * field. */
#define STEAL_INIT(pointer) \
    ((void)memset((pointer), 0, sizeof(*(pointer))), (void)((pointer)->size = sizeof(*(pointer))))

/* Whom a thief asks. */
enum steal_victim {
    STEAL_VICTIM_UNIFORM,     /* any other rank, all equally likely */
    STEAL_VICTIM_ROUND_ROBIN, /* the next rank after the one asked last, beginning with its own */
    STEAL_VICTIM_SKEWED,      /* at random: the nearer, the likelier */
    STEAL_VICTIM_NEAREST /* one by one of the nearest: of twice as many after a refusal, of half
                            after a gift */
};

/* How much a victim gives of the tasks that it can spare: all but one, or with threads, those that
 * the threads have put aside for others. */
enum steal_amount {
    STEAL_AMOUNT_HALF,  /* half, rounded up */
    STEAL_AMOUNT_CHUNK, /* exactly `chunk` tasks, or nothing if it has fewer */
    STEAL_AMOUNT_K /* `chunk` tasks of more; or else half of `chunk` of more; or else nothing */
};

/* How the ranks find out that no task is left. */
enum steal_termination {
    STEAL_TERMINATION_TREE,  /* waves up and down a binary tree (Francez and Rodeh) */
    STEAL_TERMINATION_RING,  /* a token that goes around (Dijkstra and Safra) */
    STEAL_TERMINATION_FINISH /* rank 0 counts what is under way; ranks report when they find no
                                work, and say nothing while they are busy */
};

/* Which threads compute, and which answer thieves. */
enum steal_mode {
    STEAL_MODE_POLLING, /* one thread per rank does both: it looks for messages now and then */
    STEAL_MODE_THREADS  /* threads compute, and steal from each other; the caller answers */
};

/* Which of the tasks that a rank executed it keeps, for steal_restore(). */
enum steal_retention {
    STEAL_RETENTION_NONE,
    STEAL_RETENTION_SEEDED, /* those that were added outside of tasks: when they are executed again,
                               they add theirs again */
    STEAL_RETENTION_ALL     /* those that tasks added, too: for tasks that add others once only */
};

/* In which order restored tasks are executed. */
enum steal_order {
    STEAL_ORDER_EXECUTED, /* as last time */
    STEAL_ORDER_LONGEST   /* those first that are expected to take longest */
};

/* What a task is expected to take, from what it took before. */
enum steal_prediction {
    STEAL_PREDICTION_LAST,    /* the same as last time */
    STEAL_PREDICTION_MEAN,    /* the mean of all times */
    STEAL_PREDICTION_WEIGHTED /* a mean in which the past fades: see `alpha` */
};

/* How it is decided where tasks go when load is balanced. */
enum steal_balancer {
    STEAL_BALANCER_HIERARCHICAL, /* a tree of the ranks */
    STEAL_BALANCER_CENTRAL       /* rank 0 for all */
};

/* Which tasks an overloaded rank gives away when load is balanced. */
enum steal_donation {
    STEAL_DONATION_SHORTEST, /* the shortest first, as published */
    STEAL_DONATION_LONGEST   /* the longest first that do not take it below the average: few move */
};

/* What a collection's shared bound is: the least or the greatest value that anybody found. */
enum steal_bound_kind {
    STEAL_BOUND_NONE,
    STEAL_BOUND_MIN, /* of int64_t */
    STEAL_BOUND_MAX,
    STEAL_BOUND_MIN_DOUBLE,
    STEAL_BOUND_MAX_DOUBLE
};

/* In which order results come. */
enum steal_results {
    STEAL_RESULTS_ARRIVED, /* as they arrive */
    STEAL_RESULTS_BY_ID /* those numbered 0, 1, 2, ... in each steal_process(), each as soon as all
                           before it are there; what comes after one that never came, at the end */
};

enum steal_choice {
    STEAL_CHOICE_VICTIM,
    STEAL_CHOICE_AMOUNT,
    STEAL_CHOICE_TERMINATION,
    STEAL_CHOICE_MODE,
    STEAL_CHOICE_RETENTION,
    STEAL_CHOICE_ORDER,
    STEAL_CHOICE_PREDICTION,
    STEAL_CHOICE_BALANCER,
    STEAL_CHOICE_DONATION,
    STEAL_CHOICE_BOUND,
    STEAL_CHOICE_RESULTS
};

/* The value called `name` of one of the enums above; -EINVAL if there is none. Names are the ends
 * of the constants' names: "uniform", "round-robin", "threads". */
STEAL_API int steal_choice_parse(enum steal_choice choice, const char *name,
                                 int *value) STEAL_MUST_CHECK;

/* The name of a value, NULL when there is no such value: counting up from 0 lists them all. */
STEAL_API const char *steal_choice_name(enum steal_choice choice, int value);

#ifdef __cplusplus
}
#endif

#endif
