/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that randomly run, wait in the run queue and sleep. Their counters change as the
 * kernel's do: a run is counted at ticks and when it ends, a wait when it ends. */
#include "tests/lib/chance.h"

#include "libjuggle/job/demand.h"

#include <string.h>

#define MS      NSEC_PER_MSEC
#define TICK_NS (4 * MS)

enum doing { SLEEPS, RUNS, STANDS_IN_LINE };

static struct {
    enum doing doing;
    int64_t born_ns, now_ns, since_ns;
    int64_t counted_ns; /* the run is counted up to this time */
    struct thread_info info;
} thread;

static void begin(void)
{
    const int64_t born_ns = between(1, 100 * NSEC_PER_SEC);

    memset(&thread, 0, sizeof(thread));
    thread.born_ns = thread.now_ns = thread.since_ns = thread.counted_ns = born_ns;
}

static void count(int64_t now_ns)
{
    if (thread.doing == RUNS)
        thread.info.run_ns += now_ns - thread.counted_ns;
    thread.counted_ns = now_ns;
}

static void go_on_with(enum doing doing)
{
    count(thread.now_ns);
    if (thread.doing == STANDS_IN_LINE)
        thread.info.wait_ns += thread.now_ns - thread.since_ns;
    thread.doing = doing;
    thread.since_ns = thread.now_ns;
    thread.info.runnable = doing != SLEEPS;
}

/* Time passes; the run is counted up to the last tick. */
static void pass(int64_t for_ns)
{
    thread.now_ns += for_ns;
    const int64_t tick_ns = thread.now_ns / TICK_NS * TICK_NS;
    if (tick_ns > thread.counted_ns)
        count(tick_ns);
}

static void check(const struct demand *demand)
{
    const int64_t life_ns = thread.now_ns - thread.born_ns;

    ALWAYS(demand->total_ns >= 0 && demand->total_ns <= life_ns);
    ALWAYS(demand_since_settled(demand) >= 0);
    ALWAYS(demand_until_quiet(demand) >= 0);
    ALWAYS(demand_since_arrival(demand) >= demand_until_quiet(demand));
    ALWAYS(demand_due_ns(demand) <= demand->seen_ns + DEMAND_EVIDENCE_NS);
    ALWAYS(!demand->busy || !(demand->rising || demand->in_line));
    ALWAYS(!demand->busy || !demand_is_quiet_for(demand, DEMAND_PAUSE_NS, thread.now_ns));
}

/* The thread goes on with what it does, and is looked at now and then. */
static void look_for(struct demand *demand, int64_t for_ns, int64_t most_ns)
{
    const int64_t until_ns = thread.now_ns + for_ns;

    while (thread.now_ns < until_ns) {
        const struct demand before = *demand;
        pass(between(1, most_ns));
        const bool begun = demand_see(demand, &thread.info, thread.born_ns, thread.now_ns);
        ALWAYS(begun == (demand->busy && !before.busy));
        ALWAYS(demand->total_ns >= before.total_ns);
        check(demand);
    }
}

static int64_t some_interval_ns(void)
{
    return one_in(3) ? 200 * MS : 20 * MS;
}

static void arrive(struct demand *demand)
{
    begin();
    go_on_with((enum doing)below(3));
    pass(one_in(2) ? below(40 * MS) : below(10 * NSEC_PER_SEC));
    /* The thread is known to be younger than this age. */
    const int64_t age_ns = one_in(4) ? INT64_MAX : thread.now_ns - thread.born_ns;
    demand_begin(demand, &thread.info, age_ns, thread.now_ns);
    check(demand);
}

static void live(void)
{
    struct demand demand;

    arrive(&demand);
    for (int i = 0; i < 20; i++) {
        const bool slept = thread.doing == SLEEPS;
        go_on_with(slept ? STANDS_IN_LINE : (enum doing)below(3));
        look_for(&demand, below(one_in(4) ? 10 * NSEC_PER_SEC : 100 * MS), some_interval_ns());
    }
    go_on_with(one_in(2) ? RUNS : STANDS_IN_LINE);
    look_for(&demand, 500 * MS, thread.doing == RUNS ? some_interval_ns() : DEMAND_EVIDENCE_NS);
    ALWAYS(demand.busy);
    ALWAYS(!demand_is_quiet_for(&demand, DEMAND_PAUSE_NS, thread.now_ns));
    go_on_with(SLEEPS);
    const int64_t slept_ns = thread.now_ns;
    look_for(&demand, 700 * MS, 200 * MS);
    ALWAYS(!demand.busy && !demand.rising && !demand.in_line);
    ALWAYS(demand_is_quiet_for(&demand, thread.now_ns - slept_ns - 400 * MS, thread.now_ns));
}

START_TEST(nobody_demands_more_than_there_is_and_whoever_goes_on_is_busy)
{
    live_with_seeds(3000, live);
}

SUITE("demand")
