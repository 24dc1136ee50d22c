/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of a world, and the masks of its threads: how one is set, and whose it is.
 *
 * One thread attaches, detaches and checks; several place and sample, each its own threads, and
 * only between attach and detach. So world_place and world_check may overlap for a thread, and the
 * last mask must be that of the last placement:
 *
 *   world_place: placements++ (odd), set the mask, store home, placements++ (even)
 *   world_check: load placements, look at the mask, load placements: if it was odd or has changed,
 *                what was seen means nothing. When it sets a mask: renewals++ (odd), set it until
 *                no placement came between, renewals++ (even). What world_place sees of the mask
 *                between the two means nothing.
 *
 * All these accesses are sequentially consistent, which costs nothing beside a system call. */
#ifndef JUGGLE_LINUX_WORLD_MASKS_H
#define JUGGLE_LINUX_WORLD_MASKS_H

#include "libjuggle/linux/cpuset.h"
#include "libjuggle/linux/homes.h"
#include "libjuggle/linux/world.h"

#include <stdatomic.h>
#include <sys/types.h>

struct world_thread {
    bool attached;
    struct thread_id id;
    struct cpu_mask original;
    struct cpu_mask found; /* the mask that it had when it was attached */
    atomic_int home;       /* where and how wide it was placed last: see home_of */
    atomic_uint placements;
    atomic_uint renewals;
    atomic_int kept_count; /* processors that the kernel kept of our last mask; 0: all */
};

struct world {
    const struct machine *machine;
    int proc_fd;
    struct cpuset_files files;
    bool override;
    struct cpu_mask given;
    struct debts *debts;
    struct progress *progress;
    struct homes homes;
    struct fault fault;
    int threads_max;
    int limit; /* indexes that were ever attached are below: the others' memory is not touched */
    int attached_count;
    int attached_most; /* at once, since world_threads_most was called last */
    struct world_thread threads[];
};

/* True if the index is in the table, or the home on the machine. Else a fault is noted. */
bool world_index_holds(struct world *world, int index);
bool world_home_holds(struct world *world, int home);

/* Sets a mask that is wider than the thread's present one. That fails only for reasons that do not
 * last, so it is tried again. */
int world_thread_give(struct world *world, int index, const struct cpu_mask *mask) MUST_CHECK;

/* As world_thread_give, for a mask that lasts; also notes what the kernel keeps of it. */
int world_thread_set_lasting(struct world *world, int index,
                             const struct cpu_mask *mask) MUST_CHECK;

/* Tells who has set the mask of a thread that should have `ours`. */
int world_thread_owner(const struct world *world, const struct world_thread *thread,
                       const struct cpu_mask *ours, enum affinity_owner *owner) MUST_CHECK;

/* True if the program has set a mask since juggle looked at the thread or placed it. */
bool world_thread_has_programs_mask(const struct world *world, const struct world_thread *thread);

/* Pins the thread to the processor of a home, then sets the mask that lasts there. -EBUSY: the
 * program has set another mask meanwhile. */
int world_thread_move(struct world *world, int index, int home) MUST_CHECK;

/* Only sets the mask that lasts at a home. */
int world_thread_open(struct world *world, int index, int home) MUST_CHECK;

#endif
