/* SPDX-License-Identifier: BSD-3-Clause */
/* The choices that the stealing runtime offers to a program: a part of <juggle/steal.h>. */
#ifndef JUGGLE_STEAL_CHOICES_H
#define JUGGLE_STEAL_CHOICES_H

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STEAL_API        __attribute__((visibility("default")))
#define STEAL_MUST_CHECK __attribute__((warn_unused_result))

/* Zeroes the struct that `pointer` points to, and sets its size; for languages whose initializers
 * cannot name a field. */
#define STEAL_INIT(pointer) \
    ((void)memset((pointer), 0, sizeof(*(pointer))), (void)((pointer)->size = sizeof(*(pointer))))

/* Which rank a thief asks. */
enum steal_victim {
    STEAL_VICTIM_UNIFORM,     /* any other rank, all equally likely */
    STEAL_VICTIM_ROUND_ROBIN, /* the rank after the one asked last; at first, after itself */
    STEAL_VICTIM_SKEWED,      /* at random: the nearer, the likelier */
    STEAL_VICTIM_NEAREST /* the nearest ranks in turn, among a number that doubles after a refusal
                            and halves after tasks came */
};

/* How many of its spare tasks a victim gives. A polling rank spares all but one; in threads mode it
 * spares the tasks that one thread has shared, the thread that has shared most. */
enum steal_amount {
    STEAL_AMOUNT_HALF,  /* half, rounded up */
    STEAL_AMOUNT_CHUNK, /* exactly `chunk` tasks, or nothing if it has fewer */
    STEAL_AMOUNT_K /* `chunk` tasks if it has more than that; else half of `chunk` if it has more
                      than that; else nothing */
};

/* How the ranks find out that no task is left. */
enum steal_termination {
    STEAL_TERMINATION_TREE,  /* waves up and down a binary tree (Francez and Rodeh) */
    STEAL_TERMINATION_RING,  /* a token that goes around (Dijkstra and Safra) */
    STEAL_TERMINATION_FINISH /* rank 0 counts messages with tasks; a rank reports to it when it
                                finds no work, and says nothing while it is busy */
};

/* Which threads compute, and which answer thieves. */
enum steal_mode {
    STEAL_MODE_POLLING, /* one thread per rank does both: it looks for messages now and then */
    STEAL_MODE_THREADS  /* several threads compute, and steal from each other; the calling thread
                           answers */
};

/* Which executed tasks a rank keeps for steal_restore(). */
enum steal_retention {
    STEAL_RETENTION_NONE,
    STEAL_RETENTION_SEEDED, /* the tasks that were added outside of tasks: when they are executed
                               again, they add theirs again */
    STEAL_RETENTION_ALL     /* also the tasks that tasks added, if tasks add others only once */
};

/* In which order restored tasks are executed. */
enum steal_order {
    STEAL_ORDER_EXECUTED, /* in the order of the last time */
    STEAL_ORDER_LONGEST   /* the tasks that are expected to take longest come first */
};

/* How a task's duration is predicted from its earlier durations. */
enum steal_prediction {
    STEAL_PREDICTION_LAST,    /* the same as last time */
    STEAL_PREDICTION_MEAN,    /* the mean of all times */
    STEAL_PREDICTION_WEIGHTED /* a mean in which the past fades: see `alpha` */
};

/* Which ranks decide where tasks go when load is balanced. */
enum steal_balancer {
    STEAL_BALANCER_HIERARCHICAL, /* the nodes of a tree of ranks */
    STEAL_BALANCER_CENTRAL       /* rank 0 alone */
};

/* Which tasks an overloaded rank gives away when load is balanced. */
enum steal_donation {
    STEAL_DONATION_SHORTEST, /* the shortest first, as published */
    STEAL_DONATION_LONGEST   /* the longest first, unless that takes the rank below the average: few
                                tasks move */
};

/* What a collection's shared bound is: the least or the greatest value that any rank found. */
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
    STEAL_RESULTS_BY_ID    /* by number, 0, 1, 2, ... in each steal_process(): each as soon as all
                              before it have come. If a number never comes, the results after it
                              come at the end */
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

/* Sets `value` to the value called `name` of one of the enums above; -EINVAL if there is none.
 * Names are the ends of the constants' names: "uniform", "round-robin", "threads". */
STEAL_API int steal_choice_parse(enum steal_choice choice, const char *name,
                                 int *value) STEAL_MUST_CHECK;

/* Returns the name of a value, or NULL if there is no such value: counting up from 0 lists all. */
STEAL_API const char *steal_choice_name(enum steal_choice choice, int value);

#ifdef __cplusplus
}
#endif

#endif
