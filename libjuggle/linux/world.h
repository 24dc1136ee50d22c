/* SPDX-License-Identifier: BSD-3-Clause */
/* The real kernel as the engine's world: a table from indexes to threads, their progress source and
 * the masks that they are owed.
 *
 * Which calls may overlap: the ports, for different threads. All other calls are made by one
 * thread, the housekeeper. Its world_check may overlap the ports; its attach and detach may overlap
 * the ports of other threads. All memory is allocated by world_create. */
#ifndef JUGGLE_LINUX_WORLD_H
#define JUGGLE_LINUX_WORLD_H

#include "libjuggle/engine/ports.h"
#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/debts.h"
#include "libjuggle/linux/progress.h"

struct world_options {
    const struct machine *machine; /* outlives the world */
    int proc_fd;                   /* stays the caller's, and open */
    int sys_fd;                    /* stays the caller's, too; -1: cpusets are not known */
    int threads_max;
    int readers_max; /* callers of the sample port at once */
    enum progress_kind progress;
    /* The caller's own affinity mask, which counts as the one that the program was given. A thread
     * that has it is not taken for one that was born with a pin of ours. */
    const struct cpu_mask *given;
    struct debts *debts; /* records what threads are owed; outlives the world */
    bool override;       /* take threads that the program has placed itself */
    bool open;           /* no pin lasts longer than a move: see homes.h */
};

struct world;

/* Errors are those of progress_open and debts_add_pin_masks, and -ENOMEM; -EINVAL: a check of the
 * machine failed. */
int world_create(const struct world_options *options, struct world **world) MUST_CHECK;
/* Gives all threads their masks back. */
void world_destroy(struct world *world);
/* Called before world_destroy: lets go of all threads, as that does, until that time. False if some
 * are left. */
bool world_let_go(struct world *world, int64_t until_ns);

void world_ports(struct world *world, struct ports *ports);
const struct progress *world_progress(const struct world *world);
/* The check of its table that failed first, or NULL. */
const char *world_fault(const struct world *world);

/* Called before engine_thread_arrived. -ESRCH: gone; -EPERM: not ours to move; -EBUSY: the program
 * placed it itself and `override` is off; -EMFILE. */
int world_attach(struct world *world, int index, const struct thread_id *id) MUST_CHECK;
/* Called after engine_thread_exited, or when the thread is not to be balanced any more: restores
 * its mask if it lives. If that fails, returns an error, and the mask stays owed. */
int world_detach(struct world *world, int index) MUST_CHECK;

/* Opens the mask of a thread, attached or not, that was born with a pin of ours; true if it was. */
bool world_unpin_inherited(struct world *world, const struct thread_id *id);

/* Finds out who set the thread's mask last, and sets ours again if the kernel undid it, or if it is
 * the original one. -ESRCH; -EINVAL: its processor is no longer allowed. */
int world_check(struct world *world, int index, enum affinity_owner *owner) MUST_CHECK;

/* The thread of an index. -ENOENT if there is none. */
int world_thread(const struct world *world, int index, struct thread_id *id) MUST_CHECK;

/* Returns the most threads that were attached at once since the last call. Teams of threads may
 * come and go between two calls, so a call may find none attached. */
int world_threads_most(struct world *world);

/* True if the thread may run on all processors of the machine that its cpuset leaves it: nobody has
 * placed it. */
bool world_is_unpinned(const struct world *world, const struct thread_id *id);

/* True if samples of threads that run on another processor are up to date on this kernel. */
bool kernel_refreshes_remote_counters(void);

/* Finds which of the machine's processors are online and allowed to the attached threads by their
 * cpusets; if these are not known, allowed to `tid`, which should be an unpinned thread of juggle
 * itself. `usable` has room for one bool per processor. */
int world_processors(const struct world *world, pid_t tid, bool *usable) MUST_CHECK;

#endif
