/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of threads whose masks are set: a thread that is not in it is not touched, and the
 * check that found the error is named. */
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

/* A machine that does not fit into masks, or whose processors have no domain, gets no world. */
START_TEST(a_machine_fits_into_masks)
{
    static const struct processor wrong[] = {
        {.os_index = CPU_MASK_CPUS_MAX}, {.os_index = -1}, {.domain = 1}, {.domain = -1}};
    struct world *world;

    scene_setup();
    ck_assert_int_eq(world_create(&options, &world), 0);
    world_destroy(world);
    for (int i = 0; i < (int)ARRAY_COUNT(wrong); i++) {
        machine.processors[0] = wrong[i];
        ck_assert_int_eq(world_create(&options, &world), -EINVAL);
    }
}

static const char *misuse(struct world *world, int which)
{
    const struct thread_id id = {getpid(), getpid(), 1}, ourselves = {getpid(), 0, 1};
    const struct move move = {0};
    enum affinity_owner owner;
    struct sample sample;
    struct ports ports;

    world_ports(world, &ports);
    BREAKAGE("index < world->threads_max",
             ck_assert_int_eq(world_attach(world, ROOM, &id), -EBUSY));
    BREAKAGE("id->tid > 0", ck_assert_int_eq(world_attach(world, 0, &ourselves), -EBUSY));
    BREAKAGE("index >= 0", ck_assert_int_eq(ports.place(world, -1, &move), -EBUSY));
    BREAKAGE("thread->attached", ck_assert_int_eq(ports.place(world, 0, &move), -EBUSY));
    BREAKAGE("world->threads[thread].attached",
             ck_assert_int_eq(ports.sample(world, 0, &sample), -ESRCH));
    BREAKAGE("checked->attached", ck_assert_int_eq(world_check(world, 0, &owner), -ESRCH));
    BREAKAGE("index < world->threads_max",
             ck_assert_int_eq(world_check(world, INT_MAX, &owner), -ESRCH));
    BREAKAGE("index < world->threads_max", ck_assert_int_eq(world_detach(world, ROOM), 0));
    return NULL;
}

START_TEST(a_mask_is_set_for_nobody_but_whom_the_table_knows)
{
    const char *check;
    int which = 0;

    scene_setup();
    do {
        struct world *world;
        ck_assert_int_eq(world_create(&options, &world), 0);
        check = misuse(world, which++);
        expect_fault(world_fault(world), check);
        world_destroy(world);
    } while (check);
}

SUITE("world table")
