/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The shortest of the domains' periods. */
static int64_t period_ns(const struct parts *parts)
{
    int64_t shortest_ns = engine_period_ns(parts->engine, 0);

    for (int domain = 1; domain < parts->machine->domains_count; domain++)
        shortest_ns = min_i64(shortest_ns, engine_period_ns(parts->engine, domain));
    return shortest_ns;
}

/* The speeds that the policy has learned; if it has learned none, or there is no memory to read
 * them, the speeds that it was told. */
static void take_speeds(struct summary *summary, const struct parts *parts,
                        struct job_statistics *statistics)
{
    struct machine *now = malloc(sizeof(*now)); /* 24 KB */
    const bool learned = now && engine_machine(parts->engine, now);

    memcpy(summary->speeds, parts->capacity.speeds, sizeof(summary->speeds));
    if (learned)
        capacity_describe(now, summary->speeds);
    statistics->capacity = learned ? "learned" : parts->capacity.source;
    statistics->speeds = summary->speeds;
    statistics->unequal = machine_unequal(now ? now : parts->machine);
    free(now);
}

void job_statistics_add(struct job_statistics *statistics, const struct job_statistics *past)
{
    statistics->rounds_count += past->rounds_count;
    statistics->migrations_count += past->migrations_count;
    statistics->moves_failed_count += past->moves_failed_count;
    for (int i = 0; i < MOVE_ERRORS_MAX && past->failures.kinds[i].error; i++)
        move_failures_add(&statistics->failures, past->failures.kinds[i].error,
                          past->failures.kinds[i].count);
    statistics->balancers_cpu_ns += past->balancers_cpu_ns;
    statistics->spin.samples_count += past->spin.samples_count;
    statistics->spin.spinning_count += past->spin.spinning_count;
    statistics->spin.nudges_count += past->spin.nudges_count;
    statistics->spin.caught_count += past->spin.caught_count;
    statistics->spin.slept_ns += past->spin.slept_ns;
    if (!statistics->spin.place.untrusted[0])
        statistics->spin.place = past->spin.place;
    for (int reason = 0; reason < PERIOD_REASONS_COUNT; reason++) {
        statistics->choice.turns_count[reason] += past->choice.turns_count[reason];
        statistics->choice.time_ns[reason] += past->choice.time_ns[reason];
    }
}

void summary_carry(struct summary *summary)
{
    summary->past = summary->statistics;
}

static bool tell_shortfall(struct summary *summary, const struct admission *admission)
{
    const char *fault = admission_fault(admission);

    if (!fault)
        return shortfall_tell(admission_shortfall(admission), summary->shortfall);
    snprintf(summary->shortfall, sizeof(summary->shortfall),
             "balancing ended because an internal check failed (%s)", fault);
    return true;
}

void summary_take(struct summary *summary, const struct parts *parts, struct admission *admission,
                  int64_t waited_ns)
{
    const struct members *members = admission_members(admission);
    const struct members_unlisted unlisted = members_unlisted(members);
    const bool short_of = tell_shortfall(summary, admission);
    struct engine_statistics engine;
    struct balancers_statistics balancers;
    struct spinners_statistics spin;

    engine_statistics(parts->engine, &engine);
    balancers_statistics(parts->balancers, &balancers);
    spinners_statistics(parts->spinners, &spin);
    priority_format(&balancers.priority, summary->priority, sizeof(summary->priority));
    snprintf(summary->source, sizeof(summary->source), "%s",
             progress_name(world_progress(parts->world)));
    summary->statistics = (struct job_statistics){
        .threads_count = summary_threads(summary, members, NULL, 0),
        .processors_count = parts->machine->processors_count,
        .domains_count = parts->machine->domains_count,
        .source = summary->source,
        .balancers_count = balancers.threads_count,
        .priority = summary->priority,
        .policy = parts->policy.kind,
        .waited_ns = waited_ns,
        .period_ns = period_ns(parts),
        .period_min_ns = balancers.period_min_ns,
        .period_median_ns = balancers.period_median_ns,
        .period_max_ns = balancers.period_max_ns,
        .choice = engine.choice,
        .rounds_count = engine.rounds_count,
        .migrations_count = engine.migrations_count,
        .moves_failed_count = engine.moves_failed_count,
        .failures = engine.failures,
        .balancers_cpu_ns = balancers.own_cpu_ns,
        .spin = spin,
        .shortfall = short_of ? summary->shortfall : NULL,
        .times = *admission_times(admission),
        .threads_dropped = unlisted.count,
        .dropped_progress_ns = unlisted.progress_ns,
    };
    spinners_account(parts->spinners, &summary->account);
    job_statistics_add(&summary->statistics, &summary->past);
    take_speeds(summary, parts, &summary->statistics);
}

static struct job_thread member_thread(const struct member *member,
                                       const struct work_account *account)
{
    const struct thread_view *view = &member->view;

    return (struct job_thread){
        .pid = member->id.pid,
        .tid = member->id.tid,
        .comm = member->comm,
        .cpu = member->cpu,
        .ended = member->state == MEMBER_ENDED,
        .state = view->state,
        .progress_ns = view->progress_ns,
        .run_ns = view->run_ns,
        .wait_ns = view->wait_ns,
        .blocked_ns = view->blocked_ns,
        .slices_count = view->slices_count,
        .work_share = work_account_share(account, &member->id),
    };
}

int summary_threads(const struct summary *summary, const struct members *members,
                    struct job_thread *threads, int threads_max)
{
    const struct members_unlisted unlisted = members_unlisted(members);
    int count = 0;

    for (int i = 0; i < members_limit(members); i++) {
        if (!members_is_listed(members, &unlisted, i))
            continue;
        if (count < threads_max)
            threads[count] = member_thread(members_get(members, i), &summary->account);
        count++;
    }
    return count;
}
