/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/workers_state.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

static int pattern_copy(const char *pattern, char **copy)
{
    if (!pattern)
        return 0;
    *copy = strdup(pattern);
    return *copy ? 0 : -ENOMEM;
}

int workers_create(const struct workers_options *options, struct workers **workers)
{
    size_t candidates_size = sizeof(struct candidate) * (size_t)options->threads_max;
    struct workers *created = calloc(1, sizeof(*created) + candidates_size);

    if (!created)
        return -ENOMEM;
    created->expected = options->expected;
    created->idle = options->idle;
    created->threads_max = options->threads_max;
    created->sorted = calloc((size_t)options->threads_max, sizeof(*created->sorted));
    if (!created->sorted || pattern_copy(options->idle_comm, &created->idle_comm) ||
        pattern_copy(options->match, &created->match)) {
        workers_destroy(created);
        return -ENOMEM;
    }
    *workers = created;
    return 0;
}

void workers_destroy(struct workers *workers)
{
    if (!workers)
        return;
    free(workers->sorted);
    free(workers->match);
    free(workers->idle_comm);
    free(workers);
}

const char *workers_fault(const struct workers *workers)
{
    return fault_text(&workers->fault);
}

static bool index_holds(struct workers *workers, int index)
{
    return HOLDS(&workers->fault, index >= 0 && index < workers->threads_max);
}

/* ---- what is known of a thread ---- */

static bool comm_matches(const struct workers *workers, const char *comm)
{
    if (workers->match && fnmatch(workers->match, comm, 0) != 0)
        return false;
    return !workers->idle_comm || fnmatch(workers->idle_comm, comm, 0) != 0;
}

void workers_renamed(struct workers *workers, int index, const struct thread_info *info)
{
    struct candidate *candidate = &workers->candidates[index];

    candidate->matches = comm_matches(workers, info->comm.untrusted);
    candidate->comm = info->comm;
}

void workers_arrived(struct workers *workers, int index, const struct thread_info *info,
                     int64_t age_ns, int64_t now_ns)
{
    struct candidate *candidate = &workers->candidates[index];

    if (!index_holds(workers, index) || !HOLDS(&workers->fault, !candidate->present))
        return;
    *candidate = (struct candidate){
        .present = true,
        .pid = info->id.pid,
        .number = workers->arrivals_count++,
    };
    demand_begin(&candidate->demand, info, age_ns, now_ns);
    workers_renamed(workers, index, info);
    workers->arrived_ns = now_ns;
    if (index >= workers->limit)
        workers->limit = index + 1;
}

void workers_exited(struct workers *workers, int index)
{
    struct candidate *candidate = &workers->candidates[index];

    if (!index_holds(workers, index))
        return;
    work_end(workers, candidate);
    *candidate = (struct candidate){0};
}

void workers_refuse(struct workers *workers, int index)
{
    struct candidate *candidate = &workers->candidates[index];

    if (!index_holds(workers, index))
        return;
    candidate->refused = true;
    work_end(workers, candidate);
}

void workers_observe(struct workers *workers, int index, const struct thread_info *info,
                     int64_t now_ns)
{
    struct demand *demand = &workers->candidates[index].demand;

    if (demand_see(demand, info, workers->arrived_ns, now_ns))
        workers->busy_since_ns = now_ns;
}

/* ---- decisions ---- */

static bool may_rise(const struct workers *workers, const struct candidate *candidate)
{
    return may_work(candidate) &&
           (candidate->demand.rising || (candidate->demand.in_line && workers->gathering));
}

static int count_of(const struct workers *workers,
                    bool (*is)(const struct workers *, const struct candidate *))
{
    int count = 0;

    for (int i = 0; i < workers->limit; i++)
        count += is(workers, &workers->candidates[i]);
    return count;
}

static bool are_alike(const struct candidate *left, const struct candidate *right)
{
    return left->pid == right->pid && !strcmp(left->comm.untrusted, right->comm.untrusted);
}

/* When the threads that want to work will be a team, if they go on; INT64_MAX: they are none.
 * Launchers are other processes, helpers mostly have other names, and both pause soon. */
static int64_t team_ns(const struct workers *workers)
{
    const struct candidate *first = NULL;
    int64_t team_ns = INT64_MIN;

    for (int i = 0; i < workers->limit; i++) {
        const struct candidate *candidate = &workers->candidates[i];
        if (!wants_work(workers, candidate))
            continue;
        first = first ? first : candidate;
        if (!are_alike(first, candidate))
            return INT64_MAX;
        team_ns = max_i64(team_ns, demand_unbroken_ns(&candidate->demand));
    }
    return count_of(workers, may_rise) == 0 ? team_ns : INT64_MAX;
}

static bool is_complete(const struct workers *workers, int64_t now_ns)
{
    int count = count_of(workers, wants_work);

    if (workers->idle >= 0 && count < workers->expected + workers->idle)
        return false;
    if (workers->idle == 0 && workers->expected > 0)
        return true;
    if (workers->idle >= 0)
        return count > workers->idle && now_ns - workers->arrived_ns >= WORKERS_SETTLE_NS;
    bool settled = now_ns - workers->busy_since_ns >= WORKERS_SETTLE_NS;
    if (workers->expected == 0)
        return count > 1 && (settled || team_ns(workers) <= now_ns);
    if (count >= workers->expected)
        return settled || count_of(workers, may_rise) == 0;
    return count > 1 && now_ns - workers->arrived_ns >= WORKERS_PATIENCE_NS;
}

/* Sets aside the threads with the least demand since all were there: until then the thread that
 * creates the others works, too. Of equal ones the lowest index is set aside. */
static void helpers_set_aside(struct workers *workers)
{
    int count = 0;

    for (int i = 0; i < workers->limit; i++)
        if (may_work(&workers->candidates[i]))
            workers->sorted[count++] = (struct sort_item){
                demand_since_settled(&workers->candidates[i].demand), i};
    sort_items(workers->sorted, count);
    for (int i = 0; i < workers->idle && i < count; i++)
        workers->candidates[workers->sorted[i].index].helper = true;
}

void workers_decide(struct workers *workers, int64_t now_ns,
                    const struct workers_listener *listener)
{
    if (!workers->complete) {
        workers->gathering = now_ns - workers->arrived_ns < WORKERS_PATIENCE_NS &&
                             count_of(workers, wants_work) > 0;
        if (!is_complete(workers, now_ns))
            return;
        helpers_set_aside(workers);
        workers->complete = true;
    }
    workers_idle_leave(workers, now_ns, listener);
    workers_busy_join(workers, now_ns, listener);
    (void)HOLDS(&workers->fault, workers->working_count <= workers->limit);
}

/* ---- views ---- */

static bool is_named(const struct workers *workers, const struct candidate *candidate)
{
    (void)workers;
    return candidate->present && candidate->matches;
}

int workers_named(const struct workers *workers)
{
    return count_of(workers, is_named);
}

int workers_wanting(const struct workers *workers)
{
    return count_of(workers, wants_work);
}

bool workers_rising(const struct workers *workers)
{
    return !workers->complete && count_of(workers, may_rise) > 0;
}

bool workers_missing(const struct workers *workers)
{
    return !workers->complete && workers->gathering && workers->idle < 0 &&
           count_of(workers, wants_work) < workers->expected;
}

/* When the last rising thread will count as busy; INT64_MAX: there is none. */
static int64_t risen_ns(const struct workers *workers)
{
    int64_t last_ns = INT64_MIN;

    for (int i = 0; i < workers->limit; i++)
        if (may_rise(workers, &workers->candidates[i]))
            last_ns = max_i64(last_ns, demand_due_ns(&workers->candidates[i].demand));
    return last_ns == INT64_MIN ? INT64_MAX : last_ns;
}

static int64_t settled_ns(const struct workers *workers)
{
    const int count = count_of(workers, wants_work);

    if (count < 2)
        return INT64_MAX;
    if (workers->idle >= 0)
        return workers->arrived_ns + WORKERS_SETTLE_NS;
    if (workers->expected == 0)
        return min_i64(team_ns(workers), workers->busy_since_ns + WORKERS_SETTLE_NS);
    if (count >= workers->expected)
        return workers->busy_since_ns + WORKERS_SETTLE_NS;
    return workers->arrived_ns + WORKERS_PATIENCE_NS;
}

int64_t workers_due_ns(const struct workers *workers)
{
    if (workers->complete)
        return INT64_MAX;
    return min_i64(risen_ns(workers), settled_ns(workers));
}

bool workers_complete(const struct workers *workers)
{
    return workers->complete;
}
