/* SPDX-License-Identifier: BSD-3-Clause */
/* The real kernel as the engine's world: a table from indexes to threads, their progress source and
 * the masks that they are owed.
 *
 * Which calls may overlap: the ports, for different threads. All other calls are one thread's, the
 * housekeeper's: world_check may overlap the ports; attach and detach those of other threads. All
 * is allocated by world_create. */
#ifndef JUGGLE_LINUX_WORLD_H
#define JUGGLE_LINUX_WORLD_H

#include "libjuggle/engine/ports.h"
#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/debts.h"
#include "libjuggle/linux/progress.h"

struct world_options {
    const struct machine *machine; /* outlives the world */
    int proc_fd;                   /* stays the caller's, and open */
    int sys_fd;                    /* the same; -1: cpusets are not known */
    int threads_max;
    int readers_max; /* callers of the sample port at once */
    enum progress_kind progress;
    /* What the program was given, and what threads get back that were born with a pin of ours. */
    const struct cpu_mask *given;
    struct debts *debts; /* where what threads are owed is written down; outlives the world */
    bool override;       /* take threads that the program has placed itself */
    bool open;           /* no pin lasts longer than a move: see homes.h */
};

struct world;

/* As progress_open, and -ENOMEM. */
int world_create(const struct world_options *options, struct world **world) MUST_CHECK;
/* Gives all threads their masks back. */
void world_destroy(struct world *world);
/* Before that: lets go of all, as world_destroy does. False: of those that there was time for. */
bool world_let_go(struct world *world, int64_t until_ns);

void world_ports(struct world *world, struct ports *ports);
const struct progress *world_progress(const struct world *world);
/* The check of its table that failed first, or NULL. */
const char *world_fault(const struct world *world);

/* Before engine_thread_arrived. -ESRCH: gone; -EPERM: not ours to move; -EBUSY: the program placed
 * it itself and `override` is off; -EMFILE. */
int world_attach(struct world *world, int index, const struct thread_id *id) MUST_CHECK;
/* After engine_thread_exited, or when it is to be balanced no more: its mask is restored if it
 * lives. Fails if that cannot be done; it stays owed then. */
int world_detach(struct world *world, int index) MUST_CHECK;

/* Opens the mask of a thread, attached or not, that was born with a pin of ours; true if it was. */
bool world_unpin_inherited(struct world *world, const struct thread_id *id);

/* Looks who set the thread's mask last, and sets ours again if the kernel undid it. -ESRCH;
 * -EINVAL: its processor is no longer allowed. */
int world_check(struct world *world, int index, enum affinity_owner *owner) MUST_CHECK;

/* The thread of an index. -ENOENT if there is none. */
int world_thread(const struct world *world, int index, struct thread_id *id) MUST_CHECK;

/* The most threads that were attached at once since this was asked last: teams come and go between
 * two questions, and the one that asks may meet none. */
int world_threads_most(struct world *world);

/* True if the thread may run on all of the machine that its cpuset leaves it: it has not been
 * placed by anybody. */
bool world_is_unpinned(const struct world *world, const struct thread_id *id);

/* Whether samples of threads that run on another processor are as of now, on this kernel. */
bool kernel_refreshes_remote_counters(void);

/* Which of the machine's processors are online and allowed to the attached threads by their
 * cpusets; where these are not known, to `tid`, which should be an unpinned thread of juggle
 * itself. `usable` has room for one bool per processor. */
int world_processors(const struct world *world, pid_t tid, bool *usable) MUST_CHECK;

#endif
