/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hours of churn through the engine, in virtual time: threads are born, sleep and die, their
 * numbers are given to others before the job has noticed, processors leave and return, jobs come
 * and go. When all threads have gone, nothing may be left: no thread, no mask, no slot, no memory.
 *
 * STRESS=1 in the environment takes a day instead of an hour.
 */
#include "tests/lib/suite.h"

#include "libjuggle/engine/engine.h"
#include "libjuggle/job/members.h"
#include "libjuggle/ground/prng.h"

#include <errno.h>
#include <stdio.h>

enum {
    PROCESSORS = 6,
    DOMAINS = 2,
    JOBS = 3,
    SLOTS = 24,
    TIDS = 64,
    NOBODY = -1,
    ANYWHERE = -1,
    FAILURES_ONE_IN = 500,
};

#define PERIOD_NS  (20 * NSEC_PER_MSEC)
#define CHURN_NS   (50 * NSEC_PER_MSEC)
#define LOOK_NS    NSEC_PER_SEC
#define HOUR_NS    (3600 * NSEC_PER_SEC)
#define DAY_NS     (24 * HOUR_NS)
#define SESSION_NS (300 * NSEC_PER_SEC)

/* A thread number, and the thread that has it now. */
struct task {
    bool alive;
    bool sleeps;
    int64_t born; /* tells it from earlier threads with this number */
    int processor;
    int mask; /* ANYWHERE or a processor */
    int64_t settled_ns, run_ns, wait_ns;
};

/* The thread that a job believes to be in a slot. */
struct entry {
    int tid; /* or NOBODY */
    int64_t born;
    int member;
};

struct world;

struct work {
    struct world *world;
    struct engine *engine; /* NULL: there is no such job */
    struct members *members;
    struct entry entries[SLOTS];
    int members_of[TIDS]; /* by thread number: its last member */
};

struct world {
    struct prng prng;
    struct machine machine;
    int64_t now_ns;
    int64_t births;
    bool online[PROCESSORS];
    struct task tasks[TIDS];
    struct work works[JOBS];
    int64_t turns_count, works_count;
};

/* Only a sanitizer counts exactly: the C library keeps freed memory for later. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static size_t allocated(void)
{
    return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : 0;
}

static int below(struct world *world, int bound)
{
    return (int)prng_below(&world->prng, (uint64_t)bound);
}

/* ---- the world's threads ---- */

/* Brings the times of a thread up to now. Threads that are awake on a processor share it evenly. */
static void settle(struct world *world, struct task *task)
{
    const int64_t elapsed_ns = world->now_ns - task->settled_ns;
    int sharers = 0;

    for (int i = 0; i < TIDS; i++)
        sharers += world->tasks[i].alive && !world->tasks[i].sleeps &&
                   world->tasks[i].processor == task->processor;
    task->settled_ns = world->now_ns;
    if (task->sleeps)
        return;
    task->run_ns += elapsed_ns / sharers;
    task->wait_ns += elapsed_ns - elapsed_ns / sharers;
}

static int task_born(struct world *world)
{
    const int tid = below(world, TIDS);
    struct task *task = &world->tasks[tid];

    if (task->alive)
        return NOBODY;
    *task = (struct task){
        .alive = true,
        .born = ++world->births,
        .processor = below(world, PROCESSORS),
        .mask = ANYWHERE,
        .settled_ns = world->now_ns,
    };
    return tid;
}

/* Returns the thread that a slot means; NULL when it is gone, even if another thread has its
 * number. */
static struct task *task_of(const struct work *work, int slot)
{
    const struct entry *entry = &work->entries[slot];

    REQUIRE(entry->tid != NOBODY, "slot %d is empty", slot);
    struct task *task = &work->world->tasks[entry->tid];
    return task->alive && task->born == entry->born ? task : NULL;
}

/* ---- ports ---- */

static int64_t world_now(void *context)
{
    return ((struct work *)context)->world->now_ns;
}

static int world_sample(void *context, int slot, struct sample *sample)
{
    const struct work *work = context;
    struct task *task = task_of(work, slot);

    if (!task)
        return -ESRCH;
    settle(work->world, task);
    *sample = (struct sample){
        .now_ns = work->world->now_ns,
        .run_ns = task->run_ns,
        .wait_ns = task->wait_ns,
        .slices_count = task->run_ns / NSEC_PER_MSEC,
        .state = task->sleeps ? SAMPLE_SLEEPING : SAMPLE_RUNNABLE,
    };
    return 0;
}

static int world_place(void *context, int slot, const struct move *move)
{
    struct work *work = context;
    struct task *task = task_of(work, slot);

    if (!task)
        return -ESRCH;
    if (!work->world->online[move->to] || below(work->world, FAILURES_ONE_IN) == 0)
        return -EINVAL;
    settle(work->world, task);
    task->processor = move->to;
    task->mask = move->to;
    return 0;
}

/* ---- jobs ---- */

static void work_add(struct work *work, int tid)
{
    const struct task *task = &work->world->tasks[tid];
    struct thread_info info = {.id = {tid, tid, (uint64_t)task->born}, .comm = {"churn"}};
    int slot;

    if (engine_thread_reserve(work->engine, &slot))
        return; /* the engine is full: the job leaves the thread alone */
    REQUIRE(work->entries[slot].tid == NOBODY, "slot %d is given out twice", slot);
    work->members_of[tid] = members_join(work->members, &info, work->members_of[tid]);
    work->entries[slot] = (struct entry){tid, task->born, work->members_of[tid]};
    engine_thread_arrived(work->engine, slot, below(work->world, DOMAINS));
}

static void work_drop(struct work *work, int slot)
{
    struct entry *entry = &work->entries[slot];
    struct task *task = task_of(work, slot);
    struct thread_view view;

    ck_assert_int_eq(engine_thread(work->engine, slot, &view), 0);
    members_update(work->members, entry->member, &view, view.processor);
    members_leave(work->members, entry->member, task ? MEMBER_LEFT : MEMBER_ENDED);
    engine_thread_exited(work->engine, slot);
    ck_assert_int_eq(engine_thread(work->engine, slot, &view), -ENOENT);
    if (task)
        task->mask = ANYWHERE;
    *entry = (struct entry){.tid = NOBODY};
}

static void work_begin(struct world *world, struct work *work)
{
    const struct policy_options options = {
        .kind = (enum policy_kind)below(world, POLICY_KINDS_COUNT),
        .period_ns = PERIOD_NS,
        .jitter = 0.1,
        .seed = (uint64_t)world->births,
        .threads_max = SLOTS,
    };
    const struct ports ports = {work, world_now, world_sample, world_place};

    work->world = world;
    for (int slot = 0; slot < SLOTS; slot++)
        work->entries[slot] = (struct entry){.tid = NOBODY};
    for (int tid = 0; tid < TIDS; tid++)
        work->members_of[tid] = MEMBER_NONE;
    ck_assert_int_eq(engine_create(&world->machine, &options, &ports, NULL, &work->engine), 0);
    ck_assert_int_eq(members_create(2 * SLOTS, &work->members), 0);
    for (int i = 0; i < PROCESSORS; i++)
        if (!world->online[i])
            engine_processor_lost(work->engine, i);
    for (int i = 0; i < SLOTS / 2; i++) {
        const int tid = task_born(world);
        if (tid != NOBODY)
            work_add(work, tid);
    }
    engine_start(work->engine);
    world->works_count++;
}

static void work_end(struct work *work)
{
    int slot, free_count = 0;

    for (int i = 0; i < SLOTS; i++)
        if (work->entries[i].tid != NOBODY)
            work_drop(work, i);
    while (engine_thread_reserve(work->engine, &slot) == 0)
        free_count++;
    ck_assert_int_eq(free_count, SLOTS);
    engine_destroy(work->engine);
    members_destroy(work->members);
    *work = (struct work){0};
}

/* Checks that the engine has the threads that the job has given it, all of them on online
 * processors. */
static void work_look(struct work *work)
{
    struct thread_view view;

    for (int slot = 0; slot < SLOTS; slot++) {
        const bool used = work->entries[slot].tid != NOBODY;
        ck_assert_int_eq(engine_thread(work->engine, slot, &view), used ? 0 : -ENOENT);
        if (used && !task_of(work, slot))
            work_drop(work, slot);
    }
}

/* ---- churn ---- */

static struct work *work_any(struct world *world)
{
    struct work *work = &world->works[below(world, JOBS)];

    return work->engine ? work : NULL;
}

static void churn_birth(struct world *world)
{
    const int tid = task_born(world);
    struct work *work = work_any(world);

    if (tid != NOBODY && work)
        work_add(work, tid);
}

static void churn_death(struct world *world)
{
    world->tasks[below(world, TIDS)].alive = false;
}

static void churn_sleep(struct world *world)
{
    struct task *task = &world->tasks[below(world, TIDS)];

    if (!task->alive)
        return;
    settle(world, task);
    task->sleeps = !task->sleeps;
}

static int online_count(const struct world *world)
{
    int count = 0;

    for (int i = 0; i < PROCESSORS; i++)
        count += world->online[i];
    return count;
}

static void churn_processor(struct world *world)
{
    const int processor = below(world, PROCESSORS);
    bool *online = &world->online[processor];

    if (*online && online_count(world) == 1)
        return;
    *online = !*online;
    for (int i = 0; i < JOBS; i++) {
        if (!world->works[i].engine)
            continue;
        if (*online)
            engine_processor_found(world->works[i].engine, processor);
        else
            engine_processor_lost(world->works[i].engine, processor);
    }
}

static void churn_work(struct world *world)
{
    struct work *work = &world->works[below(world, JOBS)];

    if (work->engine)
        work_end(work);
    else
        work_begin(world, work);
}

static void churn(struct world *world)
{
    static const struct {
        void (*act)(struct world *world);
        int weight;
    } acts[] = {{churn_birth, 40},
                {churn_death, 40},
                {churn_sleep, 14},
                {churn_processor, 4},
                {churn_work, 2}};
    int dice = below(world, 100);
    size_t i = 0;

    while (dice >= acts[i].weight)
        dice -= acts[i++].weight;
    acts[i].act(world);
}

/* ---- time ---- */

/* Takes the turns that are due; returns when the next one is due. */
static int64_t take_turns(struct world *world)
{
    int64_t next_ns = INT64_MAX;

    for (int i = 0; i < JOBS; i++) {
        struct work *work = &world->works[i];
        for (int domain = 0; work->engine && domain < DOMAINS; domain++) {
            if (engine_next_ns(work->engine, domain) <= world->now_ns) {
                engine_turn(work->engine, domain);
                world->turns_count++;
            }
            next_ns = min_i64(next_ns, engine_next_ns(work->engine, domain));
        }
    }
    return next_ns;
}

static void run_until(struct world *world, int64_t end_ns)
{
    int64_t churn_ns = world->now_ns, look_ns = world->now_ns;

    while (world->now_ns < end_ns) {
        int64_t next_ns = take_turns(world);
        if (churn_ns <= world->now_ns) {
            churn(world);
            churn_ns = world->now_ns + 1 + (int64_t)prng_below(&world->prng, 2 * CHURN_NS);
        }
        if (look_ns <= world->now_ns) {
            for (int i = 0; i < JOBS; i++)
                if (world->works[i].engine)
                    work_look(&world->works[i]);
            look_ns = world->now_ns + LOOK_NS;
        }
        next_ns = min_i64(next_ns, min_i64(churn_ns, look_ns));
        world->now_ns = max_i64(world->now_ns + 1, next_ns);
    }
}

static void everybody_goes(struct world *world)
{
    for (int i = 0; i < JOBS; i++)
        if (world->works[i].engine)
            work_end(&world->works[i]);
    for (int i = 0; i < TIDS; i++) {
        REQUIRE(!world->tasks[i].alive || world->tasks[i].mask == ANYWHERE,
                "thread %d is still bound to processor %d", i, world->tasks[i].mask);
        world->tasks[i].alive = false;
    }
}

START_TEST(nothing_is_left_when_everybody_has_gone)
{
    static struct world world;
    const int64_t end_ns = stress() ? DAY_NS : HOUR_NS;

    prng_seed(&world.prng, 1);
    ck_assert_int_eq(machine_uniform(PROCESSORS, DOMAINS, &world.machine), 0);
    for (int i = 0; i < PROCESSORS; i++)
        world.online[i] = true;
    const size_t before = allocated();
    while (world.now_ns < end_ns) {
        run_until(&world, world.now_ns + SESSION_NS);
        everybody_goes(&world);
        REQUIRE(allocated() == before, "%zu bytes are left", allocated() - before);
    }
    ck_assert_int_gt(world.works_count, world.now_ns / SESSION_NS);
    ck_assert_int_gt(world.turns_count, end_ns / NSEC_PER_SEC);
    printf("%lld s: %lld turns, %lld threads, %lld jobs\n",
           (long long)(world.now_ns / NSEC_PER_SEC), (long long)world.turns_count,
           (long long)world.births, (long long)world.works_count);
}

SUITE("churn")
