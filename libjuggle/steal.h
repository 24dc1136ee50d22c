/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stealing runtime of Juggle: collections of tasks that the ranks of an MPI program execute
 * together, each rank taking work from the others when it has none left.
 *
 *     struct steal_runtime *runtime;
 *     struct steal_collection *tree;
 *     steal_function visit;
 *
 *     steal_runtime_create(NULL, NULL, &runtime, NULL);              collective
 *     steal_function_register(runtime, "visit", visit_nodes, &visit);
 *     struct steal_properties properties = {.size = sizeof(struct steal_properties),
 *                                           .function = visit,
 *                                           .task_size = sizeof(struct node)};
 *     steal_collection_create(runtime, &properties, &tree);          collective
 *     if (steal_rank(runtime) == 0)
 *         steal_add(steal_seeder(runtime), tree, &root, sizeof(root));
 *     steal_process(tree);                                           collective
 *     steal_collection_destroy(tree);                                collective
 *     steal_runtime_destroy(runtime);                                collective
 *
 * Collective functions are called by all ranks of the communicator, in the same order. They agree
 * on the outcome: when one rank fails, all of them return an error (-ECANCELED where the failure is
 * another rank's, whose message they have, too) and nothing has happened. Ranks that are not in the
 * same call, or not with the same collection or count, get -EPROTO. Functions that can fail return
 * 0 or -errno, leave their outputs untouched on failure, and leave one line about it in
 * steal_message(), which is empty after a call that succeeded. NULL where there must be something
 * is -EINVAL. Nothing here prints, exits or keeps global state, so that a process can have several
 * runtimes.
 *
 * All times are int64_t nanoseconds. In every struct of settings a field that is zero has its
 * default. The first field of each struct, `size`, is set by the program, also where the library
 * fills in the rest. Structs grow at their end: of a program that was compiled for an older
 * version, whose struct is smaller, what it lacks has its default. Any other size, as of a mirror
 * in another language that does not fit, is -EINVAL. The library exists once per MPI
 * implementation, with this one interface; <mpi.h> is not needed to use it.
 */
#ifndef JUGGLE_STEAL_H
#define JUGGLE_STEAL_H

#include "steal_checkpoint.h"
#include "steal_choices.h"
#include "steal_instruments.h"
#include "steal_order.h"
#include "steal_results.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    /* Tasks lie this many bytes, or a multiple, apart: with a task_size that is a multiple, they
     * are an array. */
    STEAL_TASK_ALIGN = 8,
    /* Tasks that one reservation or one batch can hold. */
    STEAL_BATCH_MAX = 1024,
    /* Bytes of the largest task: larger data stays where it is, and the task names it. */
    STEAL_TASK_SIZE_MAX = 65536
};

/* ---- functions ---------------------------------------------------------------------------- */

struct steal_runtime;
struct steal_collection;

/* What executes tasks: the rank itself, or one of its threads. It is the place where tasks are
 * added, and belongs to one thread. */
struct steal_worker;

/*
 * Executes `count` tasks, from 1 to the collection's `batch`. They lie in a private copy that lasts
 * until the function returns, aligned to 64 bytes, each task_size bytes rounded up to
 * STEAL_TASK_ALIGN from the one before. `local` is the rank's pointer of the collection. May add
 * tasks to this or another collection of the same runtime through `worker`; may not call a
 * collective function. With threads, T calls run at once on different workers.
 */
typedef void steal_exec(struct steal_worker *worker, void *local, const void *tasks, size_t count);

/* A function under a name that all ranks know, whatever its address there. Zero is none. */
typedef uint32_t steal_function;

/* ---- runtime ------------------------------------------------------------------------------ */

enum { STEAL_MESSAGE_MAX = 256 };

struct steal_error {
    char message[STEAL_MESSAGE_MAX];
};

/* What rank 0 knows of the run so far; reports come up a tree, so they lag a little. */
struct steal_progress {
    size_t size; /* of this struct, as the library knows it */
    int64_t elapsed_ns;
    int64_t tasks_executed;
    double tasks_per_s; /* since the report before */
    int ranks;
    int ranks_active; /* that have tasks */
};

/* Settings of a runtime, equal on all ranks except for the pointers. */
struct steal_options {
    size_t size; /* of this struct */
    enum steal_mode mode;
    int workers;         /* threads per rank; 0: its share of the node's processors */
    size_t trace_events; /* state changes kept per worker, the latest; 0: no trace */
    /* Called on rank 0 while it processes, about every interval. */
    void (*progress)(void *context, const struct steal_progress *progress);
    void *progress_context;
    int64_t progress_interval_ns; /* 0: no progress is collected */
    /*
     * Where distances between ranks come from, for victims by distance: "node" (what shares
     * memory), "cache" (what shares a cache, too, or a package), "coordinates", "measured" (round
     * trips when the runtime is created), "torus:AxBxC" or "tree:AxB" (of the nodes, in the order
     * of their first ranks: a torus of these extents; A nodes at a switch, B of these at the next).
     * NULL: as JUGGLE_DISTANCES says; otherwise "coordinates" where there are any, or "node".
     */
    const char *distances;
    const int *coordinates; /* of this rank; NULL: as JUGGLE_COORDINATES says, "1,2,3" */
    int dimensions;         /* as many of them, up to 6 */
    int unused;             /* 0 */
    int report; /* steal_runtime_destroy() on rank 0 writes a line for each function, to stderr:
                   what became of its tasks, and what might be better. Costs two reductions for each
                   steal_process(). The user's JUGGLE_STEAL=report asks for it */
};

/*
 * Collective. `comm` points to an MPI_Comm, which is duplicated; NULL means MPI_COMM_WORLD.
 * A communicator between two groups, or MPI_COMM_NULL, is -EINVAL.
 * `options` may be NULL. If MPI is not initialized, the runtime does it, and finalizes MPI when it
 * is destroyed: there can be no other afterwards, which is -EINVAL. It looks at the options before:
 * where one is out of its range MPI is not touched. Threads mode needs MPI_THREAD_FUNNELED and all
 * calls from the thread that initialized MPI. On failure `error`, unless NULL, says why: -EINVAL,
 * -EPROTO (options differ between ranks), -ENOMEM, -EIO (MPI failed), -ECANCELED (another rank's).
 *
 * A rank that is alone in MPI_COMM_WORLD though its launcher says that it started several gets
 * -EINVAL: mpirun belongs to another MPI, and each rank would do all the work. Where that is wanted
 * `comm` is MPI_COMM_SELF, or the environment has JUGGLE_ALONE=1.
 *
 * Where the environment has JUGGLE=1, or JUGGLE=NAME for a job of that name, each rank joins the
 * job of its node as by juggle_join(), and leaves with the process' last runtime. A rank that
 * cannot join is not balanced, which is no failure: steal_message() says why.
 */
STEAL_API int steal_runtime_create(const void *comm, const struct steal_options *options,
                                   struct steal_runtime **runtime,
                                   struct steal_error *error) STEAL_MUST_CHECK;

/* Collective. Accepts NULL. -EBUSY from within a task, and while there is a collection, which the
 * message names: nothing happens then. */
STEAL_API int steal_runtime_destroy(struct steal_runtime *runtime);

STEAL_API int steal_rank(const struct steal_runtime *runtime);
STEAL_API int steal_ranks(const struct steal_runtime *runtime);

/* Workers of this rank: 1 when polling. */
STEAL_API int steal_workers(const struct steal_runtime *runtime);

/* Why the latest failure on this rank happened, or what a runtime that was just created warns of
 * (that it joined no job), one line; "" if there is nothing to
 * tell. Tasks ask steal_worker_message(). */
STEAL_API const char *steal_message(const struct steal_runtime *runtime);

/*
 * Local, but all ranks must register the same names in the same order: the next
 * steal_collection_create() compares them. -EINVAL without a name, -EEXIST if the name is taken.
 */
STEAL_API int steal_function_register(struct steal_runtime *runtime, const char *name,
                                      steal_exec *exec, steal_function *function) STEAL_MUST_CHECK;

/* Collective. Adds up, or takes the greatest of, each value over all ranks, in place. */
STEAL_API int steal_sum(struct steal_runtime *runtime, int64_t *values,
                        size_t count) STEAL_MUST_CHECK;
STEAL_API int steal_max(struct steal_runtime *runtime, int64_t *values,
                        size_t count) STEAL_MUST_CHECK;

/* ---- collection --------------------------------------------------------------------------- */

/* How load is balanced between iterations, equal on all ranks. */
struct steal_balance {
    size_t size; /* of this struct; within steal_properties 0 will do */
    enum steal_balancer balancer;
    enum steal_donation donation;
    int within_nodes;    /* first between the ranks of a node, and between nodes what is left */
    int arity;           /* children of a rank in the tree of the hierarchical one; 0: 3 */
    double donate_above; /* ranks give away load above this multiple of the average (C); 0: 1.003 */
    double fill_below;   /* and get load up to this multiple of it (D); 0: 1.003 */
    int64_t gain_min_ns; /* nothing moves unless the greatest load is this much above the average */
};

/* What is known of a collection's tasks, equal on all ranks except for `local`. */
struct steal_properties {
    size_t size;                 /* of this struct */
    steal_function function;     /* executes its tasks; required */
    size_t task_size;            /* bytes of the largest task; required */
    size_t batch;                /* tasks per call at most; 0: 1 */
    size_t lanes;                /* tasks that a call computes side by side: where a worker holds as
                                    many it calls with a multiple of them. `batch` is a
                                    multiple, too; 0: 1 */
    size_t tasks;                /* that a worker is expected to hold at once; 0: 1024. It may hold
                                    more, up to memory_max */
    size_t memory_max;           /* bytes of tasks that a worker's deque may come to: it holds the
                                    greatest power of two of tasks that fits. 0: 256 MiB */
    void *local;                 /* this rank's data, handed to the function */
    enum steal_retention retain; /* keep what was executed, and measure how long it takes */
    enum steal_bound_kind bound; /* the best value so far that all ranks share: steal_bound() */
    int isolate;                 /* never steal: each rank executes what it has */

    enum steal_victim victim;
    enum steal_amount amount;
    enum steal_termination termination;
    double exponent; /* of STEAL_VICTIM_SKEWED: a victim's weight is 1 / distance^exponent, and 1
                        within distance 0. 0: 1 */
    int lifelines; /* a rank that finds no work waits at this many others, up to 30; 0: it asks for
                      ever */
    int radix;     /* of the hypercube of lifelines: radix^lifelines >= ranks; 0: the least */
    int tries;     /* victims asked in vain before the lifelines; 0: 4 */
    size_t chunk;  /* of STEAL_AMOUNT_CHUNK and _K; 0: 20 */
    size_t poll_tasks; /* a polling rank looks for messages after this many tasks, and after four
                          times as many where ranks outnumber processors; 0: 512 */
    uint64_t seed;     /* of the choice of victims; the ranks derive their own from it */

    /* With `retain`. */
    enum steal_order order;
    enum steal_prediction prediction;
    double alpha; /* what the latest time counts in STEAL_PREDICTION_WEIGHTED, to 1; 0: 0.5 */
    size_t bins;  /* that sort tasks by duration, for each doubling: a power of two; 0: 16 */
    size_t balance_every; /* steal_process() balances first, each time that it is called this often;
                             0: never */
    int balance_if_it_pays;       /* or whenever it is expected to save more than it costs */
    struct steal_balance balance; /* in which way */
    /* How long a task takes beside others of its batch; NULL: all the same. Is given `local`. */
    int64_t (*weight)(const void *local, const void *task);
    /* What a task is known by, when it is added anew, and in files; NULL: it is not known then. */
    uint64_t (*key)(const void *local, const void *task);

    size_t storage; /* bytes that each worker has for itself: steal_storage(). 0: none */
    const void *storage_initial; /* what they are at first, copied; NULL: zero */

    /* What steal_result() brings goes on rank 0 to this function, which is given `local`, and is
     * written into this file, which begins empty. NULL on all ranks, or on none; only what rank 0
     * has counts. */
    void (*result)(void *local, uint64_t id, const void *data, size_t size);
    const char *results_path;
    enum steal_results results; /* the order in which they come */
    size_t results_memory;      /* bytes of results that a rank keeps in memory; 0: 16 MiB */

    int levels; /* of tasks, up to 4, the best first: steal_add_level(). 0: 1. Not with `retain` */
    int weighted; /* tasks have costs, the longest come first: steal_add_weighted() */
    int waiting;  /* tasks wait for counters: steal_add_waiting(). Not with `retain` */
};

/*
 * Collective. -EINVAL (a property out of its range, or without the one that it needs), -ENOENT (the
 * function is not registered), -EPROTO (properties or registered functions differ between ranks;
 * the message names the first that does), -ENOMEM.
 */
STEAL_API int steal_collection_create(struct steal_runtime *runtime,
                                      const struct steal_properties *properties,
                                      struct steal_collection **collection) STEAL_MUST_CHECK;

/* Collective. Tasks that it still holds are dropped. Accepts NULL. -EBUSY from within a task, where
 * nothing happens. */
STEAL_API int steal_collection_destroy(struct steal_collection *collection);

/*
 * Collective. Executes all tasks and those that they add to this collection, wherever they were
 * added, and returns when none is left on any rank. Tasks that were added to another collection
 * stay there until it is processed. -EBUSY from within a task, or with a reservation that is open:
 * one that a task leaves open cancels, and the message says in which collection. -EIO if MPI
 * failed, -EPROTO if the ranks process different collections, or a check of the library itself has
 * failed on one, -ENOMEM where a rank has no memory to go on (nothing is processed any more after
 * these two), -ECANCELED after steal_cancel().
 * STEAL_STOPPED, 1, if it was stopped before: steal_checkpoint.h.
 */
STEAL_API int steal_process(struct steal_collection *collection) STEAL_MUST_CHECK;

/*
 * Ends the steal_process() under way, from within a task: no task that has not begun is executed
 * any more, on no rank; tasks that are left are dropped, and steal_process() returns -ECANCELED on
 * all ranks, where the message names the rank that canceled. A C++ exception that leaves a task in
 * polling mode does the same, and then leaves steal_process() on its rank; in threads mode it ends
 * the program, as exceptions that leave a thread do. -EINVAL for another collection than the one
 * that is being processed.
 */
STEAL_API int steal_cancel(struct steal_collection *collection);

/*
 * Local. Adds again what this rank executed in the latest steal_process(), as `retain` says: the
 * next one starts with the distribution that stealing arrived at. -EINVAL without `retain`, -EBUSY
 * from within a task or before any process, -ENOSPC if the deque or the record was full, -ENOMEM;
 * the collection is then unchanged.
 */
STEAL_API int steal_restore(struct steal_collection *collection) STEAL_MUST_CHECK;

/*
 * Collective, before steal_process(). Moves tasks that lie in the collection, seeded or restored,
 * from ranks that are expected to take longer than the average to others. Tasks that never ran are
 * held to take as long as others do on average. Nothing moves where that would not make the
 * greatest load smaller. What was executed and is not restored is dropped; with `key`, tasks that
 * were added instead, on any rank, are expected to take what those of the same key took. `settings`
 * may be NULL. -EINVAL (without `retain`; a setting out of its range), -EPROTO (settings differ
 * between ranks), -ENOSPC (no room where tasks should go), -ENOMEM; no task has moved then. Where a
 * rank cannot go on it is as of steal_process().
 */
STEAL_API int steal_rebalance(struct steal_collection *collection,
                              const struct steal_balance *settings) STEAL_MUST_CHECK;

/*
 * Collective. Writes what is known of the tasks executed last, by their keys, for another run with
 * any number of ranks. The file is there as a whole, or as it was before. -EINVAL (without `retain`
 * or `key`), -errno of the file on all ranks, -EBUSY unless a steal_process() has ended since the
 * last steal_rebalance() or steal_ledger_load(): these forget what was executed.
 */
STEAL_API int steal_ledger_save(struct steal_collection *collection,
                                const char *path) STEAL_MUST_CHECK;

/*
 * Collective, after tasks were added. They are expected to take what the file says of their keys;
 * steal_rebalance() then begins with that. What was executed and is not restored is dropped.
 * -EINVAL (without `retain` or `key`), -EBADMSG (no ledger, of another function, cut off, damaged),
 * -errno of the file on all ranks; nothing is known of the tasks then.
 */
STEAL_API int steal_ledger_load(struct steal_collection *collection,
                                const char *path) STEAL_MUST_CHECK;

/* Whether ranks steal in the next steal_process(), or each executes what it has: `isolate` anew.
 * Local, but the same on all ranks. -EBUSY from within a task. */
STEAL_API int steal_isolate(struct steal_collection *collection, int isolate) STEAL_MUST_CHECK;

/*
 * Local. The next steal_process() begins by executing this rank's tasks, the oldest first, until
 * it holds `tasks` of them or has executed as many, and deals them out to all ranks evenly. 0: 2
 * for each rank. -EBUSY from within a task.
 */
STEAL_API int steal_scatter(struct steal_collection *collection, size_t tasks) STEAL_MUST_CHECK;

/* ---- bounds ------------------------------------------------------------------------------- */

/*
 * The best value that was found so far, as far as it is known here, which reading finds out without
 * waiting or locking: it only gets better, and is never better than the best. Ranks of a node
 * see it at once; between nodes it travels with the messages of stealing, and along a tree. When
 * steal_process() returns it is the best on all ranks. It lives as long as the collection; before
 * any value it is INT64_MAX, INT64_MIN, or infinite. 0 of a collection without such a bound.
 */
STEAL_API int64_t steal_bound(const struct steal_collection *collection);
STEAL_API double steal_bound_double(const struct steal_collection *collection);

/* From within tasks or outside: 1 if the value is better than what was known here, 0 if not.
 * -EINVAL (no bound of this type, not a number), without a message. */
STEAL_API int steal_bound_improve(struct steal_collection *collection, int64_t value);
STEAL_API int steal_bound_improve_double(struct steal_collection *collection, double value);

/* ---- settings as text ---------------------------------------------------------------------- */

/*
 * Sets what `text` says of the struct, as "lifelines=2,mode=threads": names of its fields, or of
 * steal_balance, with numbers or names of choices; K, M and G multiply sizes by 1024, 1024^2 and
 * 1024^3. One text serves both structs: each call takes what is its struct's. What the program's
 * own code depends on (function, task_size, batch, lanes, retain, bound, key, weight) no text can
 * set; `checkpoint` and `every` are in neither struct, and refused. -EINVAL (a name that does not
 * exist, a value out of its range), which `error`, unless NULL, says; the struct is then unchanged.
 *
 * What the user writes into JUGGLE_STEAL in the environment is treated the same way, by
 * steal_runtime_create(), by each steal_collection_create() and by steal_rebalance(), and goes over
 * what the program sets.
 */
STEAL_API int steal_options_parse(struct steal_options *options, const char *text,
                                  struct steal_error *error) STEAL_MUST_CHECK;
STEAL_API int steal_properties_parse(struct steal_properties *properties, const char *text,
                                     struct steal_error *error) STEAL_MUST_CHECK;

/* Writes what such a text may hold, a line for each setting, for --help: up to `size` bytes with
 * the zero at the end. Returns how many the whole has without it, as snprintf() does. */
STEAL_API size_t steal_settings_help(char *text, size_t size);

/* Of the library: "MAJOR.MINOR.PATCH". */
STEAL_API const char *steal_version(void);

/* ---- adding tasks ------------------------------------------------------------------------- */

/* The worker through which a rank adds tasks outside of steal_process(). */
STEAL_API struct steal_worker *steal_seeder(struct steal_runtime *runtime);

/*
 * Adds a task by copy; bytes up to the collection's task_size that `size` leaves are undefined. The
 * worker executes the latest tasks first. -EMSGSIZE (larger than announced), -ENOSPC (the deque is
 * at its memory_max), -ENOMEM (there is no memory for it to grow), -EINVAL (a collection of another
 * runtime), -EBUSY (a reservation is open, or the seeder is used during steal_process()); the
 * collection is then unchanged.
 */
STEAL_API int steal_add(struct steal_worker *worker, struct steal_collection *collection,
                        const void *task, size_t size) STEAL_MUST_CHECK;

/*
 * Room for `count` tasks, 1 to STEAL_BATCH_MAX, to be filled in place: one after the other, each
 * task_size bytes rounded up to STEAL_TASK_ALIGN from the one before. Nothing else may be added to
 * the collection by this worker until steal_commit(), which a task calls before it ends. Errors as
 * of steal_add().
 */
STEAL_API int steal_reserve(struct steal_worker *worker, struct steal_collection *collection,
                            size_t count, void **tasks) STEAL_MUST_CHECK;

/* Adds the first `count` tasks of the reservation, all or fewer, even none, and closes it. More
 * than it has room for are refused: steal_worker_message() says so, and it stays open. */
STEAL_API void steal_commit(struct steal_worker *worker, struct steal_collection *collection,
                            size_t count);

/*
 * From within a task's function, of a collection that retains: task `index` of its batch took so
 * long, by a better clock than the runtime's, which only knows what a batch takes; that task is not
 * to be restored. An index that is not in the batch, and a duration below 0, are passed over.
 */
STEAL_API void steal_took(struct steal_worker *worker, size_t index, int64_t duration_ns);
STEAL_API void steal_forget(struct steal_worker *worker, size_t index);

/* 0 to steal_workers() - 1, for data that each worker has of its own. */
STEAL_API int steal_worker_index(const struct steal_worker *worker);

/* Why the latest steal_add() or steal_reserve() of this worker failed: for tasks, of which several
 * may fail at once. Outside of tasks, steal_message() says it, too. */
STEAL_API const char *steal_worker_message(const struct steal_worker *worker);

#ifdef __cplusplus
}
#endif

#endif
