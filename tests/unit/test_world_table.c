/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of whose masks are set: what it does not know is not touched, and the check that found
 * it is named. */
#include "tests/lib/suite.h"

#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/world.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 4 };

static struct machine machine;
static const struct cpu_mask given;
static struct world_options options = {
    .machine = &machine,
    .sys_fd = -1,
    .threads_max = ROOM,
    .readers_max = 1,
    .progress = PROGRESS_SCHEDSTAT,
    .given = &given,
};

static void scene_setup(void)
{
    struct mask_table *table;

    ck_assert_int_eq(procfs_open(&options.proc_fd), 0);
    ck_assert_int_eq(mask_table_create(ROOM, -1, &table), 0);
    ck_assert_int_eq(debts_create(options.proc_fd, table, &options.debts), 0);
    ck_assert_int_eq(machine_uniform(1, 1, &machine), 0);
}

/* A machine that the masks have no room for, or whose processors are of no domain, has no world. */
START_TEST(a_machine_fits_into_masks)
{
    static const struct processor wrong[] = {
        {.os_index = CPU_MASK_CPUS_MAX}, {.os_index = -1}, {.domain = 1}, {.domain = -1}};
    struct world *world;

    scene_setup();
    ck_assert_int_eq(world_create(&options, &world), 0);
    world_destroy(world);
    machine.processors[0] = wrong[_i];
    ck_assert_int_eq(world_create(&options, &world), -EINVAL);
}
END_TEST

static void attach_beyond(struct world *world)
{
    const struct thread_id id = {getpid(), getpid(), 1};

    ck_assert_int_eq(world_attach(world, ROOM, &id), -EBUSY);
}

static void attach_ourselves(struct world *world)
{
    const struct thread_id id = {getpid(), 0, 1};

    ck_assert_int_eq(world_attach(world, 0, &id), -EBUSY);
}

static void place_before(struct world *world)
{
    const struct move move = {.thread = -1};
    struct ports ports;

    world_ports(world, &ports);
    ck_assert_int_eq(ports.place(ports.world, -1, &move), -EBUSY);
}

static void place_nobody(struct world *world)
{
    const struct move move = {.thread = 0};
    struct ports ports;

    world_ports(world, &ports);
    ck_assert_int_eq(ports.place(ports.world, 0, &move), -EBUSY);
}

static void sample_nobody(struct world *world)
{
    struct sample sample;
    struct ports ports;

    world_ports(world, &ports);
    ck_assert_int_eq(ports.sample(ports.world, 0, &sample), -ESRCH);
}

static void check_nobody(struct world *world)
{
    enum affinity_owner owner;

    ck_assert_int_eq(world_check(world, 0, &owner), -ESRCH);
}

static void check_beyond(struct world *world)
{
    enum affinity_owner owner;

    ck_assert_int_eq(world_check(world, INT_MAX, &owner), -ESRCH);
}

static void detach_beyond(struct world *world)
{
    ck_assert_int_eq(world_detach(world, ROOM), 0);
}

static const struct {
    const char *check;
    void (*apply)(struct world *world);
} misuses[] = {
    {"index < world->threads_max", attach_beyond},
    {"id->tid > 0", attach_ourselves},
    {"index >= 0", place_before},
    {"thread->attached", place_nobody},
    {"world->threads[thread].attached", sample_nobody},
    {"checked->attached", check_nobody},
    {"index < world->threads_max", check_beyond},
    {"index < world->threads_max", detach_beyond},
};

START_TEST(a_mask_is_set_for_nobody_but_whom_the_table_knows)
{
    struct world *world;

    scene_setup();
    ck_assert_int_eq(world_create(&options, &world), 0);
    ck_assert_ptr_null(world_fault(world));
    misuses[_i].apply(world);
    expect_fault(world_fault(world), misuses[_i].check);
    world_destroy(world);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("world table");
    TCase *tcase = tcase_create("world table");

    tcase_add_loop_test(tcase, a_machine_fits_into_masks, 0, 4);
    tcase_add_loop_test(tcase, a_mask_is_set_for_nobody_but_whom_the_table_knows, 0,
                        (int)ARRAY_COUNT(misuses));
    suite_add_tcase(suite, tcase);
    return suite_finish(suite);
}
