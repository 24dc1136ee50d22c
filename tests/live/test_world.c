/* SPDX-License-Identifier: BSD-3-Clause */
/* Masks of real threads: placed, inherited, undone, chosen by the program, and given back. */
#include "tests/lib/live.h"
#include "tests/lib/suite.h"

#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/topology.h"
#include "libjuggle/linux/world_masks.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sched.h>
#include <unistd.h>

enum {
    THREADS_MAX = 8,
    PLACEMENTS_COUNT = 2000,
    MOVES_COUNT = 100,
    LOOKS_COUNT = 200,
    LOOKS_MAX = 100000
};

static struct machine machine;
static const int later_us = 50000; /* start times have steps of a clock tick */
static struct cpu_mask given;
static struct world *world;
static struct mask_table *table;
static struct debts *debts;
static struct ports ports;
static int proc_fd;

/* Returns false, and prints why, if there are not two processors. */
static bool begin_with(struct world_options options)
{
    const struct topology_options topology = {.inter_domain = true};

    options.machine = &machine;
    options.threads_max = THREADS_MAX;
    options.readers_max = 2;
    options.progress = PROGRESS_SCHEDSTAT;
    options.given = &given;

    ck_assert_int_eq(topology_load(&topology, &machine, NULL), 0);
    if (machine.processors_count < 2) {
        printf("skip: placing needs two processors\n");
        return false;
    }
    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(affinity_get(0, &given), 0);
    ck_assert_int_eq(mask_table_create(THREADS_MAX, -1, &table), 0);
    ck_assert_int_eq(debts_create(proc_fd, table, &debts), 0);
    options.proc_fd = proc_fd;
    options.sys_fd = -1;
    options.debts = debts;
    ck_assert_int_eq(world_create(&options, &world), 0);
    world_ports(world, &ports);
    return true;
}

static bool begin(void)
{
    return begin_with((struct world_options){0});
}

static void finish(void)
{
    world_destroy(world);
    debts_destroy(debts);
    mask_table_destroy(table);
    close(proc_fd);
}

static struct cpu_mask mask_of(pid_t tid)
{
    struct cpu_mask mask;

    ck_assert_int_eq(affinity_get(tid, &mask), 0);
    return mask;
}

static struct cpu_mask only(int processor)
{
    struct cpu_mask mask;

    cpu_mask_clear(&mask);
    cpu_mask_add(&mask, machine.processors[processor].os_index);
    return mask;
}

static bool runs_on(pid_t tid, struct cpu_mask expected)
{
    struct cpu_mask mask = mask_of(tid);

    return cpu_mask_equal(&mask, &expected);
}

static int place(int slot, int processor, enum move_scope scope)
{
    const struct move move = {.thread = slot, .to = processor, .scope = scope};

    return ports.place(ports.world, slot, &move);
}

static void attach(int slot, pid_t pid, pid_t tid)
{
    const struct thread_id id = id_of(pid, tid);

    ck_assert_int_eq(world_attach(world, slot, &id), 0);
}

static enum affinity_owner check(int slot)
{
    enum affinity_owner owner;

    ck_assert_int_eq(world_check(world, slot, &owner), 0);
    return owner;
}

START_TEST(threads_go_where_they_are_placed_and_get_their_masks_back)
{
    pid_t pid = child_start(live_forever, NULL);

    if (!begin())
        return;
    attach(3, pid, pid);
    ck_assert(runs_on(pid, given));
    ck_assert_int_eq(place(3, 1, SCOPE_PROCESSOR), 0);
    ck_assert(runs_on(pid, only(1)));
    ck_assert_int_eq(place(3, 0, SCOPE_PROCESSOR), 0);
    ck_assert(runs_on(pid, only(0)));
    ck_assert_int_eq(check(3), AFFINITY_OURS);
    ck_assert_int_eq(world_detach(world, 3), 0);
    ck_assert(runs_on(pid, given));
    finish();
    child_end(pid);
}

START_TEST(a_domain_is_as_wide_as_its_processors)
{
    pid_t pid = child_start(live_forever, NULL);

    if (!begin())
        return;
    attach(0, pid, pid);
    ck_assert_int_eq(place(0, 1, SCOPE_PROCESSOR), 0);
    ck_assert_int_eq(place(0, 1, SCOPE_DOMAIN), 0);
    for (int i = 0; i < machine.processors_count; i++) {
        struct cpu_mask mask = mask_of(pid);
        ck_assert(cpu_mask_has(&mask, machine.processors[i].os_index));
    }
    finish();
    ck_assert(runs_on(pid, given));
    child_end(pid);
}

static void pin(pid_t tid, int processor)
{
    struct cpu_mask mask = only(processor);

    ck_assert_int_eq(affinity_set(tid, &mask), 0);
}

static void compute_forever(void *unused)
{
    (void)unused;
    for (;;)
        ;
}

static int processor_of(int slot)
{
    struct sample sample;

    ck_assert_int_eq(ports.sample(ports.world, slot, &sample), 0);
    return sample.processor;
}

/* When the call returns the thread is on the processor to which it was moved, though it may
 * leave it again. */
START_TEST(an_open_mask_moves_a_thread_and_stays_open)
{
    pid_t pid = child_start(compute_forever, NULL);

    if (!begin_with((struct world_options){.open = true}))
        return;
    attach(0, pid, pid);
    for (int i = 0; i < MOVES_COUNT; i++) {
        ck_assert_int_eq(place(0, i % 2, SCOPE_PROCESSOR), 0);
        ck_assert(runs_on(pid, given));
        ck_assert_int_eq(check(0), AFFINITY_OURS);
    }
    finish();
    child_end(pid);
}

START_TEST(a_thread_that_was_taken_elsewhere_is_moved_home)
{
    pid_t pid = child_start(compute_forever, NULL);
    int looks = 0;

    if (!begin_with((struct world_options){.open = true}))
        return;
    attach(0, pid, pid);
    ck_assert_int_eq(place(0, 0, SCOPE_PROCESSOR), 0);
    /* As the kernel's load balancing would move it. */
    pin(pid, 1);
    ck_assert_int_eq(affinity_set(pid, &given), 0);
    while (processor_of(0) != 0 && looks++ < LOOKS_MAX)
        ;
    ck_assert_int_lt(looks, LOOKS_MAX);
    ck_assert(runs_on(pid, given));
    finish();
    child_end(pid);
}

/* Returns exactly what the thread ran since the last call. */
static int64_t truth_ns(struct progress *perf)
{
    static int64_t last_ns;
    struct sample sample = {0};

    ck_assert_int_eq(progress_read(perf, 0, &sample), 0);
    const int64_t ran_ns = sample.run_ns - last_ns;
    last_ns = sample.run_ns;
    return ran_ns;
}

/* The same, as a balancer on another processor sees it. */
static int64_t seen_ns(void)
{
    static int64_t last_ns;
    struct sample sample = {0};

    ck_assert_int_eq(ports.sample(ports.world, 0, &sample), 0);
    ck_assert_int_ge(sample.run_ns, last_ns);
    const int64_t ran_ns = sample.run_ns - last_ns;
    last_ns = sample.run_ns;
    return ran_ns;
}

static bool perf_open(pid_t pid, struct progress **perf)
{
    const struct progress_options options = {
        .proc_fd = proc_fd,
        .threads_max = 1,
        .readers_max = 1,
    };
    const struct thread_id id = id_of(pid, pid);
    const int error = progress_open(PROGRESS_PERF, &options, perf);

    if (error) {
        printf("skip: nothing to compare with: perf: %s\n", strerror(-error));
        return false;
    }
    ck_assert_int_eq(progress_thread_open(*perf, 0, &id), 0);
    return true;
}

/* Ticks update the counters every 4 ms; here they are read every 1 ms. If other programs use the
 * processor, not all reads are up to date. */
START_TEST(who_runs_elsewhere_is_seen_as_it_is_now)
{
    pid_t pid = child_start(compute_forever, NULL);
    struct progress *perf;
    int ran_count = 0, close_count = 0;

    if (!begin_with((struct world_options){.open = true}) || !perf_open(pid, &perf))
        return;
    if (!kernel_refreshes_remote_counters()) {
        printf("skip: kernels before 6.12 requeue nobody\n");
        return;
    }
    attach(0, pid, pid);
    pin(0, 0);
    ck_assert_int_eq(place(0, 1, SCOPE_PROCESSOR), 0);
    truth_ns(perf);
    seen_ns();
    for (int i = 0; i < LOOKS_COUNT; i++) {
        usleep(1000);
        const int64_t ran_ns = truth_ns(perf), distance_ns = llabs(ran_ns - seen_ns());
        ran_count += ran_ns > NSEC_PER_MSEC / 2;
        close_count += ran_ns > NSEC_PER_MSEC / 2 && distance_ns < NSEC_PER_MSEC / 2;
    }
    ck_assert_int_ge(2 * close_count, ran_count);
    progress_close(perf);
    ck_assert_int_eq(affinity_set(0, &given), 0);
    finish();
    child_end(pid);
}

START_TEST(a_pin_of_the_program_is_seen_before_each_move)
{
    pid_t pid = child_start(compute_forever, NULL);

    if (!begin_with((struct world_options){.open = true}))
        return;
    attach(0, pid, pid);
    ck_assert_int_eq(place(0, 0, SCOPE_PROCESSOR), 0);
    pin(pid, 1);
    ck_assert_int_eq(place(0, 0, SCOPE_PROCESSOR), -EBUSY);
    ck_assert_int_eq(processor_of(0), 1);
    ck_assert(runs_on(pid, only(1)));
    ck_assert_int_eq(check(0), AFFINITY_PROGRAM);
    finish();
    ck_assert(runs_on(pid, only(1)));
    child_end(pid);
}

/* A process whose first thread creates another one when it is told to. */
struct parent_program {
    int go[2];
    int told[2];
};

static void *second_live(void *context)
{
    const struct parent_program *program = context;
    pid_t tid = gettid();

    ck_assert_int_eq(write(program->told[1], &tid, sizeof(tid)), sizeof(tid));
    live_forever(NULL);
    return NULL;
}

static void first_live(void *context)
{
    const struct parent_program *program = context;
    pthread_t thread;
    char unused;

    if (read(program->go[0], &unused, 1) == 1)
        pthread_create(&thread, NULL, second_live, context);
    live_forever(NULL);
}

static pid_t second_start(const struct parent_program *program)
{
    pid_t tid;

    ck_assert_int_eq(write(program->go[1], "", 1), 1);
    ck_assert_int_eq(read(program->told[0], &tid, sizeof(tid)), sizeof(tid));
    return tid;
}

START_TEST(those_born_with_a_pin_of_ours_are_widened)
{
    struct parent_program program;
    struct thread_id id;
    pid_t pid, tid;

    ck_assert_int_eq(pipe(program.go), 0);
    ck_assert_int_eq(pipe(program.told), 0);
    pid = child_start(first_live, &program);
    if (!begin())
        return;
    attach(0, pid, pid);
    id = id_of(pid, pid);
    ck_assert(!world_unpin_inherited(world, &id));
    ck_assert_int_eq(place(0, 1, SCOPE_PROCESSOR), 0);
    tid = second_start(&program);
    ck_assert(runs_on(tid, only(1)));
    id = id_of(pid, tid);
    ck_assert(world_unpin_inherited(world, &id));
    ck_assert(runs_on(tid, given));
    finish();
    child_end(pid);
}

START_TEST(those_born_with_a_pin_of_ours_get_what_their_creator_had)
{
    struct parent_program program;
    pid_t pid, tid;

    ck_assert_int_eq(pipe(program.go), 0);
    ck_assert_int_eq(pipe(program.told), 0);
    pid = child_start(first_live, &program);
    if (!begin())
        return;
    attach(0, pid, pid);
    ck_assert_int_eq(place(0, 1, SCOPE_PROCESSOR), 0);
    tid = second_start(&program);
    attach(1, pid, tid);
    ck_assert_int_eq(place(1, 0, SCOPE_PROCESSOR), 0);
    ck_assert(runs_on(tid, only(0)));
    finish();
    ck_assert(runs_on(tid, given));
    ck_assert(runs_on(pid, given));
    child_end(pid);
}

START_TEST(a_program_that_placed_its_threads_is_left_alone)
{
    pid_t pid = child_start(live_forever, NULL);
    struct thread_id id;

    if (!begin())
        return;
    pin(pid, 1);
    id = id_of(pid, pid);
    ck_assert_int_eq(world_attach(world, 0, &id), -EBUSY);
    ck_assert(!world_unpin_inherited(world, &id));
    finish();

    ck_assert(begin_with((struct world_options){.override = true}));
    attach(0, pid, pid);
    ck_assert_int_eq(place(0, 0, SCOPE_PROCESSOR), 0);
    finish();
    ck_assert(runs_on(pid, only(1)));
    child_end(pid);
}

/* Its mask looks like a pin of ours, but the thread was born before there was any. */
START_TEST(an_elder_that_placed_itself_has_inherited_nothing)
{
    pid_t pid = child_start(live_forever, NULL);
    pid_t elder = child_start(live_forever, NULL);
    struct thread_id id;

    if (!begin())
        return;
    id = id_of(elder, elder);
    id.pid = pid; /* as if it were a thread of the same process */
    usleep(later_us);
    attach(0, pid, pid);
    ck_assert_int_eq(place(0, 0, SCOPE_PROCESSOR), 0);
    pin(elder, 1);
    ck_assert(!world_unpin_inherited(world, &id));
    ck_assert_int_eq(world_attach(world, 1, &id), -EBUSY);
    finish();
    child_end(pid);
    child_end(elder);
}

START_TEST(a_program_that_places_its_threads_later_is_noticed)
{
    pid_t pid = child_start(live_forever, NULL);

    if (!begin())
        return;
    attach(0, pid, pid);
    ck_assert_int_eq(check(0), AFFINITY_OURS);
    pin(pid, 1);
    ck_assert_int_eq(check(0), AFFINITY_PROGRAM);
    ck_assert_int_eq(place(0, 0, SCOPE_PROCESSOR), -EBUSY);
    ck_assert(runs_on(pid, only(1)));
    ck_assert_int_eq(affinity_set(pid, &given), 0);
    ck_assert_int_eq(place(0, 0, SCOPE_PROCESSOR), 0);
    pin(pid, 1);
    ck_assert_int_eq(check(0), AFFINITY_PROGRAM);
    finish();
    ck_assert(runs_on(pid, only(1)));
    child_end(pid);
}

START_TEST(an_undone_pin_is_renewed)
{
    pid_t pid = child_start(live_forever, NULL);

    if (!begin())
        return;
    attach(0, pid, pid);
    ck_assert_int_eq(place(0, 1, SCOPE_PROCESSOR), 0);
    /* The kernel does this when a cpuset loses the processor and gets it back. */
    ck_assert_int_eq(affinity_set(pid, &given), 0);
    ck_assert_int_eq(check(0), AFFINITY_USERS);
    ck_assert(runs_on(pid, only(1)));
    ck_assert_int_eq(check(0), AFFINITY_OURS);
    finish();
    child_end(pid);
}

START_TEST(the_most_at_once_is_told_of_the_time_since_it_was_asked)
{
    pid_t pids[3];

    if (!begin())
        return;
    ck_assert_int_eq(world_threads_most(world), 0);
    for (int i = 0; i < (int)ARRAY_COUNT(pids); i++) {
        pids[i] = child_start(live_forever, NULL);
        attach(i, pids[i], pids[i]);
    }
    for (int i = 1; i < (int)ARRAY_COUNT(pids); i++)
        ck_assert_int_eq(world_detach(world, i), 0);
    ck_assert_int_eq(world_threads_most(world), 3);
    ck_assert_int_eq(world_threads_most(world), 1);
    /* A thread that is let go of twice counts once. */
    ck_assert_int_eq(world_detach(world, 1), 0);
    attach(2, pids[2], pids[2]);
    ck_assert_int_eq(world_threads_most(world), 2);
    for (int i = 0; i < (int)ARRAY_COUNT(pids); i++)
        child_end(pids[i]);
    finish();
}

START_TEST(the_dead_are_not_acted_upon)
{
    pid_t pid = child_start(live_forever, NULL);
    struct thread_id id, another;
    struct sample sample;
    enum affinity_owner owner;

    if (!begin())
        return;
    id = another = id_of(pid, pid);
    another.start_ticks++;
    ck_assert_int_eq(world_attach(world, 0, &another), -ESRCH);
    ck_assert_int_eq(world_thread(world, 0, &another), -ENOENT);
    attach(0, pid, pid);
    ck_assert_int_eq(world_thread(world, 0, &another), 0);
    ck_assert(thread_id_equal(&id, &another));
    child_end(pid);
    ck_assert_int_eq(place(0, 0, SCOPE_PROCESSOR), -ESRCH);
    ck_assert_int_eq(ports.sample(ports.world, 0, &sample), -ESRCH);
    ck_assert_int_eq(world_check(world, 0, &owner), -ESRCH);
    ck_assert_int_eq(world_attach(world, 1, &id), -ESRCH);
    finish();
}

static bool is_hidden(pid_t pid)
{
    char path[32];

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    return access(path, R_OK) != 0;
}

START_TEST(what_is_not_ours_stays_where_it_is)
{
    pid_t pid = child_start(live_forever, NULL);

    if (!become_nobody()) {
        printf("skip: only root can become nobody\n");
        child_end(pid);
        return;
    }
    if (is_hidden(pid)) {
        printf("skip: /proc hides the processes of others (hidepid)\n");
        return;
    }
    if (!begin())
        return;
    const struct thread_id id = id_of(pid, pid);
    ck_assert_int_eq(world_attach(world, 0, &id), -EPERM);
    ck_assert(runs_on(pid, given));
    finish();
}

/* As the kernel defines it: its headers of Linux 6.1 define the same names as <sched.h>. */
static bool deadline_set(pid_t pid)
{
    const struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime_ns, deadline_ns, period_ns;
    } attributes = {
        .size = sizeof(attributes),
        .policy = SCHED_DEADLINE,
        .runtime_ns = 1 * NSEC_PER_MSEC,
        .deadline_ns = 100 * NSEC_PER_MSEC,
        .period_ns = 100 * NSEC_PER_MSEC,
    };

    return !syscall(SYS_sched_setattr, pid, &attributes, 0);
}

/* The kernel refuses any mask with EBUSY, which does not mean that the program has pinned the
 * thread. */
START_TEST(a_deadline_is_no_pin)
{
    const pid_t early = child_start(live_forever, NULL);
    const pid_t late = child_start(live_forever, NULL);

    if (deadline_set(early) && begin()) {
        const struct thread_id id = id_of(early, early);
        ck_assert_int_eq(world_attach(world, 0, &id), -ENOTSUP);
        attach(0, late, late);
        ck_assert(deadline_set(late));
        ck_assert_int_eq(place(0, 1, SCOPE_PROCESSOR), -ENOTSUP);
        finish();
    } else {
        printf("skip: no permission for SCHED_DEADLINE, or one processor\n");
    }
    child_end(early);
    child_end(late);
}

START_TEST(nobody_may_place_what_is_its_own)
{
    pid_t pid;

    if (!become_nobody()) {
        printf("skip: only root can become nobody\n");
        return;
    }
    pid = child_start(live_forever, NULL);
    if (!begin())
        return;
    attach(0, pid, pid);
    ck_assert_int_eq(place(0, 1, SCOPE_PROCESSOR), 0);
    ck_assert(runs_on(pid, only(1)));
    finish();
    ck_assert(runs_on(pid, given));
    child_end(pid);
}

START_TEST(processors_that_are_taken_away_are_seen)
{
    pid_t pid = child_start(live_forever, NULL);
    bool usable[MACHINE_PROCESSORS_MAX];

    if (!begin())
        return;
    ck_assert_int_eq(world_processors(world, pid, usable), 0);
    ck_assert(usable[0] && usable[1]);
    pin(pid, 1);
    ck_assert_int_eq(world_processors(world, pid, usable), 0);
    ck_assert(!usable[0] && usable[1]);
    finish();
    child_end(pid);
}

/* Places a thread back and forth while another thread checks. */
static void *place_often(void *context)
{
    atomic_bool *done = context;

    for (int i = 0; i < PLACEMENTS_COUNT; i++)
        ck_assert_int_eq(place(0, i % 2, SCOPE_PROCESSOR), 0);
    *done = true;
    return NULL;
}

START_TEST(checks_and_placements_may_meet)
{
    pid_t pid = child_start(live_forever, NULL);
    atomic_bool done = false;
    pthread_t placer;

    if (!begin())
        return;
    attach(0, pid, pid);
    ck_assert_int_eq(place(0, 0, SCOPE_PROCESSOR), 0);
    pthread_create(&placer, NULL, place_often, &done);
    while (!done)
        ck_assert_int_eq(check(0), AFFINITY_OURS);
    pthread_join(placer, NULL);
    ck_assert(runs_on(pid, only((PLACEMENTS_COUNT - 1) % 2)));
    finish();
    child_end(pid);
}

START_TEST(renewals_and_placements_may_meet)
{
    pid_t pid = child_start(live_forever, NULL);
    atomic_bool done = false;
    enum affinity_owner owner;
    pthread_t placer;

    if (!begin())
        return;
    attach(0, pid, pid);
    ck_assert_int_eq(place(0, 0, SCOPE_PROCESSOR), 0);
    pthread_create(&placer, NULL, place_often, &done);
    while (!done) {
        ck_assert_int_eq(affinity_set(pid, &given), 0);
        ck_assert_int_eq(world_check(world, 0, &owner), 0);
        ck_assert_int_ne(owner, AFFINITY_PROGRAM);
    }
    pthread_join(placer, NULL);
    check(0);
    ck_assert(runs_on(pid, only((PLACEMENTS_COUNT - 1) % 2)));
    finish();
    child_end(pid);
}

/* ---- checks that stay ---- */

static const char *misuse(int which)
{
    struct world_thread *thread = &world->threads[0];
    enum affinity_owner owner;

    BREAKAGE("thread->attached", ck_assert_int_eq(place(1, 0, SCOPE_PROCESSOR), -EBUSY));
    BREAKAGE("processors_count",
             ck_assert_int_eq(place(0, machine.processors_count, SCOPE_PROCESSOR), -EBUSY));
    BREAKAGE("thread->placements % 2 == 0", thread->placements++;
             ck_assert_int_eq(place(0, 1, SCOPE_PROCESSOR), -EBUSY); thread->placements++);
    BREAKAGE("debts_has", debts_forget(debts, 0);
             ck_assert_int_eq(place(0, 1, SCOPE_PROCESSOR), -EBUSY));
    BREAKAGE("!attached->attached", ck_assert_int_eq(world_attach(world, 0, &thread->id), -EBUSY));
    BREAKAGE("thread->renewals % 2 == 0", ck_assert_int_eq(affinity_set(thread->id.tid, &given), 0);
             thread->renewals++; ck_assert_int_eq(world_check(world, 0, &owner), -EBUSY));
    return NULL;
}

/* No thread is moved then, and a thread that was moved before gets the mask that it is owed. */
START_TEST(a_broken_table_moves_nobody)
{
    const char *check;
    int which = 0;

    do {
        pid_t pid = child_start(live_forever, NULL);

        if (!begin())
            return;
        attach(0, pid, pid);
        usleep(later_us); /* a thread that is older than its pin cannot have inherited it */
        ck_assert_int_eq(place(0, 0, SCOPE_PROCESSOR), 0);
        check = misuse(which++);
        expect_fault(world_fault(world), check);
        ck_assert(!runs_on(pid, only(1)));
        finish();
        ck_assert(runs_on(pid, given));
        child_end(pid);
    } while (check);
}

START_TEST(a_fault_of_the_mask_table_is_the_worlds)
{
    const struct mask_debt nobodys = {.id = {0, 0, 0}};

    if (!begin())
        return;
    ck_assert_int_eq(mask_table_keep(table, MASK_ROWS_THREADS, 0, &nobodys), -EINVAL);
    ck_assert_ptr_nonnull(world_fault(world));
    finish();
}

SUITE("world")
