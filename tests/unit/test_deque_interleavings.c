/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every interleaving of small programs over the real deque.
 *
 * deque.c is compiled into this file with its atomic operations and its copying of tasks turned
 * into points where another thread may continue. An owner and two thieves are coroutines; from
 * every state, each of them is resumed in turn, depth first, until no new state is found. A state
 * is the deque, its memory, what came out so far, and per thread the step of its program and all
 * values that it has read in this step, which determine its local variables. Threads interleave at
 * single atomic operations and single tasks; weaker orders of memory are ThreadSanitizer's part
 * (test_deque.c).
 */
#include "tests/lib/suite.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
#include <stdio.h>

int main(void)
{
    puts("coroutines and their copied stacks confuse sanitizers");
    return 77;
}

#else

#include "libjuggle/steal/deque/deque.h"

#include <stdio.h>
#include <string.h>
#include <ucontext.h>

static void step(void);
static void observe(uint64_t value);

static inline uint32_t load_u32(const _Atomic uint32_t *object, memory_order order)
{
    step();
    uint32_t value = atomic_load_explicit(object, order);
    observe(value);
    return value;
}

static inline uint64_t load_u64(const _Atomic uint64_t *object, memory_order order)
{
    step();
    uint64_t value = atomic_load_explicit(object, order);
    observe(value);
    return value;
}

static inline struct deque_ring *load_ring(struct deque_ring *const _Atomic *object,
                                           memory_order order)
{
    step();
    struct deque_ring *ring = atomic_load_explicit(object, order);
    observe((uintptr_t)ring);
    return ring;
}

static inline void store_ring(struct deque_ring *_Atomic *object, struct deque_ring *ring,
                              memory_order order)
{
    step();
    atomic_store_explicit(object, ring, order);
}

static inline uint32_t add_u32(_Atomic uint32_t *object, uint32_t value, memory_order order)
{
    step();
    return atomic_fetch_add_explicit(object, value, order);
}

static inline uint64_t add_u64(_Atomic uint64_t *object, uint64_t value, memory_order order)
{
    step();
    return atomic_fetch_add_explicit(object, value, order);
}

static inline bool swap_u64(_Atomic uint64_t *object, uint64_t *expected, uint64_t desired,
                            memory_order success, memory_order failure)
{
    step();
    bool swapped = atomic_compare_exchange_strong_explicit(object, expected, desired, success,
                                                           failure);
    observe(swapped);
    observe(*expected);
    return swapped;
}

static inline void *copy_tasks(void *to, const void *from, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        step();
        uint64_t task = *(const uint64_t *)((const char *)from + at);
        observe(task);
        *(uint64_t *)((char *)to + at) = task;
    }
    return to;
}

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_fetch_add_explicit
#undef atomic_compare_exchange_weak_explicit
#undef memcpy
#define atomic_load_explicit(object, order) \
    _Generic((object), _Atomic uint32_t * : load_u32, const _Atomic uint32_t * : load_u32, \
             _Atomic uint64_t * : load_u64, const _Atomic uint64_t * : load_u64, \
             struct deque_ring *_Atomic * : load_ring, \
             struct deque_ring *const _Atomic * : load_ring)(object, order)
#define atomic_store_explicit(object, value, order) store_ring(object, value, order)
#define atomic_fetch_add_explicit(object, value, order) \
    _Generic((object), _Atomic uint32_t * : add_u32, _Atomic uint64_t * : add_u64)(object, value, order)
#define atomic_compare_exchange_weak_explicit swap_u64
#define memcpy                                copy_tasks
#include "libjuggle/steal/deque/deque.c"
#undef memcpy

enum {
    THREADS = 3, /* the owner and two thieves */
    STACK = 16384,
    TASKS_MAX = 8,
    MEMORY = 512,
    RUINS = 0xee,
    VISITED_SLOTS = 1 << 22,
    SNAPSHOTS_MAX = 256,
    NOBODY = -1,
};

struct coroutine {
    ucontext_t context;
    _Alignas(64) char stack[STACK];
};

/* All that the state of a run consists of, so that copying it forks the run. */
struct world {
    _Alignas(DEQUE_LINE) unsigned char memory[MEMORY];
    uint64_t memory_used;
    struct deque deque;
    uint64_t seen[THREADS];      /* digest of what each thread has read in its present step */
    uint64_t done[THREADS];      /* steps of its program that it has finished */
    uint64_t added;              /* tasks: 1, 2, ... */
    uint64_t out[TASKS_MAX + 1]; /* how often each came out */
    uint64_t over[THREADS];
    struct coroutine coroutine[THREADS];
};

/* The programs of the threads: the owner's letters; each thief steals `steals` times, at most
 * `most` tasks. */
struct scenario {
    const char *owner; /* a: add, p: pop one, P: pop two, s: share, k: share but two */
    int steals;
    uint32_t most;
    uint32_t capacity_last;
    bool complete_early; /* a deliberate mistake, to see that it is found */
};

static struct world world;
static struct world snapshot[SNAPSHOTS_MAX];
static uint64_t visited[VISITED_SLOTS];
static const struct scenario *scenario;
static ucontext_t explorer;
static int running; /* thread, or NOBODY while the explorer itself looks */
static uint64_t states;
static const char *wrong;

/* Rings lie in the world, and no memory is used twice: a thread that reads a ring that was given
 * back reads overwritten memory. */
void *memory_reserve(size_t size)
{
    unsigned char *memory = world.memory + world.memory_used;

    ck_assert_uint_le(world.memory_used + size, MEMORY);
    world.memory_used += size;
    return memory;
}

void memory_release(void *memory, size_t size)
{
    memset(memory, RUINS, size);
}

static uint64_t mix(uint64_t digest, uint64_t value)
{
    digest = ((digest ^ value) + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ (digest >> 29);
}

static void observe(uint64_t value)
{
    if (running == NOBODY)
        return;
    world.seen[running] = mix(world.seen[running], value);
}

/* A point where another thread may continue. Arriving here is progress, even if nothing was
 * read. */
static void step(void)
{
    if (running == NOBODY)
        return;
    observe(0);
    swapcontext(&world.coroutine[running].context, &explorer);
}

static void step_done(void)
{
    world.seen[running] = 0;
    world.done[running]++;
}

static void take(uint64_t task)
{
    if (task == 0 || task > world.added)
        wrong = "something came out that never went in";
    else if (++world.out[task] > 1)
        wrong = "a task came out twice";
}

static void owner_pop(uint32_t most)
{
    uint64_t tasks[2];
    uint32_t count = deque_pop(&world.deque, tasks, most);

    for (uint32_t i = 0; i < count; i++)
        take(tasks[i]);
}

static void owner_add(void)
{
    uint64_t *task = deque_reserve(&world.deque, 1);

    if (!task)
        return;
    step();
    *task = ++world.added;
    deque_commit(&world.deque, 1);
}

static void owner_main(void)
{
    for (const char *letter = scenario->owner; *letter; letter++) {
        if (*letter == 'a')
            owner_add();
        else if (*letter == 's')
            deque_share(&world.deque, 0);
        else if (*letter == 'k')
            deque_share(&world.deque, 2);
        else
            owner_pop(*letter == 'P' ? 2 : 1);
        step_done();
    }
    world.over[running] = 1;
    step();
}

static void thief_main(void)
{
    struct deque_tail *tail = &world.deque.tail;
    struct deque_claim claim;
    uint64_t tasks[TASKS_MAX];

    for (int i = 0; i < scenario->steals; i++) {
        uint32_t count = deque_claim(tail, scenario->most, &claim);

        if (count > 0) {
            if (scenario->complete_early)
                deque_complete(tail, &claim);
            count = deque_copy(tail, &claim, tasks) ? count : 0;
            if (!scenario->complete_early)
                deque_complete(tail, &claim);
        }
        for (uint32_t task = 0; task < count; task++)
            take(tasks[task]);
        step_done();
    }
    world.over[running] = 1;
    step();
}

static uint64_t world_digest(void)
{
    const uint64_t *word = (const uint64_t *)&world;
    uint64_t digest = 1;

    for (size_t i = 0; i < offsetof(struct world, coroutine) / sizeof(*word); i++)
        digest = mix(digest, word[i]);
    return digest;
}

/* Returns true if the state has not been visited before. */
static bool visit(uint64_t digest)
{
    uint64_t slot = digest % VISITED_SLOTS;

    while (visited[slot] != 0 && visited[slot] != digest)
        slot = (slot + 1) % VISITED_SLOTS;
    if (visited[slot] == digest)
        return false;
    visited[slot] = digest;
    ck_assert_msg(++states < VISITED_SLOTS / 2, "too many states");
    return true;
}

/* All threads have finished: the tasks that are left must be exactly those that have not come
 * out. */
static void world_finish(void)
{
    running = NOBODY;
    while (deque_count(&world.deque) > 0)
        owner_pop(1);
    for (uint64_t task = 1; task <= world.added; task++)
        if (world.out[task] == 0)
            wrong = "a task is lost";
}

static void explore(int depth)
{
    bool over = true;

    ck_assert_int_lt(depth, SNAPSHOTS_MAX);
    snapshot[depth] = world;
    for (int thread = 0; thread < THREADS && !wrong; thread++) {
        world = snapshot[depth];
        if (world.over[thread])
            continue;
        over = false;
        running = thread;
        swapcontext(&explorer, &world.coroutine[thread].context);
        if (!wrong && visit(world_digest()))
            explore(depth + 1);
    }
    if (over)
        world_finish();
}

static void coroutine_open(struct coroutine *coroutine, void (*entry)(void))
{
    getcontext(&coroutine->context);
    coroutine->context.uc_stack.ss_sp = coroutine->stack;
    coroutine->context.uc_stack.ss_size = STACK;
    coroutine->context.uc_link = &explorer;
    makecontext(&coroutine->context, entry, 0);
}

static const char *explore_all(const struct scenario *which)
{
    enum { FIRST_CAPACITY = 2 };

    memset(&world, 0, sizeof(world));
    memset(visited, 0, sizeof(visited));
    scenario = which;
    states = 0;
    wrong = NULL;
    deque_init(&world.deque, sizeof(uint64_t), FIRST_CAPACITY,
               which->capacity_last * sizeof(uint64_t));
    for (int thread = 0; thread < THREADS; thread++)
        coroutine_open(&world.coroutine[thread], thread == 0 ? owner_main : thief_main);
    explore(0);
    printf("%s, %d steals of %u: %lu states\n", which->owner, which->steals, which->most,
           (unsigned long)states);
    return wrong;
}

START_TEST(no_interleaving_loses_or_doubles_a_task)
{
    static const struct scenario scenarios[] = {
        {.owner = "aasppaspp", .steals = 2, .most = 1, .capacity_last = 2},
        {.owner = "aasaapp", .steals = 2, .most = 1, .capacity_last = 2},
        {.owner = "asasaasP", .steals = 1, .most = 2, .capacity_last = 4},
        {.owner = "aasaaasPp", .steals = 2, .most = 1, .capacity_last = 4},
        {.owner = "asaspp", .steals = 2, .most = 2, .capacity_last = 2},
        {.owner = "asaaaapsaP", .steals = 1, .most = 1, .capacity_last = 8},
        {.owner = "aasaaspap", .steals = 3, .most = 2, .capacity_last = 4},
        {.owner = "aaskppa", .steals = 2, .most = 1, .capacity_last = 4},
        {.owner = "aaaskaPk", .steals = 1, .most = 2, .capacity_last = 4},
    };

    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        const char *found = explore_all(&scenarios[i]);

        ck_assert_msg(!found, "%s: %s", scenarios[i].owner, found);
    }
}

START_TEST(completing_before_copying_is_found_out)
{
    const struct scenario mistaken = {
        .owner = "aasaaa", .steals = 1, .most = 1, .capacity_last = 2, .complete_early = true};

    ck_assert_ptr_nonnull(explore_all(&mistaken));
}

SUITE("deque interleavings")
#endif
