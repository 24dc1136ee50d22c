/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/world_masks.h"

#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

/* Processes whose cpusets are read, for all of a job, because they are mostly in one group. */
enum { PROCESSES_ASKED_MAX = 8 };

/* Since this kernel a thread is requeued even if its scheduling parameters are set to what they
 * are. */
enum { REQUEUES_MAJOR = 6, REQUEUES_MINOR = 12 };

/* ---- ports ---- */

static int64_t world_now(void *context)
{
    (void)context;
    return clock_now_ns();
}

/* True if the thread is in the table, and its own mask is recorded in the debts. No mask is set for
 * any other thread. */
static bool placing_holds(struct world *world, int index, const struct move *move)
{
    const struct world_thread *thread = &world->threads[index];

    return world_index_holds(world, index) && HOLDS(&world->fault, thread->attached) &&
           HOLDS(&world->fault, thread->placements % 2 == 0) &&
           HOLDS(&world->fault, move->to >= 0 && move->to < world->machine->processors_count) &&
           HOLDS(&world->fault, debts_has(world->debts, index, &thread->id));
}

static int world_place(void *context, int index, const struct move *move)
{
    struct world *world = context;
    struct world_thread *thread = &world->threads[index];
    const bool opens_only = move->scope == SCOPE_DOMAIN && move->from == move->to;
    const int home = home_of(move);

    if (!placing_holds(world, index, move) || world_thread_has_programs_mask(world, thread))
        return -EBUSY;
    thread->placements++;
    if (thread->home == HOME_NONE)
        debts_note_pin(world->debts, index);
    int error = opens_only ? world_thread_open(world, index, home)
                           : world_thread_move(world, index, home);
    /* A thread that was detached meanwhile would keep our mask. */
    (void)HOLDS(&world->fault, thread->attached);
    if (!error)
        thread->home = home;
    thread->placements++;
    return error;
}

/* Moves a thread home if the kernel has taken it elsewhere, which its open mask allows. The
 * processor of a thread that sleeps means nothing yet. */
static void world_thread_return_home(struct world *world, int index, const struct sample *sample)
{
    struct world_thread *thread = &world->threads[index];
    const int home = thread->home;

    if (!homes_are_kept(&world->homes, home) || sample->state == SAMPLE_SLEEPING ||
        sample->processor == home_processor(home) ||
        world_thread_has_programs_mask(world, thread) ||
        !HOLDS(&world->fault, thread->placements % 2 == 0))
        return;
    thread->placements++;
    /* If that fails, the next sample finds the thread elsewhere again. */
    (void)!world_thread_move(world, index, home);
    thread->placements++;
}

bool kernel_refreshes_remote_counters(void)
{
    struct utsname name;
    int major = 0, minor = 0;

    if (uname(&name) || sscanf(name.release, "%d.%d", &major, &minor) != 2)
        return false;
    return major > REQUEUES_MAJOR || (major == REQUEUES_MAJOR && minor >= REQUEUES_MINOR);
}

/* The kernel's counters of a thread that runs on another processor are as old as the last tick.
 * Since Linux 6.12, setting unchanged parameters dequeues and enqueues the thread, and that brings
 * its counters up to date without a context switch or an interrupt there. */
static void world_thread_refresh(const struct world *world, const struct world_thread *thread)
{
    const struct sched_param unchanged = {.sched_priority = 0};

    if (thread->home != HOME_NONE &&
        homes_processor(&world->homes, sched_getcpu()) != home_processor(thread->home))
        /* Refused for real-time threads, whose counters stay old. */
        (void)!sched_setparam(thread->id.tid, &unchanged);
}

static int world_sample(void *context, int thread, struct sample *sample)
{
    struct world *world = context;

    if (!world_index_holds(world, thread) || !HOLDS(&world->fault, world->threads[thread].attached))
        return -ESRCH;
    world_thread_refresh(world, &world->threads[thread]);

    const int error = progress_read(world->progress, thread, sample);
    if (error)
        return error;
    sample->processor = homes_processor(&world->homes, sample->processor);
    world_thread_return_home(world, thread, sample);
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

/* True if masks have room for the machine's processors, and each is in a domain. */
static bool machine_holds(struct world *world)
{
    const struct machine *machine = world->machine;

    for (int i = 0; i < machine->processors_count; i++) {
        const struct processor *processor = &machine->processors[i];
        if (!HOLDS(&world->fault,
                   processor->os_index >= 0 && processor->os_index < CPU_MASK_CPUS_MAX) ||
            !HOLDS(&world->fault,
                   processor->domain >= 0 && processor->domain < machine->domains_count))
            return false;
    }
    return true;
}

int world_create(const struct world_options *options, struct world **world)
{
    const struct progress_options progress_options = {
        .proc_fd = options->proc_fd,
        .threads_max = options->threads_max,
        /* One more for the housekeeper, which asks whether threads live. */
        .readers_max = options->readers_max + 1,
    };
    size_t threads_size = sizeof(struct world_thread) * (size_t)options->threads_max;
    struct world *created = calloc(1, sizeof(*created) + threads_size);
    int error = 0;

    if (!created)
        return -ENOMEM;
    created->machine = options->machine;
    created->proc_fd = options->proc_fd;
    created->threads_max = options->threads_max;
    created->files = (struct cpuset_files){options->proc_fd, options->sys_fd};
    created->override = options->override;
    created->given = *options->given;
    created->debts = options->debts;
    if (machine_holds(created))
        homes_init(&created->homes, options->machine, options->open);
    else
        error = -EINVAL;
    if (!error)
        error = debts_add_pin_masks(created->debts, created->homes.domain_masks,
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
    const char *fault = fault_text(&world->fault);

    return fault ? fault : debts_fault(world->debts);
}

const struct progress *world_progress(const struct world *world)
{
    return world->progress;
}

/* ---- processors ---- */

/* Collects one thread of each of a few processes; returns how many. */
static int processes_collect(const struct world *world, struct thread_id ids[PROCESSES_ASKED_MAX])
{
    int count = 0;

    for (int i = 0; i < world->limit && count < PROCESSES_ASKED_MAX; i++) {
        int known = 0;
        while (known < count && ids[known].pid != world->threads[i].id.pid)
            known++;
        if (world->threads[i].attached && known == count)
            ids[count++] = world->threads[i].id;
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
