/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread attaches, detaches and checks; several place and sample, each its own slots, and only
 * between attach and detach. So world_place and world_check may meet on a slot, and the last mask
 * must be that of the last placement:
 *
 *   world_place: placements++ (odd), set the mask, store home, placements++ (even)
 *   world_check: load placements, look, load placements: if it was odd or has changed, what was
 *                seen means nothing. When it sets a mask it does so again until none came between.
 *
 * All of it is sequentially consistent; beside a system call that costs nothing.
 */
#include "libjuggle/linux/world.h"

#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { HOME_NONE = -1 };

struct slot {
    bool attached;
    struct thread_id id;
    struct cpu_mask original;
    struct cpu_mask found;         /* what it had when it was attached */
    _Atomic uint64_t placed_ticks; /* when it was placed first, as in thread_id */
    atomic_int home;               /* where and how wide it was placed last: see home_of */
    atomic_uint placements;
};

struct world {
    const struct machine *machine;
    int proc_fd;
    int threads_max;
    bool override;
    struct cpu_mask given;
    struct guardian *guardian;
    struct progress *progress;
    struct cpu_mask machine_mask;
    struct cpu_mask domain_masks[MACHINE_DOMAINS_MAX];
    struct slot slots[];
};

/* ---- homes and masks ---- */

static int home_of(const struct move *move)
{
    return move->to * 2 + (move->scope == SCOPE_DOMAIN);
}

static void home_mask(const struct world *world, int home, struct cpu_mask *mask)
{
    const struct processor *processor = &world->machine->processors[home / 2];

    if (home % 2) {
        *mask = world->domain_masks[processor->domain];
    } else {
        cpu_mask_clear(mask);
        cpu_mask_add(mask, processor->os_index);
    }
}

/* True if juggle may have set such a mask. */
static bool mask_is_a_home(const struct world *world, const struct cpu_mask *mask)
{
    if (cpu_mask_count(mask) == 1)
        return cpu_mask_subset(mask, &world->machine_mask);
    for (int domain = 0; domain < world->machine->domains_count; domain++)
        if (cpu_mask_equal(mask, &world->domain_masks[domain]))
            return true;
    return false;
}

/* ---- ports ---- */

static int64_t world_now(void *context)
{
    (void)context;
    return clock_now_ns();
}

static int world_sample(void *context, int thread, struct sample *sample)
{
    struct world *world = context;

    return progress_read(world->progress, thread, sample);
}

/* Sets a mask unless the thread is gone: its number may be another's by now. */
static int slot_set(struct world *world, int index, const struct cpu_mask *mask)
{
    int error = progress_alive(world->progress, index);

    return error ? error : affinity_set(world->slots[index].id.tid, mask);
}

/* The program placed the thread while juggle waited for the set to be complete. */
static bool placed_meanwhile(const struct world *world, const struct slot *slot)
{
    struct cpu_mask now;

    return !world->override && slot->home == HOME_NONE && !affinity_get(slot->id.tid, &now) &&
           !cpu_mask_equal(&now, &slot->original) && !cpu_mask_equal(&now, &slot->found);
}

static int world_place(void *context, int thread, const struct move *move)
{
    struct world *world = context;
    struct slot *slot = &world->slots[thread];
    struct cpu_mask mask;
    int home = home_of(move);
    int error;

    if (placed_meanwhile(world, slot))
        return -EPERM;
    home_mask(world, home, &mask);
    slot->placements++;
    error = slot_set(world, thread, &mask);
    if (!error && slot->home == HOME_NONE)
        slot->placed_ticks = clock_boot_ticks();
    if (!error)
        slot->home = home;
    slot->placements++;
    return error;
}

void world_ports(struct world *world, struct ports *ports)
{
    *ports = (struct ports){
        .world = world,
        .now = world_now,
        .sample = world_sample,
        .place = world_place,
    };
}

/* ---- life ---- */

static void masks_prepare(struct world *world)
{
    const struct machine *machine = world->machine;

    cpu_mask_clear(&world->machine_mask);
    for (int domain = 0; domain < machine->domains_count; domain++)
        cpu_mask_clear(&world->domain_masks[domain]);
    for (int i = 0; i < machine->processors_count; i++) {
        const struct processor *processor = &machine->processors[i];
        cpu_mask_add(&world->machine_mask, processor->os_index);
        cpu_mask_add(&world->domain_masks[processor->domain], processor->os_index);
    }
}

int world_create(const struct world_options *options, struct world **world)
{
    const struct progress_options progress_options = {
        .proc_fd = options->proc_fd,
        .threads_max = options->threads_max,
        .readers_max = options->readers_max + 1, /* the housekeeper asks who lives */
    };
    size_t slots_size = sizeof(struct slot) * (size_t)options->threads_max;
    struct world *created = calloc(1, sizeof(*created) + slots_size);
    int error;

    if (!created)
        return -ENOMEM;
    created->machine = options->machine;
    created->proc_fd = options->proc_fd;
    created->threads_max = options->threads_max;
    created->override = options->override;
    created->given = *options->given;
    created->guardian = options->guardian;
    masks_prepare(created);
    error = progress_open(options->progress, &progress_options, &created->progress);
    if (error) {
        free(created);
        return error;
    }
    *world = created;
    return 0;
}

void world_destroy(struct world *world)
{
    if (!world)
        return;
    for (int slot = 0; slot < world->threads_max; slot++)
        world_detach(world, slot);
    progress_close(world->progress);
    free(world);
}

const struct progress *world_progress(const struct world *world)
{
    return world->progress;
}

/* ---- threads ---- */

/* A thread of the process that had been placed when one was born at that time. */
static const struct slot *placed_slot_of(const struct world *world, pid_t pid, uint64_t born_ticks)
{
    for (int i = 0; i < world->threads_max; i++) {
        const struct slot *slot = &world->slots[i];
        if (slot->attached && slot->id.pid == pid && slot->home != HOME_NONE &&
            slot->placed_ticks <= born_ticks)
            return slot;
    }
    return NULL;
}

/* A thread that juggle has placed and that may have created this one; NULL if there is none. */
static const struct slot *creator_of(const struct world *world, const struct thread_id *id)
{
    const struct slot *sibling = placed_slot_of(world, id->pid, id->start_ticks);
    struct thread_stat stat;

    if (sibling || procfs_stat_read(world->proc_fd, id->pid, id->tid, &stat))
        return sibling;
    return placed_slot_of(world, stat.parent, id->start_ticks);
}

/* The slot from which the thread was born with a pin of ours, or NULL. */
static const struct slot *inherited_from(const struct world *world, const struct thread_id *id,
                                         const struct cpu_mask *mask)
{
    if (cpu_mask_equal(mask, &world->given) || !mask_is_a_home(world, mask))
        return NULL;
    return creator_of(world, id);
}

bool world_widen(struct world *world, const struct thread_id *id)
{
    const struct slot *creator;
    struct cpu_mask mask;

    if (affinity_get(id->tid, &mask))
        return false;
    creator = inherited_from(world, id, &mask);
    return creator && procfs_thread_alive(world->proc_fd, id) &&
           affinity_set(id->tid, &creator->original) == 0;
}

/* The mask that the thread must get back one day. */
static int original_find(const struct world *world, const struct thread_id *id,
                         struct cpu_mask *found, struct cpu_mask *original)
{
    const struct slot *creator;
    struct cpu_mask mask;
    int error = affinity_get(id->tid, &mask);

    if (error)
        return error;
    *found = mask;
    creator = inherited_from(world, id, &mask);
    if (creator)
        mask = creator->original;
    /* A thread that may run everywhere has not been placed by anybody. */
    else if (!world->override && !cpu_mask_subset(&world->machine_mask, &mask))
        return -EBUSY;
    *original = mask;
    return 0;
}

int world_attach(struct world *world, int slot, const struct thread_id *id)
{
    struct slot *attached = &world->slots[slot];
    int error;

    error = original_find(world, id, &attached->found, &attached->original);
    if (error)
        return error;
    error = progress_thread_open(world->progress, slot, id);
    if (error)
        return error;
    attached->id = *id;
    attached->home = HOME_NONE;
    attached->placements = 0;
    attached->attached = true;
    if (world->guardian)
        guardian_keep(world->guardian, slot, id, &attached->original);
    return 0;
}

/* Unless the program has placed it anew since. */
static void original_restore(struct world *world, int index)
{
    const struct slot *slot = &world->slots[index];
    struct cpu_mask now, ours;

    if (slot->home == HOME_NONE || affinity_get(slot->id.tid, &now))
        return;
    home_mask(world, slot->home, &ours);
    if (affinity_classify(&now, &ours, &slot->original) != AFFINITY_PROGRAM)
        /* A failure means that it is gone. */
        (void)!slot_set(world, index, &slot->original);
}

void world_detach(struct world *world, int slot)
{
    if (!world->slots[slot].attached)
        return;
    original_restore(world, slot);
    progress_thread_close(world->progress, slot);
    world->slots[slot].attached = false;
    if (world->guardian)
        guardian_forget(world->guardian, slot);
}

/* Sets the mask of the last placement, also if that comes while it is being set. */
static int placement_renew(struct world *world, int index)
{
    struct slot *slot = &world->slots[index];
    struct cpu_mask mask;
    unsigned before;
    int error;

    do {
        before = slot->placements;
        home_mask(world, slot->home, &mask);
        error = slot_set(world, index, &mask);
    } while (!error && (before % 2 || before != slot->placements));
    return error;
}

int world_check(struct world *world, int slot, enum affinity_owner *owner)
{
    const struct slot *checked = &world->slots[slot];
    unsigned before = checked->placements;
    int home = checked->home;
    struct cpu_mask now, ours = checked->original;
    enum affinity_owner found;
    int error;

    error = affinity_get(checked->id.tid, &now);
    if (error)
        return error;
    if (home != HOME_NONE)
        home_mask(world, home, &ours);
    found = affinity_classify(&now, &ours, &checked->original);
    if (before % 2 || before != checked->placements)
        found = AFFINITY_OURS;
    if (home != HOME_NONE && (found == AFFINITY_UNDONE || found == AFFINITY_USERS)) {
        error = placement_renew(world, slot);
        if (error)
            return error;
    }
    *owner = found;
    return 0;
}

int world_thread(const struct world *world, int slot, struct thread_id *id)
{
    if (!world->slots[slot].attached)
        return -ENOENT;
    *id = world->slots[slot].id;
    return 0;
}

int world_processors(const struct world *world, pid_t tid, bool *usable)
{
    struct cpu_mask mask;
    int error = affinity_get(tid, &mask);

    if (error)
        return error;
    for (int i = 0; i < world->machine->processors_count; i++)
        usable[i] = cpu_mask_has(&mask, world->machine->processors[i].os_index);
    return 0;
}
