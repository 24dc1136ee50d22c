/* SPDX-License-Identifier: BSD-3-Clause */
/* Which threads change places, when their levels are given. */
#include "tests/lib/suite.h"

#include "libjuggle/policy/state.h"
#include "libjuggle/policy/turns.h"

enum { PROCESSORS_COUNT = 2, THREADS_MAX = 3 };

#define MS      NSEC_PER_MSEC
#define WORK_NS (10 * MS)

static struct policy *policy;
static struct move moves[THREADS_MAX];
static struct plan plan = {.moves = moves, .moves_max = THREADS_MAX};

static void send(enum event_type type, int subject)
{
    const struct event event = {
        .type = type, .subject = subject, .domain = -1, .now_ns = NSEC_PER_SEC};

    policy_step(policy, &event, &plan);
}

/* The middle of a phase: threads 0 and 2 share processor 0, thread 1 is on processor 1. */
static void begin(const int64_t *left_ns, int threads_count)
{
    const struct policy_options options = {.kind = POLICY_JUGGLE, .threads_max = THREADS_MAX};
    struct machine machine;

    ck_assert_int_eq(machine_uniform(PROCESSORS_COUNT, 1, &machine), 0);
    policy = policy_init(malloc((size_t)policy_footprint(&machine, &options)), &machine, &options);
    for (int i = 0; i < threads_count; i++)
        send(EVENT_THREAD_ARRIVED, i);
    send(EVENT_START, -1);
    policy->domains[0].juggle.regular_count = 1;
    policy->domains[0].juggle.work_ns = WORK_NS;
    for (int i = 0; i < threads_count; i++) {
        policy->threads[i].juggle.standing_ns = WORK_NS - left_ns[i];
        policy->threads[i].awaits_first_run = false;
    }
}

static void exchange(void)
{
    plan.moves_count = 0;
    turns_exchange(policy, &policy->domains[0], &plan);
}

static int home(int thread)
{
    return policy->threads[thread].processor;
}

/* A thread beside the one that spins takes twice as long: all are done after 4 ms if no thread
 * moves, and after 3 ms if the shorter one is beside it. */
START_TEST(who_burns_its_wait_burns_it_where_it_goes)
{
    begin((int64_t[]){3 * MS, 0, 1 * MS}, 3);
    policy->threads[1].state = THREAD_YIELDING;
    policy->threads[1].last.state = SAMPLE_WAITING;
    policy->threads[1].run_ns = MS;
    exchange();
    ck_assert_int_gt(plan.moves_count, 0);
    ck_assert_int_ne(home(0), home(1));
    ck_assert_int_ne(home(0), home(2));
    free(policy);
}

/* Its processor is slow, and other programs take nearly all of it. */
START_TEST(who_starves_is_rescued)
{
    begin((int64_t[]){1 * MS, 4 * MS}, 2);
    policy->processors[1].juggle.capacity = 1;
    policy->machine.processors[1].rate = RATE_ONE * 6 / 10;
    exchange();
    ck_assert_int_eq(home(1), 0);
    free(policy);
}

SUITE("policy turns")
