/* SPDX-License-Identifier: BSD-3-Clause */
/* Each check of the policy, of its plans, of the indexes of the engine's threads and of the
 * balancers' protocol fails when what it checks is broken, and it alone is named. */
#include "tests/lib/suite.h"

#include "libjuggle/engine/state.h"
#include "libjuggle/job/balancers_state.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/policy/state.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 5, PROCESSORS = 4, DOMAINS = 2, SLOTS_MAX = 16, HOME = 0 };

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
    const struct policy_options options = {.kind = POLICY_JUGGLE, .threads_max = SLOTS_MAX};

    memset(scene, 0, sizeof(*scene));
    ck_assert_int_eq(machine_uniform(PROCESSORS, DOMAINS, &scene->machine), 0);
    void *memory = malloc((size_t)policy_footprint(&scene->machine, &options));
    scene->policy = policy_init(memory, &scene->machine, &options);
    scene->plan = (struct plan){.moves = scene->moves, .moves_max = SLOTS_MAX};
    for (int i = 0; i < THREADS; i++)
        send(scene, EVENT_THREAD_ARRIVED, i);
    send(scene, EVENT_START, -1);
}

/* What breaks, and what the check that must find it says. */
struct breakage {
    const char *check;
    void (*apply)(struct policy *policy);
};

#define BREAKAGE(name, statement)                                                \
    static void name(struct policy *policy)                                      \
    {                                                                            \
        struct thread *thread = policy->threads + policy->processors[HOME].head; \
        struct processor_state *processor = policy->processors + HOME;           \
        struct domain *domain = policy->domains;                                 \
        (void)thread, (void)processor, (void)domain;                             \
        statement;                                                               \
    }

BREAKAGE(thread_absent, thread->present = false)
BREAKAGE(thread_elsewhere, thread->processor = HOME + 1)
BREAKAGE(thread_scope, thread->scope = (enum move_scope)9)
BREAKAGE(thread_state, thread->state = (enum thread_state)9)
BREAKAGE(thread_previous, thread->previous = PROCESSORS)
BREAKAGE(thread_stuck, thread->stuck = -1)
BREAKAGE(thread_run, thread->run_ns = -1)
BREAKAGE(thread_elapsed, thread->elapsed_ns = -1)
BREAKAGE(list_loops, thread->next = processor->head)
BREAKAGE(list_leaves, thread->next = SLOTS_MAX)
BREAKAGE(list_head, processor->head = -5)
BREAKAGE(next_absent, policy->threads[thread->next].present = false)
BREAKAGE(next_elsewhere, policy->threads[thread->next].processor = HOME + 1)
BREAKAGE(processor_count, processor->threads_count++)
BREAKAGE(processor_speed, processor->speed = -1)
BREAKAGE(processor_rate, processor->learned_rate = -1)
BREAKAGE(processor_domain, processor->domain = DOMAINS - 1)
BREAKAGE(domain_count, domain->threads_count--)
BREAKAGE(domain_online, domain->online_count++)
BREAKAGE(domain_period, domain->period_ns = 0)
BREAKAGE(domain_stretch, domain->stretch = 0)
BREAKAGE(domain_turns, domain->turns = -1)
BREAKAGE(domain_reason, domain->reason = PERIOD_REASONS_COUNT)
BREAKAGE(processor_capacity, processor->juggle.capacity = -1)
BREAKAGE(processor_duty, processor->juggle.duty.count = -1)
BREAKAGE(processor_load, processor->juggle.duty.load_ns = -1)
BREAKAGE(processor_burning, processor->juggle.duty.burning_count = -1)
BREAKAGE(phase_length, domain->juggle.length_ns = -1)
BREAKAGE(phase_work, domain->juggle.work_ns = -1)
BREAKAGE(phase_regular, domain->juggle.regular_count = PHASES_MEMORY + 1)
BREAKAGE(rest_short, domain->juggle.rest.short_count = -1)
BREAKAGE(rest_looks, domain->juggle.rest.looks_left = -1)
BREAKAGE(experiment_stage, domain->juggle.experiment.stage = (enum experiment_stage)9)
BREAKAGE(experiment_work, domain->juggle.experiment.work_ns = -1)
BREAKAGE(experiment_turns, domain->juggle.experiment.turns_count = -1)
BREAKAGE(experiment_sleeps, domain->juggle.experiment.sleeps_count = -1)
BREAKAGE(experiment_yields, domain->juggle.experiment.yields_count = -1)
BREAKAGE(experiment_between, domain->juggle.experiment.between_ns = -1)
BREAKAGE(experiment_between_long, domain->juggle.experiment.between_ns = INT64_MAX)
BREAKAGE(experiment_rest, domain->juggle.experiment.rest_ns = -1)
BREAKAGE(experiment_rest_long, domain->juggle.experiment.rest_ns = INT64_MAX)
BREAKAGE(slots_many, policy->options.threads_max = THREADS - 1)
BREAKAGE(threads_few, policy->threads_count--)
BREAKAGE(threads_negative, policy->threads_count = -1)
BREAKAGE(threads_many, policy->threads_count = policy->threads_limit + 1)

static const struct breakage breakages[] = {
    {"thread->present", thread_absent},
    {"thread->processor == processor", thread_elsewhere},
    {"thread->scope ==", thread_scope},
    {"thread->state >=", thread_state},
    {"thread->previous <", thread_previous},
    {"thread->stuck >= 0", thread_stuck},
    {"thread->run_ns >= 0", thread_run},
    {"thread->elapsed_ns >= 0", thread_elapsed},
    {"at > before", list_loops},
    {"at < policy->threads_limit", list_leaves},
    {"at > before", list_head},
    {"processor->threads_count == count", processor_count},
    {"processor->speed >= 0", processor_speed},
    {"processor->learned_rate >= 0", processor_rate},
    {"processor->domain == domain", processor_domain},
    {"domain->threads_count == threads_count", domain_count},
    {"domain->online_count == online_count", domain_online},
    {"domain->period_ns > 0", domain_period},
    {"domain->stretch > 0", domain_stretch},
    {"domain->turns >= 0", domain_turns},
    {"domain->reason < PERIOD_REASONS_COUNT", domain_reason},
    {"slots->capacity >= 0", processor_capacity},
    {"slots->duty.count >= 0", processor_duty},
    {"slots->duty.load_ns >= 0", processor_load},
    {"slots->duty.burning_count >= 0", processor_burning},
    {"phase->length_ns >= 0", phase_length},
    {"phase->work_ns >= 0", phase_work},
    {"phase->regular_count <= PHASES_MEMORY", phase_regular},
    {"phase->rest.short_count >= 0", rest_short},
    {"phase->rest.looks_left >= 0", rest_looks},
    {"experiment->stage <= STAGE_RESTING", experiment_stage},
    {"experiment->work_ns >= 0", experiment_work},
    {"experiment->turns_count >= 0", experiment_turns},
    {"experiment->sleeps_count >= 0", experiment_sleeps},
    {"experiment->yields_count >= 0", experiment_yields},
    {"experiment->between_ns >= 0", experiment_between},
    {"experiment->between_ns <= EXPERIMENTS_APART_MAX_NS", experiment_between_long},
    {"experiment->rest_ns >= 0", experiment_rest},
    {"experiment->rest_ns <= EXPERIMENTS_APART_MAX_NS", experiment_rest_long},
    {"policy->threads_limit <= policy->options.threads_max", slots_many},
    {"placed_count == ", threads_few},
    {"policy->threads_count >= 0", threads_negative},
    {"policy->threads_count <= policy->threads_limit", threads_many},
};

static void expect_found(struct scene *scene, const struct event *event,
                         const struct breakage *breakage)
{
    struct fault fault = {0};

    ck_assert(!policy_check(scene->policy, event, &scene->plan, &fault));
    ck_assert_msg(strstr(fault_text(&fault), breakage->check), "%s is not of %s",
                  fault_text(&fault), breakage->check);
}

START_TEST(a_broken_policy_is_found_out)
{
    const struct event event = {.type = EVENT_PROCESSOR_FOUND, .domain = -1};
    const struct breakage *breakage = &breakages[_i];
    struct scene scene;

    scene_setup(&scene);
    breakage->apply(scene.policy);
    expect_found(&scene, &event, breakage);
    free(scene.policy);
}
END_TEST

START_TEST(a_period_is_checked_in_its_own_domain)
{
    const struct event here = {.type = EVENT_PERIOD, .domain = 0};
    const struct event there = {.type = EVENT_PERIOD, .domain = 1};
    struct fault fault = {0};
    struct scene scene;

    scene_setup(&scene);
    domain_turns(scene.policy);
    ck_assert(policy_check(scene.policy, &there, &scene.plan, &fault));
    ck_assert(!policy_check(scene.policy, &here, &scene.plan, &fault));
    free(scene.policy);
}
END_TEST

/* What one thread's coming or going could have broken, without a walk over all the others. */
static const struct breakage touched[] = {
    {"thread->scope ==", thread_scope},
    {"thread->state >=", thread_state},
    {"thread->previous <", thread_previous},
    {"thread->stuck >= 0", thread_stuck},
    {"thread->run_ns >= 0", thread_run},
    {"thread->elapsed_ns >= 0", thread_elapsed},
    {"next > index", list_loops},
    {"next < policy->threads_limit", list_leaves},
    {"policy->threads[next].present", next_absent},
    {"policy->threads[next].processor == thread->processor", next_elsewhere},
    {"processor->speed >= 0", processor_speed},
    {"processor->domain == domain", processor_domain},
    {"domain->threads_count == threads_count", processor_count},
    {"domain->threads_count == threads_count", domain_count},
    {"domain->online_count == online_count", domain_online},
    {"domain->period_ns > 0", domain_period},
    {"policy->threads_limit <= policy->options.threads_max", slots_many},
    {"placed_count == ", threads_few},
};

START_TEST(what_one_thread_broke_is_found_without_the_others)
{
    static const enum event_type types[] = {EVENT_THREAD_ARRIVED, EVENT_THREAD_EXITED,
                                            EVENT_MOVE_FAILED};
    const struct breakage *breakage = &touched[_i];

    for (int i = 0; i < (int)ARRAY_COUNT(types); i++) {
        struct scene scene;
        scene_setup(&scene);
        const int first = scene.policy->processors[HOME].head;
        const struct event event = {.type = types[i], .subject = first, .domain = -1};
        breakage->apply(scene.policy);
        scene.plan.moves_count = 0;
        expect_found(&scene, &event, breakage);
        free(scene.policy);
    }
}
END_TEST

START_TEST(who_was_moved_for_another_is_checked)
{
    const struct event event = {.type = EVENT_THREAD_EXITED, .subject = SLOTS_MAX, .domain = -1};
    struct fault fault = {0};
    struct scene scene;

    scene_setup(&scene);
    scene.plan.moves[0] = (struct move){.thread = scene.policy->processors[HOME].head};
    scene.plan.moves_count = 1;
    ck_assert(policy_check(scene.policy, &event, &scene.plan, &fault));
    thread_scope(scene.policy);
    ck_assert(!policy_check(scene.policy, &event, &scene.plan, &fault));
    free(scene.policy);
}
END_TEST

START_TEST(the_first_fault_stays)
{
    struct fault fault = {0};

    ck_assert(HOLDS(&fault, 1 > 0));
    ck_assert(!HOLDS(&fault, 1 > 2));
    ck_assert(!HOLDS(&fault, 1 > 3));
    ck_assert_ptr_nonnull(strstr(fault_text(&fault), "test_checks.c:"));
    ck_assert_ptr_nonnull(strstr(fault_text(&fault), "1 > 2"));
}
END_TEST

/* ---- the engine, whose world counts who is moved ---- */

static int64_t world_now(void *context)
{
    (void)context;
    return NSEC_PER_SEC;
}

static int world_sample(void *context, int thread, struct sample *sample)
{
    (void)context;
    sample->thread = thread;
    sample->now_ns = NSEC_PER_SEC;
    return 0;
}

static int world_place(void *context, int thread, const struct move *move)
{
    (void)thread;
    (void)move;
    ++*(int *)context;
    return 0;
}

START_TEST(nobody_is_moved_by_a_broken_policy)
{
    const struct policy_options options = {.kind = POLICY_JUGGLE, .threads_max = SLOTS_MAX};
    struct machine machine;
    struct engine *engine;
    int placed_count = 0;
    const struct ports ports = {&placed_count, world_now, world_sample, world_place};

    ck_assert_int_eq(machine_uniform(PROCESSORS, DOMAINS, &machine), 0);
    ck_assert_int_eq(engine_create(&machine, &options, &ports, NULL, &engine), 0);
    for (int i = 0, slot; i < THREADS; i++) {
        ck_assert_int_eq(engine_thread_reserve(engine, &slot), 0);
        engine_thread_arrived(engine, slot, -1);
    }
    engine_start(engine);
    ck_assert_int_eq(placed_count, THREADS);
    ck_assert_ptr_null(engine_fault(engine));

    domain_online(engine->policy);
    engine_turn(engine, 0);
    ck_assert_ptr_nonnull(engine_fault(engine));
    ck_assert_ptr_nonnull(strstr(engine_fault(engine), "domain->online_count"));
    ck_assert_int_eq(engine_next_ns(engine, 0), INT64_MAX);
    engine_processor_lost(engine, HOME);
    ck_assert_int_eq(placed_count, THREADS);
    engine_destroy(engine);
}
END_TEST

/* ---- the indexes of the engine's threads ---- */

static struct engine *engine_of(const struct ports *ports, const struct machine *machine)
{
    const struct policy_options options = {.kind = POLICY_JUGGLE, .threads_max = SLOTS_MAX};
    struct engine *engine;

    ck_assert_int_eq(engine_create(machine, &options, ports, NULL, &engine), 0);
    for (int i = 0, slot; i < THREADS; i++) {
        ck_assert_int_eq(engine_thread_reserve(engine, &slot), 0);
        engine_thread_arrived(engine, slot, -1);
    }
    return engine;
}

static void arrive_twice(struct engine *engine)
{
    engine_thread_arrived(engine, 0, -1);
}
static void arrive_unasked(struct engine *engine)
{
    engine_thread_arrived(engine, THREADS, -1);
}
static void arrive_nowhere(struct engine *engine)
{
    engine_thread_arrived(engine, SLOTS_MAX, -1);
}
static void exit_unseen(struct engine *engine)
{
    engine_thread_exited(engine, THREADS);
}
static void exit_nowhere(struct engine *engine)
{
    engine_thread_exited(engine, -1);
}

static const struct {
    const char *check;
    void (*apply)(struct engine *engine);
} misuses[] = {
    {"state >= THREAD_RESERVED", arrive_twice},
    {"state >= THREAD_RESERVED", arrive_unasked},
    {"thread < engine", arrive_nowhere},
    {"state >= THREAD_RESERVED", exit_unseen},
    {"thread >= 0", exit_nowhere},
};

START_TEST(a_slot_that_is_misused_is_found_out)
{
    struct machine machine;
    int placed_count = 0;
    const struct ports ports = {&placed_count, world_now, world_sample, world_place};

    ck_assert_int_eq(machine_uniform(PROCESSORS, DOMAINS, &machine), 0);
    struct engine *engine = engine_of(&ports, &machine);
    ck_assert_ptr_null(engine_fault(engine));
    misuses[_i].apply(engine);
    expect_fault(engine_fault(engine), misuses[_i].check);
    engine_destroy(engine);
}
END_TEST

/* ---- what the engine walks and writes ---- */

static void sample_in_a_circle(struct engine *engine)
{
    const int head = engine->policy->processors[HOME].head;

    engine->policy->threads[head].next = head;
    engine_sample(engine, HOME);
}
static void sample_beyond(struct engine *engine)
{
    engine->policy->threads[engine->policy->processors[HOME].head].next = SLOTS_MAX;
    engine_sample(engine, HOME);
}
static void turn_in_a_circle(struct engine *engine)
{
    const int head = engine->policy->processors[HOME].head;

    engine->policy->threads[head].next = head;
    engine_turn(engine, 0);
}
static void apply_too_many(struct engine *engine)
{
    engine->turns->plan.moves_count = SLOTS_MAX + 1;
    engine_apply(engine, 0);
}
static void apply_fewer_than_none(struct engine *engine)
{
    engine->turns->plan.moves_count = -1;
    engine->turns->failed_count = 1;
    engine_decide(engine, 0);
}
static void apply_to_nobody(struct engine *engine)
{
    engine->turns->plan.moves[0] = (struct move){.thread = SLOTS_MAX};
    engine->turns->plan.moves_count = 1;
    engine_apply(engine, 0);
}
static void lose_nothing(struct engine *engine)
{
    engine_processor_lost(engine, PROCESSORS);
}
static void find_nothing(struct engine *engine)
{
    engine_processor_found(engine, -1);
}
static void take_twice(struct engine *engine)
{
    int slot = -1;

    engine->taken[0] = 0;
    ck_assert_int_eq(engine_thread_reserve(engine, &slot), -ENOSPC);
    ck_assert_int_eq(slot, -1);
}
static void give_twice(struct engine *engine)
{
    engine->taken[0] = 0;
    engine_thread_exited(engine, 0);
}
static void place_before_the_first(struct engine *engine)
{
    engine->placing = (struct placing){.has_begun = true, .is_under_way = true, .at = -1};
    engine_start(engine);
}
static void fail_more_than_moved(struct engine *engine)
{
    engine->placing = (struct placing){.has_begun = true, .is_under_way = true, .failed_count = 1};
    engine_start(engine);
}

static const struct {
    const char *check;
    void (*apply)(struct engine *engine);
} damages[] = {
    {"next > thread", sample_in_a_circle},
    {"next < engine->threads_max", sample_beyond},
    {"next > thread", turn_in_a_circle},
    {"moves_count <= engine->threads_max", apply_too_many},
    {"moves_count >= 0", apply_fewer_than_none},
    {"move->thread >= 0", apply_to_nobody},
    {"processor >= 0", lose_nothing},
    {"processor >= 0", find_nothing},
    {"state == THREAD_FREE", take_twice},
    {"engine->taken", give_twice},
    {"placing->at >= 0", place_before_the_first},
    {"placing->failed_count", fail_more_than_moved},
};

START_TEST(a_damaged_engine_is_found_out_and_comes_to_an_end)
{
    struct machine machine;
    int placed_count = 0;
    const struct ports ports = {&placed_count, world_now, world_sample, world_place};

    ck_assert_int_eq(machine_uniform(PROCESSORS, DOMAINS, &machine), 0);
    struct engine *engine = engine_of(&ports, &machine);
    engine_start(engine);
    ck_assert_ptr_null(engine_fault(engine));
    damages[_i].apply(engine);
    expect_fault(engine_fault(engine), damages[_i].check);
    ck_assert_int_eq(placed_count, THREADS);
    engine_destroy(engine);
}
END_TEST

/* ---- the balancers' protocol ---- */

static int64_t live_now(void *context)
{
    (void)context;
    return clock_now_ns();
}

/* The balancer of the processor with the fewest threads waits for the decision of the others. */
static int live_sample(void *context, int thread, struct sample *sample)
{
    (void)context;
    if (thread == 0)
        usleep(20000);
    sample->thread = thread;
    sample->now_ns = live_now(NULL);
    return 0;
}

static void turns_decided(struct balancers *balancers)
{
    balancers->crews->decided_count = 7;
}
static void turns_later(struct balancers *balancers)
{
    balancers->crews->turned_ns = INT64_MAX;
}

static void arrivals(struct balancers *balancers)
{
    balancers->crews->arrived_count = balancers->crews->members_count;
}

static void sleepers(struct balancers *balancers)
{
    balancers->crews->sleepers_count = balancers->crews->members_count;
}

static const struct {
    const char *check;
    enum balancers_shape shape;
    void (*apply)(struct balancers *balancers);
} disorders[] = {
    {"taken_count - decided_count <= 1", BALANCERS_PER_PROCESSOR, turns_decided},
    {"arrived_count <= crew->members_count", BALANCERS_PER_PROCESSOR, arrivals},
    {"sleepers_count < crew->members_count", BALANCERS_PER_PROCESSOR, sleepers},
    {"interval_ns >= 0", BALANCERS_PER_PROCESSOR, turns_later},
    {"interval_ns >= 0", BALANCERS_SINGLE, turns_later},
};

/* Within ten seconds: nothing is asserted of how soon. */
static const char *fault_await(const struct balancers *balancers)
{
    for (int i = 0; i < 1000 && !balancers_fault(balancers); i++)
        usleep(10000);
    return balancers_fault(balancers);
}

START_TEST(balancers_out_of_step_are_found_out)
{
    struct machine machine;
    struct balancers *balancers;
    int placed_count = 0;
    const struct ports ports = {&placed_count, live_now, live_sample, world_place};

    ck_assert_int_eq(machine_uniform(2, 1, &machine), 0);
    struct engine *engine = engine_of(&ports, &machine);
    ck_assert_int_eq(balancers_start(disorders[_i].shape, &machine, engine, &balancers), 0);
    disorders[_i].apply(balancers);
    engine_start(engine);
    balancers_notify(balancers);
    expect_fault(fault_await(balancers), disorders[_i].check);
    balancers_stop(balancers);
    ck_assert_ptr_null(engine_fault(engine));
    engine_destroy(engine);
}
END_TEST

START_TEST(balancers_in_step_are_whole_to_the_end)
{
    struct machine machine;
    int placed_count = 0;
    const struct ports ports = {&placed_count, live_now, live_sample, world_place};

    ck_assert_int_eq(machine_uniform(2, 1, &machine), 0);
    for (int i = 0; i < 20; i++) {
        struct engine *engine = engine_of(&ports, &machine);
        struct balancers *balancers;
        struct engine_statistics statistics = {0};

        ck_assert_int_eq(balancers_start(BALANCERS_PER_PROCESSOR, &machine, engine, &balancers), 0);
        engine_start(engine);
        balancers_notify(balancers);
        while (statistics.rounds_count < 2 && !balancers_fault(balancers)) {
            usleep(1000);
            engine_statistics(engine, &statistics);
        }
        ck_assert_ptr_null(balancers_fault(balancers));
        balancers_stop(balancers);
        engine_destroy(engine);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("checks");
    TCase *tcase = tcase_create("checks");

    tcase_add_loop_test(tcase, a_broken_policy_is_found_out, 0, (int)ARRAY_COUNT(breakages));
    tcase_add_loop_test(tcase, what_one_thread_broke_is_found_without_the_others, 0,
                        (int)ARRAY_COUNT(touched));
    tcase_add_test(tcase, who_was_moved_for_another_is_checked);
    tcase_add_test(tcase, a_period_is_checked_in_its_own_domain);
    tcase_add_test(tcase, the_first_fault_stays);
    tcase_add_test(tcase, nobody_is_moved_by_a_broken_policy);
    tcase_add_loop_test(tcase, a_slot_that_is_misused_is_found_out, 0, (int)ARRAY_COUNT(misuses));
    tcase_add_loop_test(tcase, a_damaged_engine_is_found_out_and_comes_to_an_end, 0,
                        (int)ARRAY_COUNT(damages));
    tcase_add_loop_test(tcase, balancers_out_of_step_are_found_out, 0, (int)ARRAY_COUNT(disorders));
    tcase_add_test(tcase, balancers_in_step_are_whole_to_the_end);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite_finish(suite);
}
