/* SPDX-License-Identifier: BSD-3-Clause */
/* Stopping before all is done, and going on later, in the same run or in another one from a file: a
 * part of <juggle/steal.h>. */
#ifndef JUGGLE_STEAL_CHECKPOINT_H
#define JUGGLE_STEAL_CHECKPOINT_H

#include "steal_choices.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct steal_collection;

/* ---- stopping ------------------------------------------------------------------------------ */

/* Result of steal_process() if it was stopped before all was done. */
enum { STEAL_STOPPED = 1 };

/*
 * Local. Stops the current steal_process(), or the next one; may be called by any thread, from
 * within a task, outside, or in a signal handler. No rank begins another task; tasks that have
 * begun are finished. The remaining tasks are kept on their ranks, and steal_process() returns
 * STEAL_STOPPED on all ranks; when called again, it goes on. If no task remains, it returns 0, and
 * if a task cancels, -ECANCELED; then the stop is not lost, but stops the next steal_process() that
 * has tasks. Until all is done, steal_restore(), steal_rebalance(), steal_ledger_save() and
 * steal_ledger_load() return -EBUSY; tasks may be added. -EINVAL for NULL. Sets no steal_message(),
 * because a signal handler must not touch it.
 */
STEAL_API int steal_stop(struct steal_collection *collection);

/* Collective. Like steal_process(), but stops when `time_ns` has passed on any rank. -EINVAL if it
 * is negative. */
STEAL_API int steal_process_for(struct steal_collection *collection,
                                int64_t time_ns) STEAL_MUST_CHECK;

/* ---- checkpoints --------------------------------------------------------------------------- */

/* Equal on all ranks, except for `data`. */
struct steal_checkpoint {
    size_t size;      /* of this struct */
    const char *path; /* of the file, which all ranks can reach. NULL: no file */
    int64_t every_ns; /* how often steal_process() writes it; 0: only when it stops or is done */
    void *data; /* the program's data: rank 0's is written, all ranks read it. For example, what the
                   run was started with, to be compared when another run goes on */
    size_t data_size; /* its size in bytes; 0: no data */
};

/*
 * Collective, before tasks are added and processed. From now on steal_process() writes the file
 * every `every_ns`, when it stops, and when all is done, always at a moment when no task runs. The
 * file holds the tasks that have not begun or that wait, those that were executed and are retained,
 * the workers' storage, the bound, `data`, and how far results have come. It is replaced as a
 * whole, or stays as it was. If it cannot be written, steal_process() returns the error on all
 * ranks and keeps the remaining tasks; when called again, it goes on.
 *
 * If the file exists already, all of that is taken from it, on any number of ranks and workers and
 * with either MPI: the call returns 1, tasks must not be added again, and steal_process() goes on.
 * If the file does not exist, the call returns 0. `settings` may be NULL;
 * JUGGLE_STEAL=checkpoint=FILE,every=60s in the environment overrides them. A second call only
 * replaces the settings, and reads nothing. -EINVAL (also if `path` or `results_path` is that of a
 * device or a pipe), -EBUSY (after tasks were added or a steal_process(), or from within a task),
 * -EBADMSG (the file is no checkpoint, is that of another collection, is cut off or damaged),
 * -ENOMEM, -errno of the file, on all ranks; nothing has changed then.
 */
STEAL_API int steal_checkpoint(struct steal_collection *collection,
                               const struct steal_checkpoint *settings) STEAL_MUST_CHECK;

/* Like steal_stop(), but the file is written, and the process goes on. -EINVAL also if there is no
 * file; sets no message. */
STEAL_API int steal_checkpoint_now(struct steal_collection *collection);

#ifdef __cplusplus
}
#endif

#endif
