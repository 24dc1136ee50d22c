/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables whose rows are linked: a link that leads out of the table or in a circle ends the walk,
 * is reported, and frees no other row. The test breaks the links in place. */
#include "tests/lib/live.h"
#include "tests/lib/suite.h"

#include "libjuggle/job/roster.c"
#include "libjuggle/linux/debts.c"

#include <unistd.h>

enum { ROOM = 4, FIRST = 4 /* this number and its multiples share a list */ };

/* ---- threads that were found ---- */

static void changed(void *context, enum roster_change change, int index,
                    const struct thread_info *info)
{
    (void)context, (void)change, (void)index, (void)info;
}

static const struct roster_listener listener = {changed, NULL};

static int see(struct roster *roster, pid_t tid)
{
    const struct thread_info info = {.id = {tid, tid, 1}, .comm = {"app"}};

    return roster_see(roster, &info, &listener);
}

/* A look in which all threads but the last one have left. */
static void leave(struct roster *roster)
{
    roster_begin(roster);
    ck_assert_int_eq(see(roster, 3 * FIRST), 0);
    (void)roster_end(roster, &listener);
}

static const char *break_roster(struct roster *roster, int which)
{
    int *link = &roster->entries[0].next;

    BREAKAGE("(*steps_count)++ < roster->fresh", *link = 2 + 1;
             ck_assert_int_eq(see(roster, 4 * FIRST), 0));
    BREAKAGE("link <= roster->fresh", *link = ROOM + 1;
             ck_assert_int_eq(see(roster, 4 * FIRST), 0));
    BREAKAGE("link > NONE", *link = -1; ck_assert_int_eq(see(roster, 4 * FIRST), 0));
    BREAKAGE("link > NONE", *bucket_of(roster, FIRST) = 2 + 1; roster->entries[2].next = NONE;
             leave(roster));
    BREAKAGE("!roster->entries[index].used", roster->free = 0 + 1;
             ck_assert_int_eq(see(roster, 4 * FIRST), -ENOSPC));
    BREAKAGE("index < roster->fresh", roster->free = ROOM + 1;
             ck_assert_int_eq(see(roster, 4 * FIRST), -ENOSPC));
    BREAKAGE("roster->threads_count >= 0", roster->threads_count = 0; leave(roster));
    BREAKAGE("roster->threads_count <= roster->limit", roster->threads_count = ROOM + 3;
             leave(roster));
    return NULL;
}

START_TEST(a_roster_that_is_broken_is_found_out)
{
    const char *check;
    int which = 0;

    do {
        struct roster *roster;
        ck_assert_int_eq(roster_create(ROOM, &roster), 0);
        roster_begin(roster);
        for (int i = 1; i <= 3; i++)
            ck_assert_int_eq(see(roster, i * FIRST), 0);
        ck_assert_int_eq(roster_end(roster, &listener), 3);
        check = break_roster(roster, which++);
        expect_fault(roster_fault(roster), check);
        roster_destroy(roster);
    } while (check);
}

/* ---- masks that are owed ---- */

struct scene {
    struct mask_table *table;
    struct debts *debts;
    struct thread_id id;
    struct cpu_mask mask;
    int row; /* of the process */
};

static void scene_setup(struct scene *scene)
{
    int proc_fd;

    cpu_mask_clear(&scene->mask);
    cpu_mask_add(&scene->mask, 0);
    scene->id = id_of(getpid(), getpid());
    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(mask_table_create(ROOM, -1, &scene->table), 0);
    ck_assert_int_eq(debts_create(proc_fd, scene->table, &scene->debts), 0);
    ck_assert_int_eq(debts_keep(scene->debts, 0, &scene->id, &scene->mask), 0);
    debts_note_pin(scene->debts, 0);
    expect_fault(debts_fault(scene->debts), NULL);
    scene->row = scene->debts->process_rows[0];
}

static void scene_release(struct scene *scene)
{
    debts_destroy(scene->debts);
    mask_table_destroy(scene->table);
}

START_TEST(a_pin_is_not_that_of_the_process_that_has_the_row_now)
{
    struct scene scene;

    scene_setup(&scene);
    const struct mask_debt next = {{scene.id.pid + 1, scene.id.pid + 1, 1}, scene.mask};
    const struct mask_debt other = {{scene.id.pid + 2, scene.id.pid + 2, 1}, scene.mask};
    ck_assert_int_eq(mask_table_keep(scene.table, MASK_ROWS_PROCESSES, scene.row, &next), 0);
    ck_assert_uint_eq(mask_table_pinned_since(scene.table, MASK_ROWS_PROCESSES, scene.row), 0);
    debts_note_pin(scene.debts, 0);
    ck_assert_uint_eq(mask_table_pinned_since(scene.table, MASK_ROWS_PROCESSES, scene.row), 0);
    ck_assert_int_eq(mask_table_keep(scene.table, MASK_ROWS_THREADS, 0, &other), 0);
    debts_note_pin(scene.debts, 0);
    ck_assert_uint_eq(mask_table_pinned_since(scene.table, MASK_ROWS_PROCESSES, scene.row), 0);
    expect_fault(debts_fault(scene.debts), NULL);
    scene_release(&scene);
}

SUITE("table links")
