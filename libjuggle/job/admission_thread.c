/* SPDX-License-Identifier: BSD-3-Clause */
/* One thread: how it is taken into the engine, let go of, reported and checked. */
#include "libjuggle/job/admission_thread.h"

#include <errno.h>

/* How soon a thread is tried again that the program has bound, perhaps for a moment only. */
#define RETRY_INTERVAL_NS (10 * NSEC_PER_MSEC)
/* Telling a pin from a small cpuset takes six files. So attempts take no more than this share of a
 * processor, and many threads are looked at less often. */
enum { RETRY_SHARE_PPM = SHARE_ALL_PPM / 10 };

/* ---- one thread ---- */

void admission_tell(const struct admission *admission, enum job_news news,
                    const struct thread_info *info)
{
    if (admission->listener.told)
        admission->listener.told(admission->listener.context, news, info);
}

const struct thread_info *admission_thread_at(const struct admission *admission, int index)
{
    return roster_thread(discovery_roster(admission->parts->discovery), index);
}

static void thread_leave_alone(struct admission *admission, int index, enum job_news news)
{
    applicant_reset(&admission->applicants[index]);
    workers_refuse(admission->parts->workers, index);
    admission_tell(admission, news, admission_thread_at(admission, index));
}

static void thread_leave_pinned(struct admission *admission, int index)
{
    admission->shortfall.pinned_count++;
    thread_leave_alone(admission, index, JOB_THREAD_PINNED);
}

static void thread_leave_claimed(struct admission *admission, int index)
{
    admission->shortfall.claimed_count++;
    thread_leave_alone(admission, index, JOB_THREAD_CLAIMED);
}

static void thread_refuse(struct admission *admission, int index, int error)
{
    shortfall_refuse(&admission->shortfall, error);
    thread_leave_alone(admission, index,
                       error == -EMFILE ? JOB_THREAD_STARVED : JOB_THREAD_REFUSED);
}

/* Enters a thread that the world knows by engine_index already. */
static void thread_enter(struct admission *admission, int index, int engine_index)
{
    const struct parts *parts = admission->parts;
    const struct thread_info *info = admission_thread_at(admission, index);

    (void)HOLDS(&admission->fault, !admission->balanced[engine_index].used);
    (void)HOLDS(&admission->fault, admission->applicants[index].engine_index == ENGINE_INDEX_NONE);
    const int member = members_join(admission->members, info, admission->applicants[index].member);
    admission->engine_limit = (int)max_i64(admission->engine_limit, engine_index + 1);
    admission->applicants[index] = (struct applicant){.engine_index = engine_index,
                                                      .member = member};
    admission->balanced[engine_index] = (struct balanced){
        .used = true,
        .index = index,
        .thread = {.pid = info->id.pid, .tid = info->id.tid, .comm = info->comm, .cpu = -1},
    };
    if (parts->follow)
        follow_arrived(parts->follow, engine_index, info->id.pid);
    engine_thread_arrived(parts->engine, engine_index, memory_home(parts->memory, info->id.pid));
}

static bool placed_for_long(struct admission *admission, int index, int64_t now_ns)
{
    return applicant_placed_for_long(&admission->applicants[index],
                                     admission_thread_at(admission, index)->run_ns, now_ns);
}

/* Refuses the thread when it has been placed for long; until then it is tried again. */
static void thread_placed(struct admission *admission, int index, int64_t now_ns)
{
    if (placed_for_long(admission, index, now_ns))
        thread_leave_pinned(admission, index);
    else
        admission->retry_ns = min_i64(admission->retry_ns, now_ns + RETRY_INTERVAL_NS);
}

bool admission_may_take(struct admission *admission, pid_t pid)
{
    struct claims *claims = admission->parts->claims;
    struct claim other;

    claims_outdate(claims);
    if (claims_take(claims, pid, &other) == -EBUSY)
        return false;
    claims_drop(claims, pid);
    return true;
}

static void attach_failed(struct admission *admission, int index, int error, int64_t now_ns)
{
    if (error == -EBUSY)
        thread_placed(admission, index, now_ns);
    else if (error != -ESRCH)
        thread_refuse(admission, index, error);
}

/* A process that was allowed may have executed a set-user-ID program since then. */
bool thread_is_allowed(struct admission *admission, int index, const struct thread_info *info)
{
    if (ownership_allows(&admission->ownership, info))
        return true;
    workers_refuse(admission->parts->workers, index);
    thread_release(admission, index, info, MEMBER_LEFT);
    return false;
}

/* True if it is balanced from now on. */
bool thread_take(struct admission *admission, int index, int64_t now_ns)
{
    const struct parts *parts = admission->parts;
    const struct thread_info *info = admission_thread_at(admission, index);
    struct claim other;
    int engine_index;

    if (!HOLDS(&admission->fault, info) ||
        !HOLDS(&admission->fault, admission->applicants[index].engine_index == ENGINE_INDEX_NONE))
        return false;
    if (!thread_is_allowed(admission, index, info))
        return false;
    const struct thread_id *id = &info->id;
    int error = claims_take(parts->claims, id->pid, &other);
    if (error == -EBUSY)
        thread_leave_claimed(admission, index);
    else if (error)
        thread_refuse(admission, index, error);
    if (error)
        return false;
    if (engine_thread_reserve(parts->engine, &engine_index)) {
        claims_drop(parts->claims, id->pid);
        return false; /* the roster is no larger than the engine */
    }
    error = world_attach(parts->world, engine_index, id);
    if (!error) {
        thread_enter(admission, index, engine_index);
        return true;
    }
    engine_thread_exited(parts->engine, engine_index);
    claims_drop(parts->claims, id->pid);
    attach_failed(admission, index, error, now_ns);
    return false;
}

void thread_admit(struct admission *admission, int index, int64_t now_ns)
{
    if (!thread_take(admission, index, now_ns))
        return;
    admission->shortfall.balanced_count++;
    admission_tell(admission, JOB_THREAD_JOINED, admission_thread_at(admission, index));
}

void member_refresh(struct admission *admission, int engine_index)
{
    const struct parts *parts = admission->parts;
    const int index = admission->balanced[engine_index].index;
    struct thread_view view;

    if (!HOLDS(&admission->fault, admission->balanced[engine_index].used))
        return;
    if (engine_thread(parts->engine, engine_index, &view))
        return;
    const int cpu = view.processor < 0 ? -1 : parts->machine->processors[view.processor].os_index;
    members_update(admission->members, admission->applicants[index].member, &view, cpu);
}

void thread_leave(struct admission *admission, int index, enum member_state state)
{
    const struct parts *parts = admission->parts;
    const int engine_index = admission->applicants[index].engine_index;

    /* If the index is another thread's, that one is not to get the mask that this one is owed. */
    if (!HOLDS(&admission->fault, engine_index >= 0 && engine_index < admission->engine_limit) ||
        !HOLDS(&admission->fault, admission->balanced[engine_index].used) ||
        !HOLDS(&admission->fault, admission->balanced[engine_index].index == index))
        return;
    member_refresh(admission, engine_index);
    members_leave(admission->members, admission->applicants[index].member, state);
    engine_thread_exited(parts->engine, engine_index);
    if (world_detach(parts->world, engine_index))
        admission_tell(admission, JOB_THREAD_STUCK, admission_thread_at(admission, index));
    claims_drop(parts->claims, admission->balanced[engine_index].thread.pid);
    if (parts->follow)
        follow_left(parts->follow, engine_index);
    admission->balanced[engine_index].used = false;
}

void thread_release(struct admission *admission, int index, const struct thread_info *info,
                    enum member_state state)
{
    struct applicant *applicant = &admission->applicants[index];
    const bool balanced = applicant->engine_index >= 0;

    if (balanced) {
        thread_leave(admission, index, state);
    } else if (state == MEMBER_ENDED) {
        admission->shortfall.passing_count += applicant_seems_placed(applicant);
        members_end(admission->members, applicant->member, &info->id);
    }
    applicant_reset(applicant);
    if (balanced)
        admission_tell(admission, JOB_THREAD_LEFT, info);
}

/* ---- threads that the program places itself ---- */

/* Finds out whether juggle or the program has set the mask last, and whether the cpuset still
 * allows it, because a change of the cpuset undoes masks of ours. The world moves no thread that
 * the program has pinned; whether it is pinned for good shows later. */
static void thread_check(struct admission *admission, int engine_index, int64_t now_ns)
{
    const int index = admission->balanced[engine_index].index;
    enum affinity_owner owner;

    if (!HOLDS(&admission->fault, admission->applicants[index].engine_index == engine_index) ||
        !thread_is_allowed(admission, index, admission_thread_at(admission, index)) ||
        world_check(admission->parts->world, engine_index, &owner))
        return;
    if (owner != AFFINITY_PROGRAM) {
        admission->applicants[index].placed_ns = 0;
    } else if (placed_for_long(admission, index, now_ns)) {
        thread_release(admission, index, admission_thread_at(admission, index), MEMBER_LEFT);
        thread_leave_pinned(admission, index);
    }
}

bool admission_check(struct admission *admission, int64_t now_ns, int64_t until_ns)
{
    if (!HOLDS(&admission->fault, admission->checked >= 0))
        return true;
    while (admission->checked < admission->engine_limit) {
        const int engine_index = admission->checked++;
        if (!admission->balanced[engine_index].used)
            continue;
        thread_check(admission, engine_index, now_ns);
        if (clock_is_past(until_ns))
            return false;
    }
    admission->checked = 0;
    return true;
}

/* Attaches the thread only if it is not pinned: by now its mask could be taken for one of juggle's
 * that was inherited. */
static void thread_retry(struct admission *admission, int index, int64_t now_ns)
{
    if (world_is_unpinned(admission->parts->world, &admission_thread_at(admission, index)->id))
        thread_admit(admission, index, now_ns);
    else
        thread_placed(admission, index, now_ns);
}

/* True when all were tried. */
static bool threads_retry(struct admission *admission, int64_t now_ns, int64_t until_ns)
{
    const int limit = roster_limit(discovery_roster(admission->parts->discovery));

    if (!HOLDS(&admission->fault, admission->retried >= 0))
        return true;
    while (admission->retried < limit) {
        const int index = admission->retried++;
        if (!applicant_is_held_up(&admission->applicants[index]))
            continue;
        thread_retry(admission, index, now_ns);
        if (clock_is_past(until_ns))
            return false;
    }
    return true;
}

void admission_retry(struct admission *admission, int64_t now_ns, int64_t until_ns)
{
    if (admission->retried == 0)
        admission->retry_ns = INT64_MAX;
    allowance_resume(&admission->retries, now_ns, clock_spent_ns());
    if (threads_retry(admission, now_ns, until_ns))
        admission->retried = 0;
    else
        admission->retry_ns = now_ns;
    allowance_end(&admission->retries, clock_spent_ns());
}

int64_t admission_next_ns(const struct admission *admission)
{
    return max_i64(admission->retry_ns, allowance_due_ns(&admission->retries, RETRY_SHARE_PPM));
}
