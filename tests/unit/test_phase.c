/* SPDX-License-Identifier: BSD-3-Clause */
/* What samples tell about barriers: when they opened, and how far every thread has come since. */
#include "tests/lib/suite.h"

#include "libjuggle/policy/opening.h"
#include "libjuggle/policy/phase.h"
#include "libjuggle/policy/slots.h"
#include "libjuggle/policy/telling.h"

#include <string.h>

enum { THREADS_COUNT = 3, PROCESSORS_COUNT = 2 };

#define MS    NSEC_PER_MSEC
#define AWAKE SAMPLE_RUNNABLE

/* Threads 0 and 2 share processor 0, thread 1 has processor 1 to itself. */
static struct {
    struct policy *policy;
    struct sample totals[THREADS_COUNT];
    struct move moves[THREADS_COUNT];
    struct plan plan;
    int64_t now_ns;
} bench;

static void send(enum event_type type, int subject)
{
    const struct event event = {.type = type,
                                .subject = subject,
                                .domain = type == EVENT_PERIOD ? 0 : -1,
                                .now_ns = bench.now_ns,
                                .samples = bench.totals,
                                .samples_count = type == EVENT_PERIOD ? THREADS_COUNT : 0};

    policy_step(bench.policy, &event, &bench.plan);
}

static void bench_setup(void)
{
    const struct policy_options options = {.kind = POLICY_STATIC, .threads_max = THREADS_COUNT};
    struct machine machine;

    free(bench.policy);
    memset(&bench, 0, sizeof(bench));
    bench.now_ns = NSEC_PER_SEC;
    bench.plan = (struct plan){.moves = bench.moves, .moves_max = THREADS_COUNT};
    ck_assert_int_eq(machine_uniform(PROCESSORS_COUNT, 1, &machine), 0);
    void *memory = malloc((size_t)policy_footprint(&machine, &options));
    bench.policy = policy_init(memory, &machine, &options);
    for (int i = 0; i < THREADS_COUNT; i++) {
        bench.totals[i] = (struct sample){.thread = i, .processor = -1};
        send(EVENT_THREAD_ARRIVED, i);
    }
    send(EVENT_START, -1);
}

/* What a thread did in a period, and its state at the end of it. */
struct deed {
    int64_t run_ns, wait_ns;
    int slices;
    enum sample_state state;
};

static void take(int64_t period_ns, const struct deed *deeds)
{
    bench.now_ns += period_ns;
    for (int i = 0; i < THREADS_COUNT; i++) {
        struct sample *totals = &bench.totals[i];

        totals->now_ns = bench.now_ns;
        totals->run_ns += deeds[i].run_ns;
        totals->wait_ns += deeds[i].wait_ns;
        totals->slices_count += deeds[i].slices;
        totals->state = deeds[i].state;
    }
}

static void observe(void)
{
    send(EVENT_PERIOD, -1);
    slots_observe(bench.policy, &bench.policy->domains[0]);
    phase_observe(bench.policy, &bench.policy->domains[0], bench.now_ns);
}

static void live(int64_t period_ns, const struct deed *deeds)
{
    take(period_ns, deeds);
    observe();
}

static const struct juggle_domain *phase(void)
{
    return &bench.policy->domains[0].juggle;
}

static int64_t since_barrier_ns(int thread)
{
    return bench.policy->threads[thread].juggle.standing_ns - phase()->start_ns;
}

/* The first samples begin all accounts. */
static void begin(void)
{
    bench_setup();
    live(0, (struct deed[]){{.state = AWAKE}, {.state = AWAKE}, {.state = AWAKE}});
}

START_TEST(a_sleeper_tells_when_it_woke)
{
    begin();
    live(10 * MS, (struct deed[]){{5 * MS, 5 * MS, 2, AWAKE},
                                  {8 * MS, 0, 1, SAMPLE_SLEEPING},
                                  {5 * MS, 5 * MS, 2, AWAKE}});
    ck_assert_int_eq(phase()->seen_ns, 0);

    live(10 * MS, (struct deed[]){{7 * MS, 3 * MS, 2, AWAKE},
                                  {4 * MS, 0, 1, AWAKE},
                                  {3 * MS, 7 * MS, 2, AWAKE}});
    ck_assert_int_eq(phase()->seen_ns, bench.now_ns - 4 * MS);
    ck_assert_int_eq(since_barrier_ns(1), 4 * MS);
    ck_assert_int_le(since_barrier_ns(0), 4 * MS);
    ck_assert_int_le(since_barrier_ns(2), 3 * MS);
}

START_TEST(who_slept_between_two_samples_is_noticed)
{
    begin();
    live(10 * MS, (struct deed[]){{5 * MS, 5 * MS, 2, AWAKE},
                                  {7 * MS, 0, 2, AWAKE},
                                  {5 * MS, 5 * MS, 2, AWAKE}});
    /* The thread slept for 3 ms of the 10 ms: the barrier cannot have opened before. */
    ck_assert_int_ge(phase()->seen_ns, bench.now_ns - 7 * MS);
    ck_assert_int_le(since_barrier_ns(1), 7 * MS);
}

/* A thread that lost the processor waits for it, which no counter shows yet; the other thread on
 * it shows that the processor was never idle. */
START_TEST(who_was_preempted_did_not_sleep)
{
    begin();
    live(2 * MS, (struct deed[]){{MS + MS / 4, 0, 1, AWAKE},
                                 {2 * MS, 0, 1, AWAKE},
                                 {MS / 2, 3 * MS / 2, 1, AWAKE}});
    ck_assert_int_eq(phase()->seen_ns, 0);
}

/* Time that a host takes from a virtual processor is in no counter, and ends no slice. */
START_TEST(time_that_was_stolen_is_no_sleep)
{
    begin();
    live(2 * MS,
         (struct deed[]){{MS, MS, 1, AWAKE}, {2 * MS - MS / 10, 0, 1, AWAKE}, {MS, MS, 1, AWAKE}});
    ck_assert_int_eq(phase()->seen_ns, 0);

    live(2 * MS,
         (struct deed[]){{MS, MS, 1, AWAKE}, {2 * MS - MS / 10, 0, 2, AWAKE}, {MS, MS, 1, AWAKE}});
    ck_assert_int_gt(phase()->seen_ns, 0);
}

/* A thread whose slices have not changed never gave the processor back: the host took it, or an
 * interrupt did. */
START_TEST(who_ran_on_throughout_did_not_sleep)
{
    begin();
    live(2 * MS, (struct deed[]){{MS, MS, 1, AWAKE}, {MS, 0, 0, AWAKE}, {MS, MS, 1, AWAKE}});
    ck_assert_int_eq(phase()->seen_ns, 0);
}

/* Thread 2 has run on the other processor: the two threads together ran for longer than the
 * period. */
START_TEST(whom_the_kernel_took_elsewhere_does_not_hide_who_slept)
{
    begin();
    take(10 * MS, (struct deed[]){
                      {7 * MS, 0, 2, AWAKE}, {4 * MS, 6 * MS, 1, AWAKE}, {6 * MS, MS, 2, AWAKE}});
    for (int i = 0; i < THREADS_COUNT; i++)
        bench.totals[i].processor = i > 0;
    observe();
    ck_assert_int_ge(phase()->seen_ns, bench.now_ns - 7 * MS);
}

/* Thread 1, whose home is the slow processor, has run on the other one. */
START_TEST(work_counts_by_where_it_was_done)
{
    static const struct deed all_awake[] = {
        {5 * MS, 5 * MS, 2, AWAKE}, {10 * MS, 0, 0, AWAKE}, {5 * MS, 5 * MS, 2, AWAKE}};

    begin();
    bench.policy->machine.processors[1].rate = RATE_ONE / 2;
    bench.policy->domains[0].juggle.rest.open = true;
    bench.totals[1].processor = 0;
    live(10 * MS, all_awake);
    ck_assert_int_eq(bench.policy->threads[1].juggle.standing_ns, 10 * MS);
    bench.policy->domains[0].juggle.rest.open = false;
    live(10 * MS, all_awake);
    ck_assert_int_eq(bench.policy->threads[1].juggle.standing_ns, 15 * MS);
}

/* Both have slept for at least 2 ms; the rest of the time that one did not run may be a wait
 * that has not ended. */
START_TEST(sleep_is_not_taken_for_a_wait)
{
    begin();
    live(10 * MS, (struct deed[]){
                      {2 * MS, 0, 1, AWAKE}, {10 * MS, 0, 0, AWAKE}, {6 * MS, 2 * MS, 2, AWAKE}});
    ck_assert_int_eq(bench.policy->threads[0].slept_ns, 2 * MS);
    ck_assert_int_eq(bench.policy->threads[0].wait_ns, 6 * MS);
    ck_assert_int_eq(bench.policy->threads[2].wait_ns, 2 * MS);
    ck_assert_int_gt(phase()->seen_ns, 0);
}

/*
 * Since a barrier 4 ms ago thread 1 has done 4 ms of work, and the two others together as much. At
 * 8 ms it sleeps until they reach the next barrier, which takes 12 ms; 2 ms later all have done the
 * work that follows from that.
 */
START_TEST(the_instant_follows_from_what_all_have_done)
{
    begin();
    live(10 * MS, (struct deed[]){{5 * MS, 5 * MS, 2, AWAKE},
                                  {8 * MS, 0, 1, SAMPLE_SLEEPING},
                                  {5 * MS, 5 * MS, 2, AWAKE}});
    live(10 * MS, (struct deed[]){{7 * MS, 3 * MS, 2, AWAKE},
                                  {4 * MS, 0, 1, AWAKE},
                                  {3 * MS, 7 * MS, 2, AWAKE}});
    ck_assert_int_eq(phase()->seen_ns, bench.now_ns - 4 * MS);
    ck_assert_int_le(llabs(since_barrier_ns(0) + since_barrier_ns(2) - 4 * MS), 2);

    live(14 * MS, (struct deed[]){{7 * MS, 7 * MS, 2, AWAKE},
                                  {6 * MS, 0, 2, AWAKE},
                                  {7 * MS, 7 * MS, 2, AWAKE}});
    ck_assert_int_le(llabs(phase()->seen_ns - (bench.now_ns - 2 * MS)), 10);
    ck_assert_int_le(llabs(phase()->work_ns - 8 * MS), 10);
    ck_assert_int_le(llabs(phase()->length_ns - 16 * MS), 10);
}

/* Two threads that yield to each other run evenly; when one of them computes, the barrier has
 * opened. */
START_TEST(yielders_tell_by_how_evenly_they_ran)
{
    begin();
    live(10 * MS, (struct deed[]){{4 * MS, 6 * MS, 2000, AWAKE},
                                  {10 * MS, 0, 0, AWAKE},
                                  {4 * MS, 6 * MS, 2000, AWAKE}});
    ck_assert_int_eq(bench.policy->threads[0].state, THREAD_YIELDING);

    live(10 * MS, (struct deed[]){{8 * MS, 2 * MS, 1500, AWAKE},
                                  {10 * MS, 0, 0, AWAKE},
                                  {2 * MS, 8 * MS, 1500, AWAKE}});
    ck_assert_int_eq(phase()->seen_ns, bench.now_ns - 6 * MS);
    ck_assert_int_eq(since_barrier_ns(0), 6 * MS);
    ck_assert_int_eq(since_barrier_ns(1), 6 * MS);
    ck_assert_int_eq(since_barrier_ns(2), 0);
}

/* A thread that spins and tells it is as visible as one that sleeps. */
START_TEST(who_tells_of_its_waiting_is_believed)
{
    begin();
    bench.totals[1].told_wait_ns = 2 * MS;
    live(10 * MS, (struct deed[]){{5 * MS, 5 * MS, 2, AWAKE},
                                  {10 * MS, 0, 0, SAMPLE_WAITING},
                                  {5 * MS, 5 * MS, 2, AWAKE}});
    ck_assert_int_eq(phase()->seen_ns, 0);

    bench.totals[1].told_wait_ns += 7 * MS;
    live(10 * MS, (struct deed[]){{5 * MS, 5 * MS, 2, AWAKE},
                                  {10 * MS, 0, 0, AWAKE},
                                  {5 * MS, 5 * MS, 2, AWAKE}});
    ck_assert_int_eq(phase()->seen_ns, bench.now_ns - 3 * MS);
    ck_assert_int_eq(since_barrier_ns(1), 3 * MS);
}

static void tell(int thread, int64_t since_ns, int64_t from_ns, int64_t until_ns, int64_t all_ns)
{
    bench.totals[thread].told_since_ns = since_ns;
    bench.totals[thread].told_from_ns = from_ns;
    bench.totals[thread].told_until_ns = until_ns;
    bench.totals[thread].told_wait_ns = all_ns;
}

/* All have done 3.5 ms of work when thread 2 reaches the barrier as the last. Thread 1 knows
 * that at once; thread 0 tells for another 3 ms that it waits, because thread 2 has the
 * processor. */
START_TEST(who_has_not_run_since_is_not_waited_for)
{
    begin();
    const int64_t opened_ns = bench.now_ns + 7 * MS;
    tell(0, opened_ns - 2 * MS, 0, 0, 5 * MS);
    tell(1, 0, opened_ns - 7 * MS / 2, opened_ns, 7 * MS / 2);
    live(10 * MS, (struct deed[]){{7 * MS / 2, 7 * MS / 2, 1, SAMPLE_WAITING},
                                  {10 * MS, 0, 0, AWAKE},
                                  {13 * MS / 2, 7 * MS / 2, 1, AWAKE}});
    ck_assert_int_eq(phase()->seen_ns, opened_ns);
    ck_assert(!waits_for_others(&bench.policy->threads[0]));
    ck_assert_int_eq(since_barrier_ns(0), 0);
    ck_assert_int_eq(since_barrier_ns(1), 3 * MS);

    /* Thread 0 gets the processor, and its wait ends: that was no barrier. */
    tell(0, 0, opened_ns - 2 * MS, opened_ns + 4 * MS, 6 * MS);
    live(4 * MS,
         (struct deed[]){{3 * MS, 4 * MS, 1, AWAKE}, {4 * MS, 0, 0, AWAKE}, {1 * MS, 0, 1, AWAKE}});
    ck_assert_int_eq(phase()->seen_ns, opened_ns);
    ck_assert_int_eq(since_barrier_ns(0), 3 * MS);
}

/* Threads are sampled one after the other: the barrier opened 3 ms after thread 0 was sampled,
 * which had waited all the time. */
START_TEST(who_was_sampled_before_the_barrier_opened_has_done_no_negative_work)
{
    begin();
    tell(0, bench.now_ns + 1 * MS, 0, 0, 9 * MS);
    live(10 * MS, (struct deed[]){{1 * MS, 0, 1, SAMPLE_SLEEPING},
                                  {10 * MS, 0, 0, AWAKE},
                                  {5 * MS, 5 * MS, 2, AWAKE}});
    bench.totals[0].told_wait_ns += 6 * MS;
    take(10 * MS, (struct deed[]){{1 * MS, 0, 1, SAMPLE_WAITING},
                                  {10 * MS, 0, 0, AWAKE},
                                  {5 * MS, 5 * MS, 2, AWAKE}});
    bench.totals[0].now_ns -= 4 * MS;
    tell(1, 0, bench.now_ns - 2 * MS, bench.now_ns - 1 * MS, 1 * MS);
    observe();
    ck_assert(bench.policy->threads[0].released);
    ck_assert_int_eq(telling_used_ns(&bench.policy->threads[0]), 0);
}

/* It waited for 3 of 4 ms, so it worked for at most one of the two that it ran. */
START_TEST(what_was_burnt_beside_another_is_no_work)
{
    begin();
    tell(0, bench.now_ns + 1 * MS, 0, 0, 3 * MS);
    live(4 * MS, (struct deed[]){{2 * MS, 2 * MS, 1, SAMPLE_WAITING},
                                 {4 * MS, 0, 0, AWAKE},
                                 {2 * MS, 2 * MS, 1, AWAKE}});
    ck_assert_int_eq(telling_used_ns(&bench.policy->threads[0]), 1 * MS);
    ck_assert_int_eq(telling_used_ns(&bench.policy->threads[2]), 2 * MS);
}

/* Thread 1 waits at the end of each of these phases, if `seen`. */
static void live_through_phase(bool seen)
{
    live(10 * MS, (struct deed[]){{5 * MS, 5 * MS, 2, AWAKE},
                                  {10 * MS, 0, 1, AWAKE},
                                  {5 * MS, 5 * MS, 2, AWAKE}});
    live(10 * MS, (struct deed[]){{5 * MS, 5 * MS, 2, AWAKE},
                                  {seen ? 9 * MS : 10 * MS, 0, 1, seen ? SAMPLE_SLEEPING : AWAKE},
                                  {5 * MS, 5 * MS, 2, AWAKE}});
}

START_TEST(phases_that_fit_are_regular_and_those_that_do_not_show_are_forgotten)
{
    begin();
    for (int i = 0; i < 5; i++)
        live_through_phase(true);
    ck_assert_int_gt(phase()->regular_count, 0);
    ck_assert_int_eq(phase()->length_ns, 20 * MS);
    live_through_phase(false);
    live_through_phase(false);
    ck_assert_int_gt(phase()->regular_count, 0);
    for (int i = 0; i < 16; i++)
        live_through_phase(false);
    ck_assert_int_eq(phase()->regular_count, 0);
    ck_assert_int_eq(phase()->length_ns, 0);
}

START_TEST(one_barrier_that_was_none_undoes_nothing)
{
    begin();
    for (int i = 0; i < 5; i++)
        live_through_phase(true);
    live(8 * MS, (struct deed[]){{4 * MS, 4 * MS, 2, AWAKE},
                                 {8 * MS, 0, 1, AWAKE},
                                 {4 * MS, 4 * MS, 2, AWAKE}});
    live(4 * MS, (struct deed[]){{2 * MS, 2 * MS, 1, AWAKE},
                                 {3 * MS, 0, 2, AWAKE},
                                 {2 * MS, 2 * MS, 1, AWAKE}});
    ck_assert_int_eq(phase()->length_ns, 20 * MS);
    ck_assert_int_gt(phase()->regular_count, 0);
}

static void others_come_when_all_have_gone(void)
{
    for (int i = 0; i < THREADS_COUNT; i++)
        send(EVENT_THREAD_EXITED, i);
    for (int i = 0; i < THREADS_COUNT; i++) {
        bench.totals[i] = (struct sample){.thread = i, .processor = -1};
        send(EVENT_THREAD_ARRIVED, i);
    }
    take(0, (struct deed[]){{.state = AWAKE}, {.state = AWAKE}, {.state = AWAKE}});
    observe();
}

/* For example, the next program of a script, which tells nothing of its waits. */
START_TEST(barriers_show_when_all_have_gone_who_told_of_them)
{
    begin();
    const int64_t opened_ns = bench.now_ns + 7 * MS;
    tell(1, 0, opened_ns - 3 * MS, opened_ns, 3 * MS);
    live(10 * MS, (struct deed[]){{5 * MS, 5 * MS, 2, AWAKE},
                                  {10 * MS, 0, 0, AWAKE},
                                  {5 * MS, 5 * MS, 2, AWAKE}});
    ck_assert_int_eq(phase()->seen_ns, opened_ns);
    others_come_when_all_have_gone();
    live_through_phase(true);
    live_through_phase(true);
    ck_assert_int_gt(phase()->seen_ns, opened_ns);
}

/* The work of the threads that come begins at zero, after the last barrier of the threads that
 * have gone. */
START_TEST(others_who_come_when_all_have_gone_have_done_no_negative_work)
{
    begin();
    for (int i = 0; i < 3; i++)
        live_through_phase(true);
    bench.policy->domains[0].juggle.regular_count = 0;
    const int64_t work_ns = phase()->work_ns;
    others_come_when_all_have_gone();
    live_through_phase(true);
    live_through_phase(true);
    ck_assert_int_eq(phase()->work_ns, work_ns);
}

/* ---- threads that come ---- */

enum { CROWD = 7 };

static void happen(struct policy *policy, enum event_type type, int subject)
{
    const struct event event = {
        .type = type, .subject = subject, .domain = -1, .now_ns = NSEC_PER_SEC};
    struct plan plan = {.moves = (struct move[CROWD]){{0}}, .moves_max = CROWD};

    policy_step(policy, &event, &plan);
}

static int domain_of(const struct policy *policy, int slot)
{
    return policy->processors[policy->threads[slot].processor].domain;
}

static void expect_last(const struct policy *policy, int slot)
{
    int64_t least_ns = INT64_MAX;

    for (int i = 0; i < policy->threads_limit; i++)
        if (i != slot && policy->threads[i].present &&
            domain_of(policy, i) == domain_of(policy, slot))
            least_ns = min_i64(least_ns, policy->threads[i].juggle.standing_ns);
    ck_assert_int_eq(policy->threads[slot].juggle.standing_ns, least_ns);
}

static void come(struct policy *policy, int slot)
{
    happen(policy, EVENT_THREAD_ARRIVED, slot);
    expect_last(policy, slot);
}

static void go(struct policy *policy, int slot)
{
    happen(policy, EVENT_THREAD_EXITED, slot);
}

/* Two domains of two processors, whose programs have come so far that their threads cannot be
 * compared. */
static struct policy *two_domains(void)
{
    static const int64_t standings_ns[] = {50, 1030, 30, 1070, 90};
    const struct policy_options options = {.kind = POLICY_JUGGLE, .threads_max = CROWD};
    struct machine machine;

    ck_assert_int_eq(machine_uniform(4, 2, &machine), 0);
    struct policy *policy = policy_init(malloc((size_t)policy_footprint(&machine, &options)),
                                        &machine, &options);
    for (int i = 0; i < (int)ARRAY_COUNT(standings_ns); i++)
        happen(policy, EVENT_THREAD_ARRIVED, i);
    happen(policy, EVENT_START, -1);
    for (int i = 0; i < (int)ARRAY_COUNT(standings_ns); i++) {
        ck_assert_int_eq(domain_of(policy, i), i % 2);
        policy->threads[i].juggle.standing_ns = standings_ns[i];
    }
    return policy;
}

/* The threads that did least may have gone meanwhile. */
START_TEST(who_comes_has_done_as_little_as_whoever_did_least)
{
    struct policy *policy = two_domains();

    come(policy, 5);
    ck_assert_int_eq(policy->threads[5].juggle.standing_ns, 1030);
    go(policy, 1);
    go(policy, 5);
    come(policy, 5);
    go(policy, 2);
    come(policy, 6);
    come(policy, 1);
    go(policy, 5);
    go(policy, 6);
    come(policy, 6);
    go(policy, 4);
    come(policy, 4);
    free(policy);
}

START_TEST(who_comes_from_another_domain_stands_where_the_last_are_there)
{
    struct policy *policy = two_domains();

    happen(policy, EVENT_PROCESSOR_LOST, 0);
    happen(policy, EVENT_PROCESSOR_LOST, 1);
    for (int i = 0; i < (int)CROWD - 2; i += 2) {
        ck_assert_int_eq(domain_of(policy, i), 1);
        ck_assert_int_eq(policy->threads[i].juggle.standing_ns, 1030);
    }
    free(policy);
}

SUITE("phase")
