/* SPDX-License-Identifier: BSD-3-Clause */
/* Stopping before all is done, and going on: in the same run, or from a file in another one: a part
 * of <juggle/steal.h>. */
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

/* What steal_process() returns where it was stopped before all was done. */
enum { STEAL_STOPPED = 1 };

/*
 * Local, of any thread, from within a task, outside, or in a signal handler: the steal_process()
 * under way, or the next one, is to stop. No rank begins another task; those that have begun are
 * finished. What is left is kept, wherever it is, and steal_process() returns STEAL_STOPPED on all
 * ranks: called again, it goes on. If nothing is left by then, it returns 0, and if a task cancels,
 * -ECANCELED; the next one with tasks stops at once then: no stop is lost. Until all is done -EBUSY
 * is what steal_restore(), steal_rebalance(), steal_ledger_save() and steal_ledger_load() return;
 * tasks may be added. -EINVAL of NULL. Says nothing in steal_message(), which a signal handler must
 * not touch.
 */
STEAL_API int steal_stop(struct steal_collection *collection);

/* Collective. As steal_process(), but stops when that time has passed on any rank. -EINVAL if it is
 * negative. */
STEAL_API int steal_process_for(struct steal_collection *collection,
                                int64_t time_ns) STEAL_MUST_CHECK;

/* ---- checkpoints --------------------------------------------------------------------------- */

/* Equal on all ranks, except for `data`. */
struct steal_checkpoint {
    size_t size;      /* of this struct */
    const char *path; /* of the file, which all ranks reach. NULL: there is none */
    int64_t every_ns; /* how often steal_process() writes it; 0: when it stops or is done only */
    void *data; /* of the program, written as rank 0 has it and read by all ranks: such as what
                   the run was started with, to be compared when another one goes on */
    size_t data_size; /* its size in bytes; 0: none */
};

/*
 * Collective, before tasks are added and processed. From now on steal_process() keeps the file:
 * every so often, when it stops, and when all is done, at a moment when no task runs, it writes
 * what has not begun and what waits, what was executed and is retained, the workers' storage, the
 * bound, `data`, how far results have come. The file is there as a whole, or as it was before.
 * Where it cannot be written, steal_process() returns why on all ranks, and what is left is kept:
 * called again, it goes on.
 *
 * If the file is there already, all of that is taken from it, on any number of ranks, workers and
 * with either MPI: 1 is returned, tasks are not to be added again, and steal_process() goes on. A
 * file that is not there is no failure: 0. `settings` may be NULL; what the user wants by
 * JUGGLE_STEAL=checkpoint=FILE,every=60s goes over them. Called again it sets anew what is kept and
 * how often, and reads nothing. -EINVAL, -EBUSY (after tasks were added or a steal_process(), or
 * from within a task), -EBADMSG (no checkpoint, cut off, damaged, of another collection), -ENOMEM,
 * -errno of the file, on all ranks; nothing has changed then.
 */
STEAL_API int steal_checkpoint(struct steal_collection *collection,
                               const struct steal_checkpoint *settings) STEAL_MUST_CHECK;

/* As steal_stop(), but the file is written, and the process goes on. -EINVAL, too, without a file,
 * and without a message. */
STEAL_API int steal_checkpoint_now(struct steal_collection *collection);

#ifdef __cplusplus
}
#endif

#endif
