/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What holds after every step of every policy, whatever happens: random histories of periods,
 * arrivals, exits, blocked threads, processors that vanish and come back, and moves that fail.
 * Threads are sampled one after the other, and may report waits and work falsely.
 */
#include "tests/lib/suite.h"

#include "libjuggle/policy/slots.h"
#include "libjuggle/ground/prng.h"

#include <string.h>

enum {
    THREADS_MAX = 48,
    PROCESSORS_MAX = 12,
    DOMAINS_MAX = 3,
    NOT_THERE = -2,
    UNPLACED = -1,
};

/* A world that does not rely on the policy: it carries out the plans and knows where all threads
 * are. */
struct history {
    struct prng prng;
    struct machine machine;
    struct policy *policy;
    void *memory;
    struct plan plan;
    bool online[PROCESSORS_MAX];
    int homes[THREADS_MAX]; /* NOT_THERE, UNPLACED or a processor */
    struct sample totals[THREADS_MAX];
    int64_t now_ns;
    bool tells;   /* threads say when they wait */
    bool reports; /* threads report their work */
    bool unequal; /* processors are known to differ */
    bool started;
    bool quiet; /* no move has failed since the last period: counts must be even */
};

static int chance(struct history *history, int bound)
{
    return (int)prng_below(&history->prng, (uint64_t)bound);
}

/* Some machines have siblings, some have speeds, and some of these speeds are not known. */
static void machine_vary(struct history *history)
{
    struct machine *machine = &history->machine;

    if (chance(history, 3) == 0)
        for (int i = 1; i < machine->processors_count; i++)
            if (machine->processors[i].domain == machine->processors[i - 1].domain && i % 2)
                machine->processors[i].core = machine->processors[i - 1].core;
    if (chance(history, 3) == 0)
        machine->smt_rate = RATE_ONE / (1 + chance(history, 3));
    if (chance(history, 3) == 0)
        for (int i = 0; i < machine->processors_count; i++)
            machine->processors[i].rate = chance(history, 8) * RATE_ONE / 4;
    history->unequal = machine_unequal(machine);
}

static void history_begin(struct history *history, enum policy_kind kind, uint64_t seed)
{
    memset(history, 0, sizeof(*history));
    prng_seed(&history->prng, seed);
    const int processors_count = 1 + chance(history, PROCESSORS_MAX);
    const int domains_count = 1 + chance(history, processors_count < DOMAINS_MAX ? processors_count
                                                                                 : DOMAINS_MAX);
    const struct policy_options options = {
        .kind = kind,
        .period_ns = chance(history, 2) * 10 * NSEC_PER_MSEC,
        .jitter = 0.1 * chance(history, 2),
        .margin_ns = chance(history, 2) * NSEC_PER_MSEC,
        .seed = seed,
        .threads_max = THREADS_MAX,
    };

    ck_assert_int_eq(machine_uniform(processors_count, domains_count, &history->machine), 0);
    machine_vary(history);
    const int64_t size = policy_footprint(&history->machine, &options);
    ck_assert_int_gt(size, 0);
    history->memory = malloc((size_t)size);
    history->policy = policy_init(history->memory, &history->machine, &options);
    history->tells = chance(history, 2);
    history->reports = chance(history, 4) == 0;
    history->plan.moves_max = THREADS_MAX;
    history->plan.moves = calloc(THREADS_MAX, sizeof(*history->plan.moves));
    for (int i = 0; i < processors_count; i++)
        history->online[i] = true;
    for (int i = 0; i < THREADS_MAX; i++)
        history->homes[i] = NOT_THERE;
}

static void history_end(struct history *history)
{
    free(history->plan.moves);
    free(history->memory);
}

/* ---- checking ---- */

static int domain_of(const struct history *history, int processor)
{
    return history->machine.processors[processor].domain;
}

static bool domain_alive(const struct history *history, int domain)
{
    for (int i = 0; i < history->machine.processors_count; i++)
        if (domain_of(history, i) == domain && history->online[i])
            return true;
    return false;
}

static void check_moves(const struct history *history)
{
    bool moved[THREADS_MAX] = {false};

    REQUIRE(history->plan.moves_count <= THREADS_MAX, "the plan overflows");
    for (int i = 0; i < history->plan.moves_count; i++) {
        const struct move *move = &history->plan.moves[i];

        REQUIRE(move->thread >= 0 && move->thread < THREADS_MAX &&
                    history->homes[move->thread] != NOT_THERE,
                "thread %d does not exist", move->thread);
        REQUIRE(!moved[move->thread], "thread %d is moved twice", move->thread);
        moved[move->thread] = true;
        REQUIRE(move->from == history->homes[move->thread], "thread %d is on %d, not on %d",
                move->thread, history->homes[move->thread], move->from);
        REQUIRE(move->to >= 0 && move->to < history->machine.processors_count &&
                    history->online[move->to],
                "thread %d goes to processor %d, which is lost", move->thread, move->to);
        REQUIRE(move->from < 0 || !domain_alive(history, domain_of(history, move->from)) ||
                    domain_of(history, move->to) == domain_of(history, move->from),
                "thread %d leaves its domain", move->thread);
    }
}

/* Checks that no online processor holds more than one thread above another of its domain, if all
 * are alike. */
static void check_counts(const struct history *history)
{
    int count[PROCESSORS_MAX] = {0};

    for (int i = 0; i < THREADS_MAX; i++)
        if (history->homes[i] >= 0)
            count[history->homes[i]]++;
    for (int i = 0; i < history->machine.processors_count; i++)
        for (int j = 0; j < history->machine.processors_count; j++)
            REQUIRE(!history->online[i] || !history->online[j] ||
                        domain_of(history, i) != domain_of(history, j) || count[i] <= count[j] + 1,
                    "processor %d has %d threads, %d has %d", i, count[i], j, count[j]);
}

/* Checks that the policy knows all threads and their homes. */
static void check_views(const struct history *history, bool observes_only)
{
    for (int i = 0; i < THREADS_MAX; i++) {
        struct thread_view view;
        const int error = policy_thread(history->policy, i, &view);

        REQUIRE((error == 0) == (history->homes[i] != NOT_THERE), "thread %d is unknown", i);
        REQUIRE(error || observes_only || view.processor == history->homes[i],
                "thread %d is on %d, not on %d", i, history->homes[i], view.processor);
    }
}

/* Checks that no thread has done less than nothing, or more than there was time for. */
static void check_work(const struct history *history)
{
    for (int i = 0; i < THREADS_MAX; i++) {
        const struct thread *thread = &history->policy->threads[i];

        if (history->homes[i] < 0)
            continue;
        REQUIRE(thread->told_ns >= 0 && thread->told_ns <= thread->elapsed_ns,
                "thread %d has waited %lld ns of %lld", i, (long long)thread->told_ns,
                (long long)thread->elapsed_ns);
        REQUIRE(slots_worked_ns(history->policy, thread) >= 0, "thread %d has undone work", i);
    }
}

/* ---- events ---- */

static void step(struct history *history, const struct event *event)
{
    struct fault fault = {0};

    policy_step(history->policy, event, &history->plan);
    REQUIRE(policy_check(history->policy, event, &history->plan, &fault), "%s", fault_text(&fault));
    check_moves(history);
}

static void fail_move(struct history *history, int thread)
{
    const struct event event = {
        .type = EVENT_MOVE_FAILED, .subject = thread, .domain = -1, .now_ns = history->now_ns};

    history->quiet = false;
    step(history, &event);
    ck_assert_int_eq(history->plan.moves_count, 0);
}

/* Carries the plan out; now and then a move fails, and the policy is told so. */
static void apply(struct history *history, int failure_bound)
{
    int failed[THREADS_MAX];
    int failed_count = 0;

    for (int i = 0; i < history->plan.moves_count; i++) {
        const struct move *move = &history->plan.moves[i];

        if (failure_bound && chance(history, failure_bound) == 0)
            failed[failed_count++] = move->thread;
        else
            history->homes[move->thread] = move->to;
    }
    for (int i = 0; i < failed_count; i++)
        fail_move(history, failed[i]);
}

static void happen(struct history *history, enum event_type type, int subject)
{
    const struct event event = {
        .type = type, .subject = subject, .domain = -1, .now_ns = history->now_ns};

    step(history, &event);
}

static void arrive(struct history *history)
{
    const int thread = chance(history, THREADS_MAX);
    const struct sample sample = {.thread = thread, .now_ns = history->now_ns};
    const struct event event = {
        .type = EVENT_THREAD_ARRIVED,
        .subject = thread,
        .domain = chance(history, DOMAINS_MAX + 1) - 1,
        .now_ns = history->now_ns,
        .samples = &sample,
        .samples_count = 1,
    };

    if (history->homes[thread] != NOT_THERE)
        return;
    history->homes[thread] = UNPLACED;
    history->totals[thread] = (struct sample){.thread = thread};
    step(history, &event);
    apply(history, 0);
}

static void depart(struct history *history)
{
    const int thread = chance(history, THREADS_MAX);

    if (history->homes[thread] == NOT_THERE)
        return;
    history->homes[thread] = NOT_THERE;
    happen(history, EVENT_THREAD_EXITED, thread);
    apply(history, 0);
}

static void change_processor(struct history *history)
{
    const int processor = chance(history, history->machine.processors_count);

    history->online[processor] = !history->online[processor];
    happen(history, history->online[processor] ? EVENT_PROCESSOR_FOUND : EVENT_PROCESSOR_LOST,
           processor);
    apply(history, 0);
}

static int64_t some_ns(struct history *history, int64_t most_ns)
{
    return (int64_t)prng_below(&history->prng, (uint64_t)most_ns);
}

/* Returns an instant: mostly of the last period, sometimes of any time. */
static int64_t instant_ns(struct history *history)
{
    return chance(history, 20) ? history->now_ns - some_ns(history, 20 * NSEC_PER_MSEC)
                               : some_ns(history, 2 * history->now_ns);
}

static void tell(struct history *history, struct sample *total)
{
    total->told_wait_ns += chance(history, 3) * some_ns(history, 9 * NSEC_PER_MSEC);
    total->told_since_ns = chance(history, 2) * instant_ns(history);
    total->told_from_ns = instant_ns(history);
    total->told_until_ns = instant_ns(history);
    if (total->told_since_ns && total->state == SAMPLE_RUNNABLE)
        total->state = SAMPLE_WAITING;
}

/* The thread runs, waits, blocks or yields at random. */
static void go_on(struct history *history, struct sample *total)
{
    total->now_ns = history->now_ns - chance(history, 2) * some_ns(history, 5 * NSEC_PER_MSEC);
    total->run_ns += chance(history, 3) * 3 * NSEC_PER_MSEC;
    total->wait_ns += chance(history, 3) * 2 * NSEC_PER_MSEC;
    total->slices_count = history->now_ns / (1 + chance(history, (int)NSEC_PER_MSEC));
    total->state = (enum sample_state)chance(history, SAMPLE_SLEEPING + 1);
    if (history->tells)
        tell(history, total);
    if (history->reports)
        total->work_ns += some_ns(history, 10 * NSEC_PER_MSEC);
}

/* Samples the threads of a domain, but not all of them. */
static int sample_domain(struct history *history, int domain, struct sample *samples)
{
    int count = 0;

    for (int i = 0; i < THREADS_MAX; i++) {
        if (history->homes[i] < 0 || domain_of(history, history->homes[i]) != domain)
            continue;
        go_on(history, &history->totals[i]);
        if (chance(history, 10))
            samples[count++] = history->totals[i];
    }
    return count;
}

static void period(struct history *history, int failure_bound)
{
    struct sample samples[THREADS_MAX];

    history->now_ns += chance(history, 4) ? 10 * NSEC_PER_MSEC
                                          : 1 + some_ns(history, 300 * NSEC_PER_MSEC);
    history->quiet = true;
    for (int domain = 0; domain < history->machine.domains_count; domain++) {
        const struct event event = {
            .type = EVENT_PERIOD,
            .subject = -1,
            .domain = domain,
            .now_ns = history->now_ns,
            .samples = samples,
            .samples_count = sample_domain(history, domain, samples),
        };

        step(history, &event);
        ck_assert(!history->started || history->plan.next_ns > history->now_ns);
        apply(history, failure_bound);
    }
}

static void start(struct history *history)
{
    history->started = true;
    happen(history, EVENT_START, -1);
    apply(history, 0);
}

static void live(struct history *history)
{
    switch (chance(history, 13)) {
    case 0:
    case 1:
        arrive(history);
        break;
    case 2:
        depart(history);
        break;
    case 3:
        change_processor(history);
        break;
    case 4:
        period(history, 5);
        break;
    case 5:
        happen(history, EVENT_SPINNING, chance(history, SPINNING_OPEN + 1));
        break;
    case 6:
        happen(history, EVENT_SHORT_PHASES, chance(history, 4) == 0);
        break;
    default:
        period(history, 0);
        break;
    }
}

static void live_histories(enum policy_kind kind, int histories_count)
{
    enum { STEPS = 120 };

    for (int i = 0; i < histories_count; i++) {
        struct history history;
        int arrivals_count;

        history_begin(&history, kind, (uint64_t)i);
        arrivals_count = chance(&history, THREADS_MAX);
        for (int j = 0; j < arrivals_count; j++)
            arrive(&history);
        start(&history);
        for (int j = 0; j < STEPS; j++) {
            live(&history);
            check_views(&history, kind == POLICY_NONE);
            check_work(&history);
            if (history.quiet &&
                (kind == POLICY_PAPER || (kind == POLICY_JUGGLE && !history.unequal)))
                check_counts(&history);
        }
        history_end(&history);
    }
}

static int histories_count(void)
{
    return stress() ? 5000 : 300;
}

START_TEST(the_juggle_policy_keeps_its_promises)
{
    live_histories(POLICY_JUGGLE, histories_count());
}

START_TEST(the_papers_policy_keeps_its_promises)
{
    live_histories(POLICY_PAPER, histories_count());
}

/* These policies do not even out the counts after exits and lost processors. */
START_TEST(the_other_policies_move_threads_within_their_domains)
{
    live_histories(POLICY_IDEAL, histories_count());
    live_histories(POLICY_STATIC, histories_count());
    live_histories(POLICY_NONE, histories_count());
}

SUITE("invariants")
