/* SPDX-License-Identifier: BSD-3-Clause */
/* Interleaving. The thread that polls the job calls everything here but admission_thread().
 * Balancer threads call that through the engine's recorder, for threads whose arrival they have
 * been told of: the engine's lock orders that after the entry was written and before it is cleared.
 *
 * The parts, in this order:
 * - create, destroy
 * - what a look brings: threads come and go, workers are chosen
 * - another machine: all threads are let go of, and taken again
 * - views */
#include "libjuggle/job/admission_thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Members are remembered beyond their end, for programs that create threads all the time. */
    MEMBERS_PER_SLOT = 2,
    OBSERVED_AT_ONCE = 16,
};

/* Time between looks while a thread may be about to work, and while some of the expected workers
 * are missing: a thread that rests when it is looked at then works within a few phases. */
#define LOOK_RISING_NS  (3 * NSEC_PER_MSEC)
#define LOOK_MISSING_NS DEMAND_WINDOW_NS

/* ---- create, destroy ---- */

int admission_create(struct parts *parts, const struct job_options *options,
                     struct admission **result)
{
    const int threads_max = parts->policy.threads_max;
    struct admission *admission = calloc(1, sizeof(*admission));

    if (!admission)
        return -ENOMEM;
    admission->parts = parts;
    admission->listener = options->listener;
    admission->ownership = (struct ownership){parts->proc_fd, options->owned, options->owner};
    admission->retry_ns = INT64_MAX;
    admission->shortfall = (struct shortfall){
        .expected_count = options->threads_expected,
        .idle_count = options->idle_threads,
        .named = options->match || options->idle_comm,
    };
    admission->balanced = calloc((size_t)threads_max, sizeof(*admission->balanced));
    admission->applicants = calloc((size_t)threads_max, sizeof(*admission->applicants));
    if (!admission->balanced || !admission->applicants ||
        tally_create(threads_max, &admission->tally) ||
        members_create(MEMBERS_PER_SLOT * threads_max, &admission->members)) {
        admission_destroy(admission);
        return -ENOMEM;
    }
    *result = admission;
    return 0;
}

void admission_destroy(struct admission *admission)
{
    if (!admission)
        return;
    members_destroy(admission->members);
    tally_destroy(admission->tally);
    free(admission->balanced);
    free(admission->applicants);
    free(admission);
}

/* ---- what a look brings ---- */

static void thread_arrived(struct admission *admission, int index, const struct thread_info *info)
{
    const struct parts *parts = admission->parts;

    admission->applicants[index] = (struct applicant){.engine_index = ENGINE_INDEX_NONE,
                                                      .member = MEMBER_NONE};
    workers_arrived(parts->workers, index, info, clock_age_ns(info->id.start_ticks),
                    clock_now_ns());
    if (!ownership_allows(&admission->ownership, info))
        workers_refuse(parts->workers, index);
    if (workers_complete(parts->workers) && !ownership_is_juggles(info))
        world_unpin_inherited(parts->world, &info->id);
}

static void thread_renamed(struct admission *admission, int index, const struct thread_info *info)
{
    const int engine_index = admission->applicants[index].engine_index;

    workers_renamed(admission->parts->workers, index, info);
    if (thread_is_allowed(admission, index, info) && engine_index >= 0)
        members_rename(admission->members, admission->applicants[index].member, &info->comm);
}

static void roster_changed(void *context, enum roster_change change, int index,
                           const struct thread_info *info)
{
    struct admission *admission = context;

    if (!HOLDS(&admission->fault, index >= 0 && index < admission->parts->policy.threads_max))
        return;
    switch (change) {
    case ROSTER_ARRIVED:
        thread_arrived(admission, index, info);
        break;
    case ROSTER_EXITED:
        thread_release(admission, index, info, MEMBER_ENDED);
        workers_exited(admission->parts->workers, index);
        break;
    case ROSTER_RENAMED:
        thread_renamed(admission, index, info);
        break;
    }
}

/* True while there is one processor only, so that there is nothing to balance. */
static bool is_lone(const struct admission *admission)
{
    return admission->parts->machine->processors_count < 2;
}

/* Has the next scans follow soon, because threads that were chosen at the start of a program are
 * the likeliest to be chosen wrongly. */
static void worker_joined(void *context, int index)
{
    struct admission *admission = context;

    if (is_lone(admission)) {
        admission->applicants[index].suspended = true;
        return;
    }
    admission->applicants[index].chosen = true;
    discovery_restart(admission->parts->discovery);
}

static void worker_left(void *context, int index)
{
    struct admission *admission = context;

    admission->applicants[index].chosen = false;
    admission->applicants[index].dismissed = true;
}

/* Lets go of dismissed threads and takes chosen ones. False: until_ns came before all were done. */
static bool workers_take(struct admission *admission, int64_t until_ns)
{
    const int limit = roster_limit(discovery_roster(admission->parts->discovery));

    if (!HOLDS(&admission->fault, admission->at >= 0))
        return true;
    while (admission->at < limit) {
        const int index = admission->at++;
        const struct applicant was = admission->applicants[index];
        if (was.dismissed)
            thread_release(admission, index, admission_thread_at(admission, index), MEMBER_LEFT);
        admission->applicants[index].chosen = false;
        if (was.chosen)
            thread_admit(admission, index, clock_now_ns());
        if ((was.dismissed || was.chosen) && clock_is_past(until_ns))
            return false;
    }
    return true;
}

static void shortfall_note(struct admission *admission)
{
    const struct workers *workers = admission->parts->workers;
    struct shortfall *shortfall = &admission->shortfall;

    shortfall->lone = is_lone(admission);
    shortfall->distributed = workers_complete(workers) && !shortfall->lone;
    shortfall_see(shortfall, roster_count(discovery_roster(admission->parts->discovery)),
                  workers_named(workers), workers_wanting(workers));
}

/* True if the program has bound the thread: it may not run on all processors that its cpuset
 * allows. The mask of a balanced thread is taken for ours unless it was seen not to be. */
static bool is_pinned(const struct admission *admission, int index, struct cpu_mask *mask)
{
    const struct applicant *applicant = &admission->applicants[index];
    const struct thread_info *info = admission_thread_at(admission, index);

    if (applicant->engine_index != ENGINE_INDEX_NONE && !applicant_seems_placed(applicant))
        return false;
    return !world_is_unpinned(admission->parts->world, &info->id) &&
           !affinity_get(info->id.tid, mask);
}

static void tally_look(struct admission *admission, int index, int64_t now_ns)
{
    const struct thread_info *info = admission_thread_at(admission, index);
    struct cpu_mask mask;
    /* Telling a pin from a small cpuset takes six files, so only threads that ran are asked. */
    const bool pinned = tally_ran(admission->tally, index, info) &&
                        is_pinned(admission, index, &mask);

    tally_see(admission->tally, index, info,
              admission->applicants[index].engine_index != ENGINE_INDEX_NONE, pinned ? &mask : NULL,
              now_ns);
}

/* True when all were observed. */
static bool workers_look(struct admission *admission, int64_t now_ns, int64_t until_ns)
{
    struct workers *workers = admission->parts->workers;
    const int limit = roster_limit(discovery_roster(admission->parts->discovery));

    for (; admission->at < limit; admission->at++) {
        const int index = admission->at;
        const struct thread_info *info = admission_thread_at(admission, index);
        if (!info)
            continue;
        if (index % OBSERVED_AT_ONCE == 0 && clock_is_past(until_ns))
            return false;
        workers_observe(workers, index, info, now_ns);
        tally_look(admission, index, now_ns);
    }
    return true;
}

static int look(struct admission *admission, int64_t now_ns, int64_t until_ns)
{
    const struct roster_listener listener = {roster_changed, admission};
    int error = discovery_scan_until(admission->parts->discovery, now_ns, until_ns, &listener);

    admission->stage = error ? FINDING : OBSERVING;
    admission->at = 0;
    return error;
}

bool admission_is_looking(const struct admission *admission)
{
    return admission->stage != FINDING || discovery_is_looking(admission->parts->discovery);
}

void admission_abandon(struct admission *admission)
{
    discovery_abandon(admission->parts->discovery);
    admission->stage = FINDING;
}

int admission_scan(struct admission *admission, int64_t now_ns)
{
    admission_abandon(admission);
    return admission_scan_until(admission, now_ns, INT64_MAX);
}

static void workers_choose(struct admission *admission, int64_t now_ns)
{
    const struct workers_listener listener = {worker_joined, worker_left, admission};

    claims_outdate(admission->parts->claims);
    if (discovery_overflow(admission->parts->discovery) && !admission->shortfall.table_full) {
        admission->shortfall.table_full = true;
        admission_tell(admission, JOB_TABLE_FULL, NULL);
    }
    workers_decide(admission->parts->workers, now_ns, &listener);
    admission->stage = TAKING;
    admission->at = 0;
}

/* Starts the guardian before any thread is taken, because the guardian needs file descriptors, too,
 * and threads may need all that are left. False: there is none; the next look tries again. */
static bool is_guarded(struct admission *admission)
{
    bool started;

    if (admission->guarded || is_lone(admission) || !workers_complete(admission->parts->workers))
        return true;
    const int error = parts_guard(admission->parts, &started);
    if (error)
        admission->shortfall.guardian_error = error;
    admission->guarded = !error;
    return !error;
}

int admission_scan_until(struct admission *admission, int64_t now_ns, int64_t until_ns)
{
    int error = admission->stage == FINDING ? look(admission, now_ns, until_ns) : 0;

    if (error && error != -EAGAIN)
        admission->shortfall.scan_error = error;
    if (error)
        return error;
    if (admission->stage == OBSERVING) {
        if (!workers_look(admission, now_ns, until_ns))
            return -EAGAIN;
        workers_choose(admission, now_ns);
    }
    if (is_guarded(admission) && !workers_take(admission, until_ns))
        return -EAGAIN;
    admission->stage = FINDING;
    shortfall_note(admission);
    if (workers_rising(admission->parts->workers))
        discovery_scan_within(admission->parts->discovery, LOOK_RISING_NS);
    if (workers_missing(admission->parts->workers))
        discovery_scan_within(admission->parts->discovery, LOOK_MISSING_NS);
    discovery_expect(admission->parts->discovery, workers_due_ns(admission->parts->workers));
    return 0;
}

void admission_close(struct admission *admission, int64_t now_ns, int64_t until_ns)
{
    /* Threads that the look did not reach are reported in their last known state. */
    admission_abandon(admission);
    (void)!look(admission, now_ns, until_ns);
    admission_abandon(admission);
    admission_members(admission);
}

/* ---- another machine ---- */

void admission_suspend(struct admission *admission)
{
    const int limit = roster_limit(discovery_roster(admission->parts->discovery));

    for (int index = 0; index < limit; index++) {
        if (admission->applicants[index].engine_index == ENGINE_INDEX_NONE)
            continue;
        thread_leave(admission, index, MEMBER_LEFT);
        applicant_reset(&admission->applicants[index]);
        admission->applicants[index].suspended = admission->applicants[index].resumes = true;
    }
}

void admission_resume(struct admission *admission, int64_t now_ns)
{
    const int limit = roster_limit(discovery_roster(admission->parts->discovery));

    for (int index = 0; index < limit; index++) {
        struct applicant *applicant = &admission->applicants[index];
        if (!applicant->suspended)
            continue;
        applicant->suspended = false;
        if (applicant->resumes)
            (void)!thread_take(admission, index, now_ns);
        else
            worker_joined(admission, index);
    }
    admission->at = 0;
    if (is_guarded(admission))
        (void)workers_take(admission, INT64_MAX);
    shortfall_note(admission);
}

/* ---- views ---- */

const char *admission_fault(const struct admission *admission)
{
    const char *fault = parts_fault(admission->parts);

    if (!fault)
        fault = fault_text(&admission->fault);
    return fault ? fault : members_fault(admission->members);
}

int admission_thread(const struct admission *admission, int engine_index, struct job_thread *thread)
{
    if (engine_index < 0 || engine_index >= admission->parts->policy.threads_max ||
        !admission->balanced[engine_index].used)
        return -ENOENT;
    *thread = admission->balanced[engine_index].thread;
    return 0;
}

bool admission_is_guarded(const struct admission *admission)
{
    return admission->guarded;
}

const struct shortfall *admission_shortfall(const struct admission *admission)
{
    return &admission->shortfall;
}

const struct program_times *admission_times(const struct admission *admission)
{
    return tally_times(admission->tally);
}

const struct members *admission_members(struct admission *admission)
{
    for (int engine_index = 0; admission->parts->engine && engine_index < admission->engine_limit;
         engine_index++)
        if (admission->balanced[engine_index].used)
            member_refresh(admission, engine_index);
    return admission->members;
}
