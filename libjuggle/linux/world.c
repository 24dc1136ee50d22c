/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread attaches, detaches and checks; several place and sample, each its own slots, and only
 * between attach and detach. So world_place and world_check may meet on a slot, and the last mask
 * must be that of the last placement:
 *
 *   world_place: placements++ (odd), set the mask, store home, placements++ (even)
 *   world_check: load placements, look, load placements: if it was odd or has changed, what was
 *                seen means nothing. When it sets a mask: renewals++ (odd), set it until no
 *                placement came between, renewals++ (even). What world_place sees of the mask
 *                between the two means nothing.
 *
 * All of it is sequentially consistent; beside a system call that costs nothing.
 */
#include "libjuggle/linux/world.h"

#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/cpuset.h"
#include "libjuggle/linux/homes.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Of a job with many processes not all are asked: they are mostly in one group. */
enum { PROCESSES_ASKED_MAX = 8 };

enum {
    GIVE_TRIES = 3,
    LET_GO_AT_ONCE = 64, /* takes a millisecond or two */
};

/* Since then a thread is requeued also for scheduling parameters that change nothing. */
enum { REQUEUES_MAJOR = 6, REQUEUES_MINOR = 12 };

struct slot {
    bool attached;
    struct thread_id id;
    struct cpu_mask original;
    struct cpu_mask found;         /* what it had when it was attached */
    _Atomic uint64_t placed_ticks; /* when it was placed first, as in thread_id */
    atomic_int home;               /* where and how wide it was placed last: see home_of */
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
    struct debts *debts; /* or NULL */
    struct progress *progress;
    struct homes homes;
    struct fault fault;
    int limit; /* slots that were ever attached are below: the others' memory is not touched */
    struct slot slots[];
};

/* ---- ports ---- */

static int64_t world_now(void *context)
{
    (void)context;
    return clock_now_ns();
}

/* Sets a mask unless the thread is gone: its number may be another's by now. */
static int slot_set(struct world *world, int index, const struct cpu_mask *mask)
{
    int error = progress_alive(world->progress, index);

    return error ? error : affinity_set(world->slots[index].id.tid, mask);
}

/* The same of one that is wider than what the thread has: that fails for no reason that lasts, and
 * is tried again. */
static int slot_give(struct world *world, int index, const struct cpu_mask *mask)
{
    int error = progress_alive(world->progress, index);

    for (int i = 1; i < GIVE_TRIES && error && error != -ESRCH; i++)
        error = progress_alive(world->progress, index);
    return error ? error : affinity_give(world->slots[index].id.tid, mask);
}

/*
 * Sets a mask that lasts. Before Linux 6.2 the kernel drops what is offline at that moment for
 * good; later ones remember it. So what it kept is noted, to be told from a mask of the program's
 * when the processors are back.
 */
static int slot_leave_at(struct world *world, int index, const struct cpu_mask *mask)
{
    struct slot *slot = &world->slots[index];
    struct cpu_mask kept;
    int error = slot_give(world, index, mask);

    if (!error && !affinity_get(slot->id.tid, &kept))
        slot->kept_count = cpu_mask_equal(&kept, mask) ? 0 : cpu_mask_count(&kept);
    return error;
}

static bool is_what_was_kept(const struct slot *slot, const struct cpu_mask *ours)
{
    const int kept_count = slot->kept_count;
    struct cpu_mask now;

    return kept_count > 0 && !affinity_get(slot->id.tid, &now) && cpu_mask_subset(&now, ours) &&
           cpu_mask_count(&now) == kept_count;
}

static int slot_owner(const struct world *world, const struct slot *slot,
                      const struct cpu_mask *ours, enum affinity_owner *owner)
{
    int error = affinity_owner_find(&world->files, &slot->id, ours, &slot->original, owner);

    if (!error && *owner == AFFINITY_PROGRAM && is_what_was_kept(slot, ours))
        *owner = AFFINITY_UNDONE;
    return error;
}

/* Whether the thread has a mask of the program's instead of `ours`. One that a renewal under way
 * has set is none: it may be of a home that the thread has left since. */
static int slot_look(const struct world *world, const struct slot *slot,
                     const struct cpu_mask *ours, bool *is_programs)
{
    const unsigned before = slot->renewals;
    enum affinity_owner owner;
    int error = slot_owner(world, slot, ours, &owner);

    if (error)
        return error;
    *is_programs = owner == AFFINITY_PROGRAM && before % 2 == 0 && before == slot->renewals;
    return 0;
}

/* True if the program has set a mask since juggle looked at the thread or placed it. */
static bool is_let_go(const struct world *world, const struct slot *slot)
{
    struct cpu_mask ours = slot->found;
    bool is_programs;

    if (slot->home != HOME_NONE)
        homes_mask(&world->homes, slot->home, &ours);
    return !world->override && !slot_look(world, slot, &ours, &is_programs) && is_programs;
}

/*
 * The pin is what moves a thread, one that sleeps aside, and it has arrived when the call returns.
 * That takes a while, in which the program may have set a mask: it is looked at again.
 */
static int slot_move(struct world *world, int index, int home)
{
    const struct slot *slot = &world->slots[index];
    struct cpu_mask pin, lasting;
    bool is_programs;

    homes_pin(&world->homes, home, &pin);
    homes_mask(&world->homes, home, &lasting);
    int error = slot_set(world, index, &pin);
    if (error || cpu_mask_equal(&pin, &lasting))
        return error;
    /* Who cannot be looked at keeps no pin. */
    if (slot_look(world, slot, &pin, &is_programs))
        is_programs = false;
    if (is_programs)
        return -EBUSY;
    error = slot_leave_at(world, index, &lasting);
    if (error)
        (void)!slot_give(world, index, &slot->original);
    return error;
}

static int slot_open(struct world *world, int index, int home)
{
    struct cpu_mask lasting;

    homes_mask(&world->homes, home, &lasting);
    return slot_leave_at(world, index, &lasting);
}

static int world_place(void *context, int thread, const struct move *move)
{
    struct world *world = context;
    struct slot *slot = &world->slots[thread];
    const bool opens_only = move->scope == SCOPE_DOMAIN && move->from == move->to;
    const int home = home_of(move);

    /* A mask is set for nobody but whom this table knows. */
    if (!HOLDS(&world->fault, slot->attached) || !HOLDS(&world->fault, slot->placements % 2 == 0) ||
        !HOLDS(&world->fault, move->to >= 0 && move->to < world->machine->processors_count))
        return -EBUSY;
    if (is_let_go(world, slot))
        return -EBUSY;
    slot->placements++;
    if (slot->home == HOME_NONE && world->debts)
        debts_begin(world->debts, thread);
    int error = opens_only ? slot_open(world, thread, home) : slot_move(world, thread, home);
    if (!error && slot->home == HOME_NONE)
        slot->placed_ticks = clock_boot_ticks();
    if (!error)
        slot->home = home;
    slot->placements++;
    return error;
}

/* Moves a thread home that the kernel has taken elsewhere, which its open mask allows. Where one
 * sleeps means nothing yet. */
static void slot_keep(struct world *world, int index, const struct sample *sample)
{
    struct slot *slot = &world->slots[index];
    const int home = slot->home;

    if (!homes_are_kept(&world->homes, home) || sample->state == SAMPLE_SLEEPING ||
        sample->processor == home_processor(home) || is_let_go(world, slot))
        return;
    slot->placements++;
    /* Who could not be moved is found elsewhere again. */
    (void)!slot_move(world, index, home);
    slot->placements++;
}

bool kernel_refreshes_remote_counters(void)
{
    struct utsname name;
    int major = 0, minor = 0;

    if (uname(&name) || sscanf(name.release, "%d.%d", &major, &minor) != 2)
        return false;
    return major > REQUEUES_MAJOR || (major == REQUEUES_MAJOR && minor >= REQUEUES_MINOR);
}

/*
 * Of a thread that runs on another processor the kernel's counters are as old as the last tick. On
 * later kernels parameters that change nothing put it through its queue, and that brings them up to
 * date: no switch, and no message to that processor.
 */
static void slot_refresh(const struct world *world, const struct slot *slot)
{
    const struct sched_param unchanged = {.sched_priority = 0};

    if (slot->home != HOME_NONE &&
        homes_processor(&world->homes, sched_getcpu()) != home_processor(slot->home))
        /* Refused for real-time threads, whose counters stay old. */
        (void)!sched_setparam(slot->id.tid, &unchanged);
}

static int world_sample(void *context, int thread, struct sample *sample)
{
    struct world *world = context;

    slot_refresh(world, &world->slots[thread]);

    const int error = progress_read(world->progress, thread, sample);
    if (error)
        return error;
    sample->processor = homes_processor(&world->homes, sample->processor);
    slot_keep(world, thread, sample);
    return 0;
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

int world_create(const struct world_options *options, struct world **world)
{
    const struct progress_options progress_options = {
        .proc_fd = options->proc_fd,
        .threads_max = options->threads_max,
        .readers_max = options->readers_max + 1, /* the housekeeper asks who lives */
    };
    size_t slots_size = sizeof(struct slot) * (size_t)options->threads_max;
    struct world *created = calloc(1, sizeof(*created) + slots_size);
    int error = 0;

    if (!created)
        return -ENOMEM;
    created->machine = options->machine;
    created->proc_fd = options->proc_fd;
    created->files = (struct cpuset_files){options->proc_fd, options->sys_fd};
    created->override = options->override;
    created->given = *options->given;
    created->debts = options->guardian ? guardian_debts(options->guardian) : NULL;
    homes_init(&created->homes, options->machine, options->open);
    if (created->debts)
        error = debts_set(created->debts, created->homes.domain_masks,
                          options->machine->domains_count);
    if (!error)
        error = progress_open(options->progress, &progress_options, &created->progress);
    if (error) {
        free(created);
        return error;
    }
    *world = created;
    return 0;
}

/* What fails is owed still; all others are left alone from now on. */
static void last_detach(struct world *world, int index)
{
    const struct slot *slot = &world->slots[index];
    const bool placed = slot->attached && slot->home != HOME_NONE;

    if (!world_detach(world, index) && placed && world->debts)
        debts_let_go(world->debts, &slot->id);
}

bool world_let_go(struct world *world, int64_t until_ns)
{
    while (world->limit > 0) {
        last_detach(world, world->limit - 1);
        world->limit--;
        if (world->limit % LET_GO_AT_ONCE == 0 && until_ns != INT64_MAX &&
            clock_now_ns() >= until_ns)
            break;
    }
    return world->limit == 0;
}

void world_destroy(struct world *world)
{
    if (!world)
        return;
    (void)world_let_go(world, INT64_MAX);
    progress_close(world->progress);
    free(world);
}

const char *world_fault(const struct world *world)
{
    return fault_text(&world->fault);
}

const struct progress *world_progress(const struct world *world)
{
    return world->progress;
}

/* ---- threads ---- */

/* A thread of the process that had been placed when one was born at that time. */
static const struct slot *placed_slot_of(const struct world *world, pid_t pid, uint64_t born_ticks)
{
    for (int i = 0; i < world->limit; i++) {
        const struct slot *slot = &world->slots[i];
        if (slot->attached && slot->id.pid == pid && slot->home != HOME_NONE &&
            slot->placed_ticks <= born_ticks)
            return slot;
    }
    return NULL;
}

/* What a thread of the process was given that juggle has placed, or had before it ended. */
static const struct cpu_mask *given_to(const struct world *world, pid_t pid, uint64_t born_ticks)
{
    const struct slot *slot = placed_slot_of(world, pid, born_ticks);

    if (slot)
        return &slot->original;
    return world->debts ? debts_owed(world->debts, pid, born_ticks) : NULL;
}

/* The same of one that may have created this thread; NULL if there is none. */
static const struct cpu_mask *given_to_creator(const struct world *world,
                                               const struct thread_id *id)
{
    const struct cpu_mask *given = given_to(world, id->pid, id->start_ticks);
    struct thread_stat stat;

    if (given || procfs_stat_read(world->proc_fd, id->pid, id->tid, &stat))
        return given;
    return given_to(world, stat.parent, id->start_ticks);
}

/* What the thread must get back that was born with a pin of ours, or NULL. */
static const struct cpu_mask *inherited_from(const struct world *world, const struct thread_id *id,
                                             const struct cpu_mask *mask)
{
    if (cpu_mask_equal(mask, &world->given) || !homes_have(&world->homes, mask))
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

/* Who has all that its cpuset leaves it is owed whatever that will be by then; where no cpuset is
 * told of, what is offline is owed, too. */
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

int world_attach(struct world *world, int slot, const struct thread_id *id)
{
    struct slot *attached = &world->slots[slot];
    int error;

    error = affinity_may_set(id->tid);
    if (!error)
        error = original_find(world, id, &attached->found, &attached->original);
    if (error)
        return error;
    if (!HOLDS(&world->fault, !attached->attached))
        return -EBUSY;
    error = progress_thread_open(world->progress, slot, id);
    if (error)
        return error;
    if (world->debts)
        error = debts_keep(world->debts, slot, id, &attached->original);
    if (error) {
        progress_thread_close(world->progress, slot);
        return error;
    }
    attached->id = *id;
    attached->home = HOME_NONE;
    attached->placements = 0;
    attached->renewals = 0;
    attached->kept_count = 0;
    attached->attached = true;
    if (slot >= world->limit)
        world->limit = slot + 1;
    return 0;
}

/* Whose mask it is at the end. Of a thread that cannot be looked at it is taken for ours. */
static enum affinity_owner last_owner(const struct world *world, const struct slot *slot,
                                      const struct cpu_mask *ours)
{
    enum affinity_owner owner = AFFINITY_OURS;
    int error = slot_owner(world, slot, ours, &owner);

    for (int i = 1; i < GIVE_TRIES && error && error != -ESRCH; i++)
        error = slot_owner(world, slot, ours, &owner);
    return owner;
}

/* Unless the program has placed it anew since. */
static int original_restore(struct world *world, int index)
{
    const struct slot *slot = &world->slots[index];
    struct cpu_mask ours;

    if (slot->home == HOME_NONE)
        return 0;
    homes_mask(&world->homes, slot->home, &ours);
    if (last_owner(world, slot, &ours) == AFFINITY_PROGRAM) {
        if (world->debts)
            debts_let_go(world->debts, &slot->id);
        return 0;
    }
    const int error = slot_give(world, index, &slot->original);
    return error == -ESRCH ? 0 : error;
}

int world_detach(struct world *world, int slot)
{
    if (slot >= world->limit || !world->slots[slot].attached)
        return 0;
    const int error = original_restore(world, slot);
    progress_thread_close(world->progress, slot);
    world->slots[slot].attached = false;
    /* What could not be given back stays owed. */
    if (world->debts && !error)
        debts_forget(world->debts, slot);
    return error;
}

/* Sets the mask of the last placement, also if that comes while it is being set. */
static int placement_renew(struct world *world, int index)
{
    struct slot *slot = &world->slots[index];
    struct cpu_mask mask;
    unsigned before;
    int error;

    slot->renewals++;
    do {
        before = slot->placements;
        homes_mask(&world->homes, slot->home, &mask);
        error = slot_leave_at(world, index, &mask);
    } while (!error && (before % 2 || before != slot->placements));
    slot->renewals++;
    return error;
}

int world_check(struct world *world, int slot, enum affinity_owner *owner)
{
    const struct slot *checked = &world->slots[slot];
    unsigned before = checked->placements;
    const int home = checked->home;
    struct cpu_mask ours = checked->original;
    enum affinity_owner found;
    int error;

    if (home != HOME_NONE)
        homes_mask(&world->homes, home, &ours);
    error = slot_owner(world, checked, &ours, &found);
    if (error)
        return error;
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

/* ---- processors ---- */

/* The threads of a few processes, each of another one; how many. */
static int processes_collect(const struct world *world, struct thread_id ids[PROCESSES_ASKED_MAX])
{
    int count = 0;

    for (int i = 0; i < world->limit && count < PROCESSES_ASKED_MAX; i++) {
        int known = 0;
        while (known < count && ids[known].pid != world->slots[i].id.pid)
            known++;
        if (world->slots[i].attached && known == count)
            ids[count++] = world->slots[i].id;
    }
    return count;
}

int world_processors(const struct world *world, pid_t tid, bool *usable)
{
    struct thread_id ids[PROCESSES_ASKED_MAX];
    const int count = processes_collect(world, ids);
    struct cpu_mask mask;
    int error = cpuset_read_all(&world->files, ids, count, &mask);

    if (error)
        error = affinity_get(tid, &mask);
    if (error)
        return error;
    for (int i = 0; i < world->machine->processors_count; i++)
        usable[i] = cpu_mask_has(&mask, world->machine->processors[i].os_index);
    return 0;
}
