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
 * All ranks of the communicator call collective functions, in the same order. The ranks agree on
 * the outcome: if one rank fails, all of them return an error and the call has no effect. A rank
 * that did not fail itself gets -ECANCELED, and the message of the rank that failed. If ranks are
 * in different calls, or pass different collections or counts, they get -EPROTO. So a rank that
 * gives up destroys its collections and its runtime, which frees the ranks that wait for it
 * elsewhere. Functions that can fail return 0 or -errno, leave their outputs untouched on failure,
 * and leave one line about it in steal_message(), which is empty after a call that succeeded. NULL
 * is -EINVAL if a pointer is required. The library never exits and keeps no global state, so that a
 * process can have several runtimes. It prints only the lines that the option `report` asks for,
 * and one if JUGGLE_STEAL=checkpoint has no effect.
 *
 * All times are int64_t nanoseconds. In every struct of settings a field that is zero has its
 * default. The program sets the first field of each struct, `size`, even if the library fills in
 * the rest. Structs grow at their end: if a program was compiled for an older version, whose struct
 * is smaller, the missing fields have their defaults. Any other size is -EINVAL, such as that of a
 * binding in another language that does not match. There is one library for each MPI
 * implementation, all with this interface; <mpi.h> is not needed to use it.
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
    /* Tasks lie this many bytes, or a multiple of it, apart: if task_size is a multiple, they form
     * an array. */
    STEAL_TASK_ALIGN = 8,
    /* Most tasks in one reservation or one batch. */
    STEAL_BATCH_MAX = 1024,
    /* Bytes of the largest task. Larger data stays where it is, and the task says where. */
    STEAL_TASK_SIZE_MAX = 65536
};

/* ---- functions ---------------------------------------------------------------------------- */

struct steal_runtime;
struct steal_collection;

/* Executes tasks: the rank itself in polling mode, one of its threads in threads mode. Tasks are
 * added through a worker, and each worker belongs to one thread. */
struct steal_worker;

/*
 * Executes `count` tasks, from 1 to the collection's `batch`. The tasks lie in a private copy,
 * aligned to 64 bytes and valid until the function returns; each starts task_size bytes, rounded up
 * to STEAL_TASK_ALIGN, after the one before. `local` is this rank's `local` of steal_properties.
 * The function may add tasks to this or another collection of the same runtime through `worker`; it
 * may not call a collective function. In threads mode up to steal_workers() calls run at the same
 * time, on different workers.
 */
typedef void steal_exec(struct steal_worker *worker, void *local, const void *tasks, size_t count);

/* Identifies a function on all ranks by its registered name; its address may differ. Zero is no
 * function. */
typedef uint32_t steal_function;

/* ---- runtime ------------------------------------------------------------------------------ */

enum { STEAL_MESSAGE_MAX = 256 };

struct steal_error {
    char message[STEAL_MESSAGE_MAX];
};

/* What rank 0 knows of the run so far. Reports come up a tree, so the numbers lag a little. */
struct steal_progress {
    size_t size; /* of this struct, as the library knows it */
    int64_t elapsed_ns;
    int64_t tasks_executed;
    double tasks_per_s; /* since the previous report */
    int ranks;
    int ranks_active; /* ranks that have tasks */
};

/* Settings of a runtime, equal on all ranks except for the pointers. */
struct steal_options {
    size_t size; /* of this struct */
    enum steal_mode mode;
    int workers;         /* threads per rank; 0: the rank's share of the node's processors */
    size_t trace_events; /* latest state changes kept per worker; 0: no trace */
    /* Called on rank 0 during steal_process(), about once every progress_interval_ns. */
    void (*progress)(void *context, const struct steal_progress *progress);
    void *progress_context;
    int64_t progress_interval_ns; /* 0: no progress is collected */
    /*
     * Where distances between ranks come from, for choosing victims by distance: "node" (ranks on
     * one node are near), "cache" (so are ranks that share a cache or a package), "coordinates",
     * "measured" (round trips, when the runtime is created), "torus:AxBxC" or "tree:AxB" (nodes in
     * the order of their first ranks: in a torus of these extents, or A nodes at a switch and B of
     * these switches at the next one). NULL: what JUGGLE_DISTANCES says; if it is not set,
     * "coordinates" if there are any, else "node".
     */
    const char *distances;
    const int *coordinates; /* of this rank; NULL: those in JUGGLE_COORDINATES, such as "1,2,3" */
    int dimensions;         /* number of coordinates, up to 6 */
    int unused;             /* 0 */
    int report; /* steal_runtime_destroy() on rank 0 writes a line for each function to stderr: what
                   became of its tasks, and what might be better. Costs two reductions for each
                   steal_process(). JUGGLE_STEAL=report in the environment sets this, too */
};

/*
 * Collective. `comm` points to an MPI_Comm, which is duplicated; NULL means MPI_COMM_WORLD. An
 * intercommunicator, or MPI_COMM_NULL, is -EINVAL. `options` may be NULL. If MPI is not
 * initialized, the runtime initializes it, and finalizes it when the runtime is destroyed; another
 * runtime after that is -EINVAL. It checks the options first: if one is out of its range, MPI is
 * not touched. Threads mode needs MPI_THREAD_FUNNELED, and all calls must come from the thread that
 * initialized MPI. On failure `error`, unless NULL, says why: -EINVAL, -EPROTO (options differ
 * between ranks), -ENOMEM, -EAGAIN (threads cannot be started), -EIO (MPI failed), -ECANCELED
 * (another rank failed).
 *
 * -EINVAL, too, if a rank is alone in MPI_COMM_WORLD although its launcher says that it started
 * several: mpirun then belongs to another MPI, and each rank would do all the work. A program that
 * wants this passes MPI_COMM_SELF; a user sets JUGGLE_ALONE=1 in the environment.
 *
 * If the environment has JUGGLE=1, or JUGGLE=NAME for a job of that name, each rank joins the job
 * of its node as by juggle_join(), and leaves it when the last runtime of the process is destroyed.
 * If a rank cannot join, it is not balanced, but the call succeeds; steal_message() says why.
 */
STEAL_API int steal_runtime_create(const void *comm, const struct steal_options *options,
                                   struct steal_runtime **runtime,
                                   struct steal_error *error) STEAL_MUST_CHECK;

/* Collective. Accepts NULL. -EBUSY from within a task, and while a collection exists, which the
 * message names; the runtime is then unchanged. */
STEAL_API int steal_runtime_destroy(struct steal_runtime *runtime);

STEAL_API int steal_rank(const struct steal_runtime *runtime);
STEAL_API int steal_ranks(const struct steal_runtime *runtime);

/* Number of workers of this rank: 1 in polling mode. */
STEAL_API int steal_workers(const struct steal_runtime *runtime);

/* Why the latest call on this rank failed, or, for a runtime that was just created, a warning (that
 * the rank joined no job), as one line; "" if there is nothing to tell. A task calls
 * steal_worker_message() instead. */
STEAL_API const char *steal_message(const struct steal_runtime *runtime);

/*
 * Local. Returns 1 if the runtime has failed: it can process nothing any more, and the program can
 * only destroy it. That is so after steal_process() or steal_rebalance() if a check of the library
 * has failed, or a rank had no memory to go on, and after any call if MPI has failed. Returns 0
 * otherwise: also if the latest call failed for another reason, such as its file, whatever its
 * errno. -EINVAL for NULL. Leaves steal_message() as it is.
 */
STEAL_API int steal_runtime_failed(const struct steal_runtime *runtime);

/*
 * Local, but all ranks must register the same names in the same order: the next
 * steal_collection_create() compares them. -EINVAL without a name, -EEXIST if the name is taken,
 * -EBUSY from within a task.
 */
STEAL_API int steal_function_register(struct steal_runtime *runtime, const char *name,
                                      steal_exec *exec, steal_function *function) STEAL_MUST_CHECK;

/* Collective. Replaces each value by its sum, or by its maximum, over all ranks. */
STEAL_API int steal_sum(struct steal_runtime *runtime, int64_t *values,
                        size_t count) STEAL_MUST_CHECK;
STEAL_API int steal_max(struct steal_runtime *runtime, int64_t *values,
                        size_t count) STEAL_MUST_CHECK;

/* ---- collection --------------------------------------------------------------------------- */

/* How load is balanced between iterations, equal on all ranks. */
struct steal_balance {
    size_t size; /* of this struct; may be 0 within steal_properties */
    enum steal_balancer balancer;
    enum steal_donation donation;
    int within_nodes;    /* first moves tasks between the ranks of a node, then between nodes */
    int arity;           /* children of a node in the tree of STEAL_BALANCER_HIERARCHICAL; 0: 3 */
    double donate_above; /* a rank gives away its load above this multiple of the average (C);
                            0: 1.003 */
    double fill_below;   /* a rank gets load up to this multiple of the average (D); 0: 1.003 */
    int64_t gain_min_ns; /* no task moves unless the greatest load of a rank is this much above the
                            average */
};

/* Describes a collection; equal on all ranks except for `local`. */
struct steal_properties {
    size_t size;             /* of this struct */
    steal_function function; /* executes its tasks; required */
    size_t task_size;        /* bytes of the largest task; required */
    size_t batch;            /* most tasks per call; 0: 1 */
    size_t lanes; /* number of tasks that a call computes side by side. A worker that holds at least
                     this many calls with a multiple of it. `batch` must be a multiple, too; 0: 1 */
    size_t tasks; /* number of tasks that a worker is expected to hold at once; 0: 1024. It may hold
                     more, up to memory_max */
    size_t memory_max; /* most bytes of tasks in a worker's deque: it holds the greatest power of
                          two of tasks that fits. 0: 256 MiB */
    void *local;       /* this rank's data, passed to the function */
    enum steal_retention retain; /* executed tasks to keep; also measures tasks */
    enum steal_bound_kind bound; /* of the best value that all ranks share: steal_bound() */
    int isolate;                 /* no stealing: each rank executes its own tasks */

    enum steal_victim victim;
    enum steal_amount amount;
    enum steal_termination termination;
    double exponent; /* of STEAL_VICTIM_SKEWED: a victim's weight is 1 / distance^exponent, or 1 at
                        distance 0. 0: 1 */
    int lifelines;   /* number of other ranks at which a rank that finds no work waits, up to 30; 0:
                        it never stops asking */
    int radix;       /* of the hypercube of lifelines: radix^lifelines >= ranks; 0: the least that
                        suffices */
    int tries;       /* victims that refuse before a rank asks along its lifelines; 0: 4 */
    size_t chunk;    /* tasks, for STEAL_AMOUNT_CHUNK and STEAL_AMOUNT_K; 0: 20 */
    size_t poll_tasks; /* most tasks between two looks for messages in polling mode; four times as
                          many if ranks outnumber processors; 0: 512 */
    uint64_t seed;     /* of the choice of victims; each rank derives its own seed from it */

    /* Only with `retain`. */
    enum steal_order order;
    enum steal_prediction prediction;
    double alpha; /* weight of the latest time in STEAL_PREDICTION_WEIGHTED, up to 1; 0: 0.5 */
    size_t bins;  /* number of bins for each doubling of the duration, which sort tasks; a power of
                     two; 0: 16 */
    size_t balance_every; /* steal_process() balances first each time that this many have completed;
                             0: never */
    int balance_if_it_pays; /* steal_process() balances first whenever this is expected to save more
                               than it costs */
    struct steal_balance balance; /* settings for both */
    /* Relative duration of a task within its batch; NULL: all tasks are equal. Gets `local`. */
    int64_t (*weight)(const void *local, const void *task);
    /* Identifies a task when it is added anew, and in files; NULL: tasks have no identity there. */
    uint64_t (*key)(const void *local, const void *task);

    size_t storage; /* bytes of private storage of each worker: steal_storage(). 0: none */
    const void *storage_initial; /* its initial content, which is copied; NULL: zeros */

    /* Rank 0 passes the results of steal_result() to `result`, together with its own `local`, and
     * writes them to the file `results_path`, which is emptied first. Each of the two must be NULL
     * on all ranks or on none; only the values on rank 0 are used. */
    void (*result)(void *local, uint64_t id, const void *data, size_t size);
    const char *results_path;
    enum steal_results results; /* the order in which they are passed on */
    size_t results_memory;      /* bytes of results that a rank keeps in memory; 0: 16 MiB */

    int levels;   /* number of levels of tasks, up to 4, level 0 first: steal_add_level(). 0: 1. Not
                     with `retain` */
    int weighted; /* tasks have costs, and the longest are executed first: steal_add_weighted() */
    int waiting;  /* tasks can wait for counters: steal_add_waiting(). Not with `retain` */
};

/*
 * Collective. -EINVAL (a property is out of its range, or lacks another one that it needs), -ENOENT
 * (the function is not registered), -EPROTO (properties or registered functions differ between
 * ranks; the message names the first that does), -ENOMEM.
 */
STEAL_API int steal_collection_create(struct steal_runtime *runtime,
                                      const struct steal_properties *properties,
                                      struct steal_collection **collection) STEAL_MUST_CHECK;

/* Collective. Tasks that it still holds are dropped. Accepts NULL. -EBUSY from within a task; the
 * collection is then unchanged. */
STEAL_API int steal_collection_destroy(struct steal_collection *collection);

/*
 * Collective. Executes all tasks of the collection, and those that they add to it, on whichever
 * rank they were added. Returns when none is left on any rank. Tasks that were added to another
 * collection stay there until it is processed. -EBUSY from within a task, or while a reservation is
 * open; a task that returns with an open reservation cancels the call, and the message names the
 * collection. -EPROTO if the ranks process different collections, or if a check of the library
 * itself failed on one. -ENOMEM if a rank has no memory to go on, -EIO if MPI failed, -errno of the
 * file of results or checkpoints, which may be -EIO, too: steal_runtime_failed() tells whether the
 * runtime can go on. -ECANCELED after steal_cancel(). STEAL_STOPPED, 1, if it was stopped before
 * all was done: see steal_checkpoint.h.
 */
STEAL_API int steal_process(struct steal_collection *collection) STEAL_MUST_CHECK;

/*
 * Called by a task: ends the current steal_process(). No rank begins another task, the remaining
 * tasks are dropped, and steal_process() returns -ECANCELED on all ranks, with a message that names
 * the rank that canceled. In polling mode a C++ exception that leaves a task has the same effect,
 * and then leaves steal_process() on its rank; in threads mode it ends the program, as any
 * exception that leaves a thread does. -EINVAL for a collection that is not the one being
 * processed.
 */
STEAL_API int steal_cancel(struct steal_collection *collection);

/*
 * Local. Adds again the tasks that this rank executed in the latest steal_process(), as `retain`
 * says: the next one starts with the distribution that stealing arrived at. -EINVAL without
 * `retain`; -EBUSY from within a task, or if nothing was processed since the collection was created
 * or last restored; -ENOSPC if the deque or the record was full; -ENOMEM. On failure the collection
 * is unchanged.
 */
STEAL_API int steal_restore(struct steal_collection *collection) STEAL_MUST_CHECK;

/*
 * Collective, before steal_process(). Moves tasks of the collection, seeded or restored, to other
 * ranks from those that are expected to take longer than the average. A task that never ran is
 * expected to take as long as the others do on average. No task moves unless the greatest load
 * becomes smaller. Executed tasks that were not restored are dropped; with `key`, a task that was
 * added on any rank is expected to take what the executed task of the same key took. `settings` may
 * be NULL. -EINVAL (without `retain`; a setting out of its range), -EPROTO (settings differ between
 * ranks), -ENOSPC (no room on a rank that should get tasks), -ENOMEM; no task has moved then. If a
 * rank cannot go on, the result is that of steal_process().
 */
STEAL_API int steal_rebalance(struct steal_collection *collection,
                              const struct steal_balance *settings) STEAL_MUST_CHECK;

/*
 * Collective. Writes what is known of the tasks executed last, by their keys, for another run with
 * any number of ranks. The file is replaced as a whole, or stays as it was. -EINVAL (without
 * `retain` or `key`), -EBADMSG (there is a file that is no ledger: it is not replaced), -errno of
 * the file on all ranks, -EBUSY unless a steal_process() has ended
 * since the last steal_rebalance() or steal_ledger_load(), because these forget what was executed.
 */
STEAL_API int steal_ledger_save(struct steal_collection *collection,
                                const char *path) STEAL_MUST_CHECK;

/*
 * Collective, after tasks were added. They are expected to take what the file says for their keys,
 * and steal_rebalance() starts from that. Executed tasks that were not restored are dropped.
 * -EINVAL (without `retain` or `key`), -EBADMSG (the file is no ledger, is that of another
 * function, is cut off or damaged), -errno of the file on all ranks; nothing is known of the tasks
 * then.
 */
STEAL_API int steal_ledger_load(struct steal_collection *collection,
                                const char *path) STEAL_MUST_CHECK;

/* Changes `isolate`: if true, each rank executes its own tasks in the next steal_process(),
 * otherwise ranks steal. Local, but must be the same on all ranks. -EBUSY from within a task. */
STEAL_API int steal_isolate(struct steal_collection *collection, int isolate) STEAL_MUST_CHECK;

/*
 * Local. The next steal_process() begins by executing this rank's tasks, the oldest first, until it
 * holds `tasks` tasks or has executed that many; then it deals its tasks out evenly to all ranks.
 * 0: 2 for each rank. -EBUSY from within a task.
 */
STEAL_API int steal_scatter(struct steal_collection *collection, size_t tasks) STEAL_MUST_CHECK;

/* ---- bounds ------------------------------------------------------------------------------- */

/*
 * Returns the best value known on this rank, without waiting or locking. It only gets better, and
 * is never better than the best that was found. Ranks of a node see a new value at once; between
 * nodes it travels with the messages of stealing, and along a tree. When steal_process() returns,
 * all ranks know the best value. It lasts as long as the collection. Before any value is found it
 * is INT64_MAX, INT64_MIN, or infinite. 0 if the collection has no bound of this type.
 */
STEAL_API int64_t steal_bound(const struct steal_collection *collection);
STEAL_API double steal_bound_double(const struct steal_collection *collection);

/* Called from tasks or outside: 1 if the value is better than what was known here, 0 if not.
 * -EINVAL (no bound of this type, not a number), without a message. */
STEAL_API int steal_bound_improve(struct steal_collection *collection, int64_t value);
STEAL_API int steal_bound_improve_double(struct steal_collection *collection, double value);

/* ---- settings as text ---------------------------------------------------------------------- */

/*
 * Sets the fields of the struct that `text` names, such as "lifelines=2,mode=threads": names of its
 * fields, or of steal_balance, with numbers or names of choices; K, M and G multiply sizes by 1024,
 * 1024^2 and 1024^3. One text serves both structs: each call uses the settings of its own struct. A
 * text cannot set what the program's own code depends on (function, task_size, batch, lanes,
 * retain, bound, key, weight); `checkpoint` and `every` belong to neither struct and are refused.
 * -EINVAL (a name that does not exist, a value out of its range), which `error`, unless NULL,
 * explains; the struct is then unchanged.
 *
 * steal_runtime_create(), each steal_collection_create() and steal_rebalance() read the environment
 * variable JUGGLE_STEAL in the same way, and its settings override the program's.
 */
STEAL_API int steal_options_parse(struct steal_options *options, const char *text,
                                  struct steal_error *error) STEAL_MUST_CHECK;
STEAL_API int steal_properties_parse(struct steal_properties *properties, const char *text,
                                     struct steal_error *error) STEAL_MUST_CHECK;

/* Writes a description of the settings that such a text may contain, a line for each, for --help:
 * up to `size` bytes including the zero at the end. Returns the length of the whole description
 * without that zero, as snprintf() does. */
STEAL_API size_t steal_settings_help(char *text, size_t size);

/* Version of the library: "MAJOR.MINOR.PATCH". */
STEAL_API const char *steal_version(void);

/* ---- adding tasks ------------------------------------------------------------------------- */

/* The worker through which a rank adds tasks outside of steal_process(). */
STEAL_API struct steal_worker *steal_seeder(struct steal_runtime *runtime);

/*
 * Adds a task by copy; if `size` is less than the collection's task_size, the rest of the task is
 * undefined. The worker executes the latest tasks first. -EMSGSIZE (larger than task_size), -ENOSPC
 * (the deque is at its memory_max), -ENOMEM (there is no memory for it to grow), -EINVAL (a
 * collection of another runtime), -EBUSY (a reservation is open, or the seeder is used during
 * steal_process()); the collection is then unchanged.
 */
STEAL_API int steal_add(struct steal_worker *worker, struct steal_collection *collection,
                        const void *task, size_t size) STEAL_MUST_CHECK;

/*
 * Reserves room for `count` tasks, 1 to STEAL_BATCH_MAX, to be filled in place; each starts
 * task_size bytes, rounded up to STEAL_TASK_ALIGN, after the one before. This worker may add
 * nothing else to the collection until steal_commit(), which a task must call before it ends. Same
 * errors as steal_add().
 */
STEAL_API int steal_reserve(struct steal_worker *worker, struct steal_collection *collection,
                            size_t count, void **tasks) STEAL_MUST_CHECK;

/* Adds the first `count` tasks of the reservation, all or fewer, even none, and closes it. A
 * `count` greater than the reservation is refused: steal_worker_message() says so, and the
 * reservation stays open. */
STEAL_API void steal_commit(struct steal_worker *worker, struct steal_collection *collection,
                            size_t count);

/*
 * Called by the function of a collection with `retain`: steal_took() says that task `index` of the
 * batch took duration_ns, because the runtime itself only measures the batch as a whole;
 * steal_forget() says that the task is not to be restored. An index outside of the batch, or a
 * negative duration, is ignored.
 */
STEAL_API void steal_took(struct steal_worker *worker, size_t index, int64_t duration_ns);
STEAL_API void steal_forget(struct steal_worker *worker, size_t index);

/* 0 to steal_workers() - 1, to index data that each worker has for itself. */
STEAL_API int steal_worker_index(const struct steal_worker *worker);

/* Why the latest steal_add() or steal_reserve() of this worker failed. Tasks use it because several
 * may fail at the same time. Outside of tasks, steal_message() says it, too. */
STEAL_API const char *steal_worker_message(const struct steal_worker *worker);

#ifdef __cplusplus
}
#endif

#endif
