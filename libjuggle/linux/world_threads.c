/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/world_masks.h"

#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>

enum { LET_GO_AT_ONCE = 64 }; /* threads before a look at the clock; takes 1 to 2 ms */

/* Returns the mask that is owed to the creator from which this thread may have its pin: its own
 * process, or the parent; NULL if it is from neither. */
static const struct cpu_mask *given_to_creator(const struct world *world,
                                               const struct thread_id *id)
{
    const struct cpu_mask *given = debts_owed(world->debts, id->pid, id->start_ticks);
    struct thread_stat stat;

    if (given || procfs_stat_read(world->proc_fd, id->pid, id->tid, &stat))
        return given;
    return debts_owed(world->debts, stat.parent, id->start_ticks);
}

/* The mask to give to a thread that was born with a pin of ours; NULL if it was not. */
static const struct cpu_mask *inherited_from(const struct world *world, const struct thread_id *id,
                                             const struct cpu_mask *mask)
{
    if (cpu_mask_equal(mask, &world->given) || !homes_may_set(&world->homes, mask))
        return NULL;
    return given_to_creator(world, id);
}

bool world_unpin_inherited(struct world *world, const struct thread_id *id)
{
    const struct cpu_mask *given;
    struct cpu_mask mask;

    if (affinity_get(id->tid, &mask))
        return false;
    given = inherited_from(world, id, &mask);
    return given && procfs_thread_alive(world->proc_fd, id) && affinity_give(id->tid, given) == 0;
}

bool world_is_unpinned(const struct world *world, const struct thread_id *id)
{
    return affinity_is_open(&world->files, id, &world->homes.machine_mask);
}

/* A thread that may use its whole cpuset is owed the whole cpuset, as that will be when the mask is
 * given back. If the cpuset is unknown, the mask's offline processors are owed, too. */
static void original_open(const struct world *world, const struct thread_id *id,
                          struct cpu_mask *original)
{
    struct cpu_mask allowed, whole;

    if (cpuset_read(&world->files, id, &allowed)) {
        if (!affinity_get_whole(world->proc_fd, id, &whole) && cpu_mask_subset(original, &whole))
            *original = whole;
    } else if (cpu_mask_equal(original, &allowed)) {
        cpu_mask_fill(original);
    }
}

/* The mask that the thread must get back one day. */
static int original_find(const struct world *world, const struct thread_id *id,
                         struct cpu_mask *found, struct cpu_mask *original)
{
    const struct cpu_mask *given;
    struct cpu_mask mask;
    int error = affinity_get(id->tid, &mask);

    if (error)
        return error;
    *found = mask;
    given = inherited_from(world, id, &mask);
    if (given)
        mask = *given;
    /* A thread that may run everywhere has not been placed by anybody. */
    else if (!world->override && !world_is_unpinned(world, id))
        return -EBUSY;
    *original = mask;
    original_open(world, id, original);
    return 0;
}

int world_attach(struct world *world, int index, const struct thread_id *id)
{
    struct world_thread *attached = &world->threads[index];
    int error;

    if (!world_index_holds(world, index) || !HOLDS(&world->fault, !attached->attached) ||
        !HOLDS(&world->fault, id->tid > 0 && id->pid > 0))
        return -EBUSY;
    error = affinity_may_set(id->tid);
    if (!error)
        error = original_find(world, id, &attached->found, &attached->original);
    /* No thread can be given an empty mask back. */
    if (!error && !HOLDS(&world->fault, cpu_mask_count(&attached->original) > 0))
        error = -EINVAL;
    if (error)
        return error;
    error = progress_thread_open(world->progress, index, id);
    if (error)
        return error;
    error = debts_keep(world->debts, index, id, &attached->original);
    if (error) {
        progress_thread_close(world->progress, index);
        return error;
    }
    attached->id = *id;
    attached->home = HOME_NONE;
    attached->placements = 0;
    attached->renewals = 0;
    attached->kept_count = 0;
    attached->attached = true;
    world->attached_count++;
    world->attached_most = (int)max_i64(world->attached_most, world->attached_count);
    if (index >= world->limit)
        world->limit = index + 1;
    return 0;
}

/* Tells who set the mask last. A mask that cannot be read counts as ours. */
static enum affinity_owner last_owner(const struct world *world, const struct world_thread *thread,
                                      const struct cpu_mask *ours)
{
    enum affinity_owner owner = AFFINITY_OURS;
    int error = world_thread_owner(world, thread, ours, &owner);

    for (int i = 1; i < AFFINITY_GIVE_TRIES && error && error != -ESRCH; i++)
        error = world_thread_owner(world, thread, ours, &owner);
    return owner;
}

/* Gives the original mask back, unless the program has set one of its own since. */
static int original_restore(struct world *world, int index)
{
    const struct world_thread *thread = &world->threads[index];
    struct cpu_mask ours;

    if (thread->home == HOME_NONE)
        return 0;
    if (!world_home_holds(world, thread->home))
        return world_thread_give(world, index, &thread->original);
    homes_mask(&world->homes, thread->home, &ours);
    if (last_owner(world, thread, &ours) == AFFINITY_PROGRAM) {
        debts_let_go(world->debts, &thread->id);
        return 0;
    }
    const int error = world_thread_give(world, index, &thread->original);
    return error == -ESRCH ? 0 : error;
}

int world_detach(struct world *world, int index)
{
    if (!world_index_holds(world, index) || index >= world->limit ||
        !world->threads[index].attached)
        return 0;
    /* No placement may be under way. If one is, the thread gets its mask back all the same. */
    (void)HOLDS(&world->fault, world->threads[index].placements % 2 == 0);
    const int error = original_restore(world, index);
    progress_thread_close(world->progress, index);
    world->threads[index].attached = false;
    world->attached_count--;
    (void)HOLDS(&world->fault, world->attached_count >= 0);
    /* A mask that could not be given back stays owed. */
    if (!error)
        debts_forget(world->debts, index);
    return error;
}

/* Threads whose mask could not be given back stay owed; all others are left alone from now on. */
static void last_detach(struct world *world, int index)
{
    const struct world_thread *thread = &world->threads[index];
    const bool placed = thread->attached && thread->home != HOME_NONE;

    if (!world_detach(world, index) && placed)
        debts_let_go(world->debts, &thread->id);
}

bool world_let_go(struct world *world, int64_t until_ns)
{
    if (!HOLDS(&world->fault, world->limit <= world->threads_max))
        world->limit = world->threads_max;
    while (world->limit > 0) {
        last_detach(world, world->limit - 1);
        world->limit--;
        if (world->limit % LET_GO_AT_ONCE == 0 && clock_is_past(until_ns))
            break;
    }
    return world->limit == 0;
}

/* Sets the mask of the last placement, also if that comes while it is being set. */
static int placement_renew(struct world *world, int index)
{
    struct world_thread *thread = &world->threads[index];
    struct cpu_mask mask;
    unsigned before;
    int error;

    if (!HOLDS(&world->fault, thread->renewals % 2 == 0) || !HOLDS(&world->fault, thread->attached))
        return -EBUSY;
    thread->renewals++;
    do {
        before = thread->placements;
        homes_mask(&world->homes, thread->home, &mask);
        error = world_thread_set_lasting(world, index, &mask);
    } while (!error && (before % 2 || before != thread->placements));
    thread->renewals++;
    return error;
}

int world_check(struct world *world, int index, enum affinity_owner *owner)
{
    const struct world_thread *checked = &world->threads[index];
    enum affinity_owner found;
    int error;

    if (!world_index_holds(world, index) || !HOLDS(&world->fault, checked->attached))
        return -ESRCH;
    const unsigned before = checked->placements;
    const int home = checked->home;
    struct cpu_mask ours = checked->original;
    if (home != HOME_NONE)
        homes_mask(&world->homes, home, &ours);
    error = world_thread_owner(world, checked, &ours, &found);
    if (error)
        return error;
    if (before % 2 || before != checked->placements)
        found = AFFINITY_OURS;
    if (home != HOME_NONE && (found == AFFINITY_UNDONE || found == AFFINITY_USERS)) {
        error = placement_renew(world, index);
        if (error)
            return error;
    }
    *owner = found;
    return 0;
}

int world_thread(const struct world *world, int index, struct thread_id *id)
{
    if (!world->threads[index].attached)
        return -ENOENT;
    *id = world->threads[index].id;
    return 0;
}

int world_threads_most(struct world *world)
{
    const int most = world->attached_most;

    world->attached_most = world->attached_count;
    return most;
}
