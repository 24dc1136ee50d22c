/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/demand.h"

/* The kernel counts a run at the next tick, and a wait when it ends. So a thread that two looks in
 * quick succession have found awake is taken to have been awake all the time between them. */
static int64_t inferred_ns(const struct demand *demand, bool awake, int64_t now_ns)
{
    const int64_t elapsed_ns = max_i64(0, now_ns - demand->seen_ns);

    return awake && demand->awake_ns <= now_ns && elapsed_ns <= DEMAND_EVIDENCE_NS ? elapsed_ns : 0;
}

static void note(struct demand *demand, const struct thread_info *info, int64_t now_ns)
{
    const int64_t total_ns = demand->total_ns + inferred_ns(demand, info->runnable, now_ns);

    demand->total_ns = max_i64(info->run_ns + info->wait_ns, total_ns);
    demand->run_ns = info->run_ns;
    demand->awake_ns = info->runnable ? min_i64(demand->awake_ns, now_ns) : INT64_MAX;
    demand->seen_ns = now_ns;
}

static struct demand_span span_begin(const struct demand *demand, int64_t now_ns)
{
    return (struct demand_span){.began_ns = now_ns, .total_ns = demand->total_ns};
}

/* A runnable thread whose counters stood still has waited all the time. */
static int64_t span_demand(const struct demand_span *span, const struct demand *demand,
                           bool runnable, int64_t now_ns)
{
    const int64_t counted_ns = demand->total_ns - span->total_ns;

    return counted_ns == 0 && runnable ? max_i64(0, now_ns - span->began_ns) : counted_ns;
}

void demand_begin(struct demand *demand, const struct thread_info *info, int64_t age_ns,
                  int64_t now_ns)
{
    const bool young = age_ns < DEMAND_WINDOW_NS;

    *demand = (struct demand){.rising = true, .seen_ns = now_ns, .awake_ns = INT64_MAX};
    if (young)
        demand->window = span_begin(demand, now_ns - age_ns);
    note(demand, info, now_ns);
    if (!young) {
        demand->window = span_begin(demand, now_ns);
        demand->arrived_run_ns = demand->run_ns;
        demand->arrived_total_ns = demand->total_ns;
    }
    demand->quiet = demand->window;
    demand->known_ns = demand->window.began_ns;
}

/* Awake at every look for a whole window: it runs, or waits in a run queue. */
static bool is_awake_throughout(const struct demand *demand, int64_t now_ns)
{
    return demand->awake_ns != INT64_MAX && now_ns - demand->awake_ns >= DEMAND_WINDOW_NS;
}

/* True if the thread has become busy. */
static bool window_judge(struct demand *demand, bool runnable, int64_t now_ns)
{
    const int64_t uncounted_ns = runnable ? max_i64(0, now_ns - demand->known_ns) : 0;
    const int64_t elapsed_ns = now_ns - demand->window.began_ns;
    const int64_t demand_ns = span_demand(&demand->window, demand, runnable, now_ns);
    const bool demands = (double)demand_ns >= DEMAND_SHARE_MIN * (double)elapsed_ns;
    const bool ran = demand->run_ns - demand->arrived_run_ns >= DEMAND_RUN_MIN_NS;
    const bool proven = demand_ns >= DEMAND_EVIDENCE_NS &&
                        (ran || is_awake_throughout(demand, now_ns));
    const bool was_busy = demand->busy;

    if (elapsed_ns >= DEMAND_WINDOW_NS) {
        demand->busy = demands && proven;
        demand->window = span_begin(demand, now_ns);
    } else if (demands && proven) {
        demand->busy = true;
    }
    demand->rising = demands && !demand->busy;
    demand->in_line = !demands && !demand->busy &&
                      (double)(demand_ns + uncounted_ns) >= DEMAND_SHARE_MIN * (double)elapsed_ns;
    demand->known_ns = now_ns;
    return demand->busy && !was_busy;
}

/* A busy thread is never quiet: its demand may be a small share of the time only because of a long
 * pause before. */
static void quiet_judge(struct demand *demand, bool runnable, int64_t now_ns)
{
    const int64_t demand_ns = span_demand(&demand->quiet, demand, runnable, now_ns);
    const int64_t elapsed_ns = max_i64(now_ns - demand->quiet.began_ns, DEMAND_PAUSE_NS);

    if (demand->busy || (double)demand_ns > DEMAND_SHARE_IDLE * (double)elapsed_ns)
        demand->quiet = span_begin(demand, now_ns);
}

bool demand_see(struct demand *demand, const struct thread_info *info, int64_t arrived_ns,
                int64_t now_ns)
{
    /* A thread that executes a program gets the number of the first thread of its process, but has
     * its own counters. */
    if (info->run_ns < demand->run_ns)
        demand_begin(demand, info, INT64_MAX, now_ns);
    note(demand, info, now_ns);
    if (demand->settled.began_ns <= arrived_ns)
        demand->settled = span_begin(demand, now_ns);
    const bool begun = window_judge(demand, info->runnable, now_ns);
    quiet_judge(demand, info->runnable, now_ns);
    return begun;
}

int64_t demand_due_ns(const struct demand *demand)
{
    return demand->seen_ns + DEMAND_EVIDENCE_NS - (demand->total_ns - demand->window.total_ns);
}

int64_t demand_unbroken_ns(const struct demand *demand)
{
    return demand->awake_ns == INT64_MAX ? INT64_MAX : demand->awake_ns + DEMAND_EVIDENCE_NS;
}

bool demand_is_quiet_for(const struct demand *demand, int64_t duration_ns, int64_t now_ns)
{
    return now_ns - demand->quiet.began_ns >= duration_ns;
}

int64_t demand_since_arrival(const struct demand *demand)
{
    return demand->total_ns - demand->arrived_total_ns;
}

int64_t demand_since_settled(const struct demand *demand)
{
    return demand->total_ns - demand->settled.total_ns;
}

int64_t demand_until_quiet(const struct demand *demand)
{
    return demand->quiet.total_ns - demand->arrived_total_ns;
}
