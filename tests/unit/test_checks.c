/* SPDX-License-Identifier: BSD-3-Clause */
/* Breaks what each check of the policy, of its plans, of the indexes of the engine's threads and
 * of the balancers' protocol checks: that check fails, and it alone is named. */
#include "tests/lib/suite.h"

#include "libjuggle/engine/state.h"
#include "libjuggle/job/balancers_state.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/policy/state.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 5, PROCESSORS = 4, DOMAINS = 2, SLOTS_MAX = 16, HOME = 0 };

static const struct policy_options options = {.kind = POLICY_JUGGLE, .threads_max = SLOTS_MAX};

struct scene {
    struct machine machine;
    struct policy *policy;
    struct move moves[SLOTS_MAX];
    struct plan plan;
};

static void send(struct scene *scene, enum event_type type, int subject)
{
    const struct event event = {
        .type = type, .subject = subject, .domain = -1, .now_ns = NSEC_PER_SEC};
    struct fault fault = {0};

    policy_step(scene->policy, &event, &scene->plan);
    ck_assert(policy_check(scene->policy, &event, &scene->plan, &fault));
    ck_assert_ptr_null(fault_text(&fault));
}

static void scene_setup(struct scene *scene)
{
    memset(scene, 0, sizeof(*scene));
    ck_assert_int_eq(machine_uniform(PROCESSORS, DOMAINS, &scene->machine), 0);
    void *memory = malloc((size_t)policy_footprint(&scene->machine, &options));
    scene->policy = policy_init(memory, &scene->machine, &options);
    scene->plan = (struct plan){.moves = scene->moves, .moves_max = SLOTS_MAX};
    for (int i = 0; i < THREADS; i++)
        send(scene, EVENT_THREAD_ARRIVED, i);
    send(scene, EVENT_START, -1);
}

/* The check that must find something finds it; the others find nothing. NULL: none finds
 * anything. */
static void expect_found(const struct scene *scene, const struct event *event, const char *check)
{
    struct fault fault = {0};

    const bool holds = policy_check(scene->policy, event, &scene->plan, &fault);
    expect_fault(fault_text(&fault), check);
    ck_assert_int_eq(holds, !check);
}

static const char *break_policy(struct policy *policy, int which)
{
    struct processor_state *processor = policy->processors + HOME;
    struct domain *domain = policy->domains;
    struct juggle_domain *phase = &domain->juggle;
    struct juggle_experiment *experiment = &phase->experiment;
    struct juggle_processor *slots = &processor->juggle;

    BREAKAGE("at > before", processor->head = -5);
    BREAKAGE("processor->learned_rate >= 0", processor->learned_rate = -1);
    BREAKAGE("domain->stretch > 0", domain->stretch = 0);
    BREAKAGE("domain->turns >= 0", domain->turns = -1);
    BREAKAGE("domain->reason < PERIOD_REASONS_COUNT", domain->reason = PERIOD_REASONS_COUNT);
    BREAKAGE("slots->capacity >= 0", slots->capacity = -1);
    BREAKAGE("slots->duty.count >= 0", slots->duty.count = -1);
    BREAKAGE("slots->duty.load_ns >= 0", slots->duty.load_ns = -1);
    BREAKAGE("slots->duty.burning_count >= 0", slots->duty.burning_count = -1);
    BREAKAGE("phase->length_ns >= 0", phase->length_ns = -1);
    BREAKAGE("phase->work_ns >= 0", phase->work_ns = -1);
    BREAKAGE("phase->regular_count <= PHASES_MEMORY", phase->regular_count = PHASES_MEMORY + 1);
    BREAKAGE("phase->rest.short_count >= 0", phase->rest.short_count = -1);
    BREAKAGE("phase->rest.looks_left >= 0", phase->rest.looks_left = -1);
    BREAKAGE("experiment->stage <= STAGE_RESTING", experiment->stage = (enum experiment_stage)9);
    BREAKAGE("experiment->work_ns >= 0", experiment->work_ns = -1);
    BREAKAGE("experiment->turns_count >= 0", experiment->turns_count = -1);
    BREAKAGE("experiment->sleeps_count >= 0", experiment->sleeps_count = -1);
    BREAKAGE("experiment->yields_count >= 0", experiment->yields_count = -1);
    BREAKAGE("experiment->between_ns >= 0", experiment->between_ns = -1);
    BREAKAGE("experiment->between_ns <= EXPERIMENTS", experiment->between_ns = INT64_MAX);
    BREAKAGE("experiment->rest_ns >= 0", experiment->rest_ns = -1);
    BREAKAGE("experiment->rest_ns <= EXPERIMENTS", experiment->rest_ns = INT64_MAX);
    BREAKAGE("policy->threads_count >= 0", policy->threads_count = -1);
    BREAKAGE("policy->threads_count <=", policy->threads_count = policy->threads_limit + 1);
    return NULL;
}

START_TEST(a_broken_policy_is_found_out)
{
    const struct event event = {.type = EVENT_PROCESSOR_FOUND, .domain = -1};
    const char *check;
    int which = 0;

    do {
        struct scene scene;
        scene_setup(&scene);
        check = break_policy(scene.policy, which++);
        expect_found(&scene, &event, check);
        free(scene.policy);
    } while (check);
}

START_TEST(a_period_is_checked_in_its_own_domain)
{
    const struct event here = {.type = EVENT_PERIOD, .domain = 0};
    const struct event there = {.type = EVENT_PERIOD, .domain = 1};
    struct scene scene;

    scene_setup(&scene);
    scene.policy->domains[0].turns = -1;
    expect_found(&scene, &there, NULL);
    expect_found(&scene, &here, "domain->turns >= 0");
    free(scene.policy);
}

/* Breaks what a thread's coming or going could break. If all others are walked, another check
 * may be the first to find it. */
static const char *break_thread(struct policy *policy, int which, bool walks)
{
    struct processor_state *processor = policy->processors + HOME;
    struct domain *domain = policy->domains;
    struct thread *thread = policy->threads + processor->head;
    struct thread *next = policy->threads + thread->next;

    BREAKAGE("thread->scope ==", thread->scope = (enum move_scope)9);
    BREAKAGE("thread->state >=", thread->state = (enum thread_state)9);
    BREAKAGE("thread->previous <", thread->previous = PROCESSORS);
    BREAKAGE("thread->stuck >= 0", thread->stuck = -1);
    BREAKAGE("thread->run_ns >= 0", thread->run_ns = -1);
    BREAKAGE("thread->elapsed_ns >= 0", thread->elapsed_ns = -1);
    BREAKAGE(walks ? "at > before" : "next > index", thread->next = processor->head);
    BREAKAGE(walks ? "at < policy->threads_limit" : "next < policy->threads_limit",
             thread->next = SLOTS_MAX);
    BREAKAGE(walks ? "thread->present" : "threads[next].present", next->present = false);
    BREAKAGE(walks ? "thread->processor == processor" : "threads[next].processor ==",
             next->processor = HOME + 1);
    BREAKAGE("processor->speed >= 0", processor->speed = -1);
    BREAKAGE("processor->domain == domain", processor->domain = DOMAINS - 1);
    BREAKAGE(walks ? "processor->threads_count == count" : "domain->threads_count == threads_count",
             processor->threads_count++);
    BREAKAGE("domain->threads_count == threads_count", domain->threads_count--);
    BREAKAGE("domain->online_count == online_count", domain->online_count++);
    BREAKAGE("domain->period_ns > 0", domain->period_ns = 0);
    BREAKAGE("policy->threads_limit <=", policy->options.threads_max = THREADS - 1);
    BREAKAGE("placed_count == ", policy->threads_count--);
    return NULL;
}

START_TEST(what_one_thread_broke_is_found_without_the_others)
{
    static const enum event_type types[] = {EVENT_THREAD_ARRIVED, EVENT_THREAD_EXITED,
                                            EVENT_MOVE_FAILED, EVENT_PROCESSOR_FOUND};

    for (int i = 0; i < (int)ARRAY_COUNT(types); i++) {
        const char *check;
        int which = 0;

        do {
            struct scene scene;
            scene_setup(&scene);
            const int first = scene.policy->processors[HOME].head;
            const struct event event = {.type = types[i], .subject = first, .domain = -1};
            check = break_thread(scene.policy, which++, types[i] == EVENT_PROCESSOR_FOUND);
            scene.plan.moves_count = 0;
            expect_found(&scene, &event, check);
            free(scene.policy);
        } while (check);
    }
}

START_TEST(who_was_moved_for_another_is_checked)
{
    const struct event event = {.type = EVENT_THREAD_EXITED, .subject = SLOTS_MAX, .domain = -1};
    struct scene scene;

    scene_setup(&scene);
    const int first = scene.policy->processors[HOME].head;
    scene.plan.moves[0] = (struct move){.thread = first};
    scene.plan.moves_count = 1;
    expect_found(&scene, &event, NULL);
    scene.policy->threads[first].scope = (enum move_scope)9;
    expect_found(&scene, &event, "thread->scope ==");
    free(scene.policy);
}

START_TEST(the_first_fault_stays)
{
    struct fault fault = {0};

    ck_assert(HOLDS(&fault, 1 > 0));
    ck_assert(!HOLDS(&fault, 1 > 2));
    ck_assert(!HOLDS(&fault, 1 > 3));
    expect_fault(fault_text(&fault), "test_checks.c:");
    expect_fault(fault_text(&fault), "1 > 2");
}

/* ---- the engine, whose world counts the threads that are moved ---- */

static struct machine machine;
static int placed_count;

static int64_t world_now(void *unused)
{
    (void)unused;
    return NSEC_PER_SEC;
}

static int world_sample(void *unused, int thread, struct sample *sample)
{
    (void)unused;
    sample->thread = thread;
    sample->now_ns = NSEC_PER_SEC;
    return 0;
}

static int world_place(void *unused, int thread, const struct move *move)
{
    (void)unused, (void)thread, (void)move;
    placed_count++;
    return 0;
}

static const struct ports world = {NULL, world_now, world_sample, world_place};

static struct engine *engine_of(const struct ports *ports, int processors_count, int domains_count)
{
    struct engine *engine;

    placed_count = 0;
    ck_assert_int_eq(machine_uniform(processors_count, domains_count, &machine), 0);
    ck_assert_int_eq(engine_create(&machine, &options, ports, NULL, &engine), 0);
    for (int i = 0, slot; i < THREADS; i++) {
        ck_assert_int_eq(engine_thread_reserve(engine, &slot), 0);
        engine_thread_arrived(engine, slot, -1);
    }
    return engine;
}

START_TEST(nobody_is_moved_by_a_broken_policy)
{
    struct engine *engine = engine_of(&world, PROCESSORS, DOMAINS);

    engine_start(engine);
    ck_assert_int_eq(placed_count, THREADS);
    expect_fault(engine_fault(engine), NULL);

    engine->policy->domains->online_count++;
    engine_turn(engine, 0);
    expect_fault(engine_fault(engine), "domain->online_count");
    ck_assert_int_eq(engine_next_ns(engine, 0), INT64_MAX);
    engine_processor_lost(engine, HOME);
    ck_assert_int_eq(placed_count, THREADS);
    engine_destroy(engine);
}

/* ---- the indexes of the engine's threads ---- */

static const char *misuse(struct engine *engine, int which)
{
    BREAKAGE("state >= THREAD_RESERVED", engine_thread_arrived(engine, 0, -1));
    BREAKAGE("state >= THREAD_RESERVED", engine_thread_arrived(engine, THREADS, -1));
    BREAKAGE("thread < engine", engine_thread_arrived(engine, SLOTS_MAX, -1));
    BREAKAGE("state >= THREAD_RESERVED", engine_thread_exited(engine, THREADS));
    BREAKAGE("thread >= 0", engine_thread_exited(engine, -1));
    return NULL;
}

START_TEST(a_slot_that_is_misused_is_found_out)
{
    const char *check;
    int which = 0;

    do {
        struct engine *engine = engine_of(&world, PROCESSORS, DOMAINS);
        check = misuse(engine, which++);
        expect_fault(engine_fault(engine), check);
        engine_destroy(engine);
    } while (check);
}

/* ---- the structures that the engine walks and writes ---- */

static const char *damage(struct engine *engine, int which)
{
    const int head = engine->policy->processors[HOME].head;
    struct thread *first = engine->policy->threads + head;
    struct plan *plan = &engine->turns->plan;

    BREAKAGE("next > thread", first->next = head; engine_sample(engine, HOME));
    BREAKAGE("next < engine->threads_max", first->next = SLOTS_MAX; engine_sample(engine, HOME));
    BREAKAGE("next > thread", first->next = head; engine_turn(engine, 0));
    BREAKAGE("moves_count <= engine->threads_max", plan->moves_count = SLOTS_MAX + 1;
             engine_apply(engine, 0));
    BREAKAGE("moves_count >= 0", plan->moves_count = -1; engine->turns->failed_count = 1;
             engine_decide(engine, 0));
    BREAKAGE("move->thread >= 0", plan->moves[0] = (struct move){.thread = SLOTS_MAX};
             plan->moves_count = 1; engine_apply(engine, 0));
    BREAKAGE("processor >= 0", engine_processor_lost(engine, PROCESSORS));
    BREAKAGE("processor >= 0", engine_processor_found(engine, -1));
    BREAKAGE("free_from >= 0", int slot = -1; engine->free_from = -1;
             ck_assert_int_eq(engine_thread_reserve(engine, &slot), -ENOSPC);
             ck_assert_int_eq(slot, -1));
    BREAKAGE("placing->at >= 0",
             engine->placing = (struct placing){.has_begun = true, .is_under_way = true, .at = -1};
             engine_start(engine));
    BREAKAGE("placing->failed_count", engine->placing = (struct placing){.has_begun = true,
                                                                         .is_under_way = true,
                                                                         .failed_count = 1};
             engine_start(engine));
    return NULL;
}

START_TEST(a_damaged_engine_is_found_out_and_comes_to_an_end)
{
    const char *check;
    int which = 0;

    do {
        struct engine *engine = engine_of(&world, PROCESSORS, DOMAINS);
        engine_start(engine);
        check = damage(engine, which++);
        expect_fault(engine_fault(engine), check);
        ck_assert_int_eq(placed_count, THREADS);
        engine_destroy(engine);
    } while (check);
}

/* ---- the balancers' protocol ---- */

static int64_t live_now(void *unused)
{
    (void)unused;
    return clock_now_ns();
}

/* The balancer of the processor with the fewest threads waits for the decision of the others. */
static int live_sample(void *unused, int thread, struct sample *sample)
{
    (void)unused;
    if (thread == 0)
        usleep(20000);
    sample->thread = thread;
    sample->now_ns = live_now(NULL);
    return 0;
}

static const struct ports live = {NULL, live_now, live_sample, world_place};

static const char *disorder(struct crew *crew, int which)
{
    BREAKAGE("interval_ns >= 0", crew->turned_ns = INT64_MAX);
    BREAKAGE("taken_count - decided_count <= 1", crew->decided_count = 7);
    BREAKAGE("arrived_count <= crew->members_count", crew->arrived_count = crew->members_count);
    BREAKAGE("sleepers_count < crew->members_count", crew->sleepers_count = crew->members_count);
    return NULL;
}

/* Waits up to ten seconds for a fault: the test asserts nothing about how soon it is found. */
static const char *fault_await(const struct balancers *balancers)
{
    for (int i = 0; i < 1000 && !balancers_fault(balancers); i++)
        usleep(10000);
    return balancers_fault(balancers);
}

/* Returns false if there was no way left to break the protocol. */
static bool out_of_step(enum balancers_shape shape, int which)
{
    struct engine *engine = engine_of(&live, 2, 1);
    struct balancers *balancers;

    ck_assert_int_eq(balancers_start(shape, &machine, engine, &balancers), 0);
    const char *check = disorder(balancers->crews, which);
    engine_start(engine);
    balancers_notify(balancers);
    if (check)
        expect_fault(fault_await(balancers), check);
    balancers_stop(balancers);
    expect_fault(engine_fault(engine), NULL);
    engine_destroy(engine);
    return check;
}

START_TEST(balancers_out_of_step_are_found_out)
{
    ck_assert(out_of_step(BALANCERS_SINGLE, 0));
    for (int i = 0; out_of_step(BALANCERS_PER_PROCESSOR, i); i++)
        ;
}

START_TEST(balancers_in_step_are_whole_to_the_end)
{
    for (int i = 0; i < 20; i++) {
        struct engine *engine = engine_of(&live, 2, 1);
        struct balancers *balancers;
        struct engine_statistics statistics = {0};

        ck_assert_int_eq(balancers_start(BALANCERS_PER_PROCESSOR, &machine, engine, &balancers), 0);
        engine_start(engine);
        balancers_notify(balancers);
        while (statistics.rounds_count < 2 && !balancers_fault(balancers)) {
            usleep(1000);
            engine_statistics(engine, &statistics);
        }
        expect_fault(balancers_fault(balancers), NULL);
        balancers_stop(balancers);
        engine_destroy(engine);
    }
}

SUITE("checks")
