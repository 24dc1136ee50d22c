/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/world_masks.h"

#include <errno.h>

bool world_index_holds(struct world *world, int index)
{
    return HOLDS(&world->fault, index >= 0 && index < world->threads_max);
}

/* True if the thread has a number. To the kernel 0 means the calling thread: the balancer would
 * move itself. */
static bool is_somebody(struct world *world, int index)
{
    return HOLDS(&world->fault, world->threads[index].id.tid > 0);
}

/* True if the mask names processors, and only those of the machine: others may be reserved for
 * other programs. */
static bool is_within(struct world *world, const struct cpu_mask *mask)
{
    return HOLDS(&world->fault, cpu_mask_subset(mask, &world->homes.machine_mask)) &&
           HOLDS(&world->fault, cpu_mask_count(mask) > 0);
}

bool world_home_holds(struct world *world, int home)
{
    return HOLDS(&world->fault, home >= 0) &&
           HOLDS(&world->fault, home_processor(home) < world->machine->processors_count);
}

/* Sets a mask unless the thread is gone, because its number may be another thread's by now. */
static int world_thread_set(struct world *world, int index, const struct cpu_mask *mask)
{
    if (!is_somebody(world, index) || !is_within(world, mask))
        return -EINVAL;
    int error = progress_alive(world->progress, index);

    return error ? error : affinity_set(world->threads[index].id.tid, mask);
}

int world_thread_give(struct world *world, int index, const struct cpu_mask *mask)
{
    if (!is_somebody(world, index))
        return -EINVAL;
    int error = progress_alive(world->progress, index);

    for (int i = 1; i < AFFINITY_GIVE_TRIES && error && error != -ESRCH; i++)
        error = progress_alive(world->progress, index);
    return error ? error : affinity_give(world->threads[index].id.tid, mask);
}

/* Kernels before 6.2 drop the offline processors of a mask for good; later ones remember them. So
 * the number of processors that the kernel kept is noted, to tell this mask from one of the
 * program's when the processors are back. */
int world_thread_set_lasting(struct world *world, int index, const struct cpu_mask *mask)
{
    struct world_thread *thread = &world->threads[index];
    struct cpu_mask kept;
    int error = is_within(world, mask) ? world_thread_give(world, index, mask) : -EINVAL;

    if (!error && !affinity_get(thread->id.tid, &kept))
        thread->kept_count = cpu_mask_equal(&kept, mask) ? 0 : cpu_mask_count(&kept);
    return error;
}

static bool is_what_was_kept(const struct world_thread *thread, const struct cpu_mask *ours)
{
    const int kept_count = thread->kept_count;
    struct cpu_mask now;

    return kept_count > 0 && !affinity_get(thread->id.tid, &now) && cpu_mask_subset(&now, ours) &&
           cpu_mask_count(&now) == kept_count;
}

int world_thread_owner(const struct world *world, const struct world_thread *thread,
                       const struct cpu_mask *ours, enum affinity_owner *owner)
{
    int error = affinity_owner_find(&world->files, &thread->id, ours, &thread->original, owner);

    if (!error && *owner == AFFINITY_PROGRAM && is_what_was_kept(thread, ours))
        *owner = AFFINITY_UNDONE;
    return error;
}

/* Tells in `is_programs` if the program has set the thread's mask, instead of `ours`. A mask that a
 * renewal under way has set does not count: it may be of a home that the thread has left since. */
static int world_thread_look(const struct world *world, const struct world_thread *thread,
                             const struct cpu_mask *ours, bool *is_programs)
{
    const unsigned before = thread->renewals;
    enum affinity_owner owner;
    int error = world_thread_owner(world, thread, ours, &owner);

    if (error)
        return error;
    *is_programs = owner == AFFINITY_PROGRAM && before % 2 == 0 && before == thread->renewals;
    return 0;
}

bool world_thread_has_programs_mask(const struct world *world, const struct world_thread *thread)
{
    struct cpu_mask ours = thread->found;
    bool is_programs;

    if (thread->home != HOME_NONE)
        homes_mask(&world->homes, thread->home, &ours);
    return !world->override && !world_thread_look(world, thread, &ours, &is_programs) &&
           is_programs;
}

/* The pin moves a thread, unless it sleeps, and the thread has arrived when the call returns. The
 * call takes a while, in which the program may have set a mask, so the mask is looked at again. */
int world_thread_move(struct world *world, int index, int home)
{
    const struct world_thread *thread = &world->threads[index];
    struct cpu_mask pin, lasting;
    bool is_programs;

    if (!world_home_holds(world, home))
        return -EINVAL;
    homes_pin(&world->homes, home, &pin);
    homes_mask(&world->homes, home, &lasting);
    if (!HOLDS(&world->fault, cpu_mask_subset(&pin, &lasting)))
        return -EINVAL;
    int error = world_thread_set(world, index, &pin);
    if (error || cpu_mask_equal(&pin, &lasting))
        return error;
    /* If the mask cannot be read, goes on, so that the thread does not keep the pin. */
    if (world_thread_look(world, thread, &pin, &is_programs))
        is_programs = false;
    if (is_programs)
        return -EBUSY;
    error = world_thread_set_lasting(world, index, &lasting);
    if (error)
        (void)!world_thread_give(world, index, &thread->original);
    return error;
}

int world_thread_open(struct world *world, int index, int home)
{
    struct cpu_mask lasting;

    if (!world_home_holds(world, home))
        return -EINVAL;
    homes_mask(&world->homes, home, &lasting);
    return world_thread_set_lasting(world, index, &lasting);
}
