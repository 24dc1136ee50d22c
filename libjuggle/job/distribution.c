/* SPDX-License-Identifier: BSD-3-Clause */
/* Homes: the first distribution, and processors that go, come back or were not there before. */
#include "libjuggle/job/state.h"

#include <errno.h>
#include <unistd.h>

void job_usable_here(struct cpu_mask *usable)
{
    if (affinity_get(0, usable))
        cpu_mask_clear(usable);
}

/* ---- processors that go and come back ---- */

/* Notes that a domain has lost its last processor: its threads have gone to other domains. */
static void domain_look(struct job *job, int index)
{
    const struct machine *machine = job->parts.machine;
    struct cpu_mask domain;

    cpu_mask_clear(&domain);
    for (int i = 0; i < machine->processors_count; i++)
        if (machine->processors[i].domain == index)
            cpu_mask_add(&domain, machine->processors[i].os_index);
    if (cpu_mask_subset(&domain, &job->lost))
        growth_domain_lost(&job->growth, &domain);
}

static void processor_lose(struct job *job, int processor)
{
    cpu_mask_add(&job->lost, job->parts.machine->processors[processor].os_index);
    domain_look(job, job->parts.machine->processors[processor].domain);
    engine_processor_lost(job->parts.engine, processor);
    job_tell(job, JOB_PROCESSOR_LOST);
}

static void processor_find(struct job *job, int processor)
{
    cpu_mask_remove(&job->lost, job->parts.machine->processors[processor].os_index);
    growth_processor_back(&job->growth, job->parts.machine->processors[processor].os_index);
    engine_processor_found(job->parts.engine, processor);
    job_tell(job, JOB_PROCESSOR_FOUND);
}

/* Tells processes of the program that start from now on how many processors there are. */
static void processors_tell(const struct job *job)
{
    const struct machine *machine = job->parts.machine;
    int count = 0;

    for (int i = 0; i < machine->processors_count; i++)
        count += !cpu_mask_has(&job->lost, machine->processors[i].os_index);
    page_set_processors(job->parts.page, count);
}

void job_check_processors(struct job *job)
{
    const struct machine *machine = job->parts.machine;
    bool usable[MACHINE_PROCESSORS_MAX];

    if (world_processors(job->parts.world, gettid(), usable))
        return;
    for (int i = 0; i < machine->processors_count; i++) {
        const bool lost = cpu_mask_has(&job->lost, machine->processors[i].os_index);
        if (!usable[i] && !lost)
            processor_lose(job, i);
        else if (usable[i] && lost)
            processor_find(job, i);
    }
    processors_tell(job);
}

/* ---- processors that were not there before ---- */

/* Tells a new engine of the processors that are lost. The listener has been told before. */
static void losses_repeat(struct job *job)
{
    const struct machine *machine = job->parts.machine;

    for (int i = 0; i < machine->processors_count; i++)
        if (cpu_mask_has(&job->lost, machine->processors[i].os_index))
            engine_processor_lost(job->parts.engine, i);
}

/* True when all threads are placed. */
static bool start(struct job *job, int64_t until_ns)
{
    /* A program that runs already may have a smaller cpuset than juggle. */
    if (!job->placing)
        job_check_processors(job);
    job->placing = !engine_start_until(job->parts.engine, until_ns);
    if (!job->placing)
        balancers_notify(job->parts.balancers);
    return !job->placing;
}

void job_distribute(struct job *job, int64_t at_ns, int64_t until_ns)
{
    if (!start(job, until_ns))
        return;
    job->distributed_ns = at_ns;
    job->check_ns = at_ns + CHECK_INTERVAL_NS;
    job_tell(job, JOB_DISTRIBUTED);
}

void job_distribute_complete(struct job *job, int64_t at_ns, int64_t until_ns)
{
    if (!workers_complete(job->parts.workers))
        return;
    discovery_expect_threads(job->parts.discovery, false);
    if (admission_is_guarded(job->admission))
        job_distribute(job, at_ns, until_ns);
}

/* Until they are placed on the new machine, the threads have the masks that they are owed. What the
 * policy has learned on the old one is lost. */
static void machine_change(struct job *job, const struct parts *fresh, int64_t at_ns)
{
    /* Finds threads that have inherited a mask of the old machine while its masks are still
     * known. */
    (void)!admission_scan(job->admission, at_ns);
    job_statistics_take(job);
    summary_carry(&job->summary);
    admission_suspend(job->admission);
    parts_replace(&job->parts, fresh);
    balancers_limit(job->parts.balancers, job->share_ppm);
    job_tell(job, JOB_MACHINE_GROWN);
    losses_repeat(job);
    processors_tell(job);
    admission_resume(job->admission, at_ns);
    if (job->distributed_ns)
        (void)start(job, INT64_MAX);
    else
        job_distribute_complete(job, at_ns, INT64_MAX);
}

static void machine_renew(struct job *job, int64_t at_ns)
{
    const int64_t spent_ns = clock_spent_ns();
    struct parts fresh;
    const int error = parts_renew(&job->parts, &job->observer, job->growth.returned, &fresh);

    if (!error)
        machine_change(job, &fresh, at_ns);
    growth_tried(&job->growth, !error || error == -EALREADY, at_ns, clock_spent_ns() - spent_ns);
}

void job_check_machine(struct job *job, int64_t at_ns)
{
    struct cpu_mask usable;

    job_usable_here(&usable);
    if ((job->parts.may_grow || job->growth.returned) && growth_see(&job->growth, &usable, at_ns))
        machine_renew(job, at_ns);
}
