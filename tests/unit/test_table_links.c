/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables whose rows are linked: a link that leads out of the table or in a circle ends the walk, is
 * found out, and frees nobody's row. The links are broken where they are. */
#include "tests/lib/suite.h"

#include "libjuggle/job/roster.c"
#include "libjuggle/linux/debts.c"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 4, FIRST = 4 /* this and its multiples share a list */ };

/* ---- who was found ---- */

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

/* Nobody but the last one is there any more. */
static void leave(struct roster *roster)
{
    roster_begin(roster);
    ck_assert_int_eq(see(roster, 3 * FIRST), 0);
    (void)roster_end(roster, &listener);
}

static void circle_found(struct roster *roster)
{
    roster->entries[0].next = 2 + 1;
    ck_assert_int_eq(see(roster, 4 * FIRST), 0);
}

static void leads_out(struct roster *roster)
{
    roster->entries[0].next = ROOM + 1;
    ck_assert_int_eq(see(roster, 4 * FIRST), 0);
}

static void leads_before(struct roster *roster)
{
    roster->entries[0].next = -1;
    ck_assert_int_eq(see(roster, 4 * FIRST), 0);
}

static void list_lost(struct roster *roster)
{
    *bucket_of(roster, FIRST) = 2 + 1;
    roster->entries[2].next = NONE;
    leave(roster);
}

static void free_is_used(struct roster *roster)
{
    roster->free = 0 + 1;
    ck_assert_int_eq(see(roster, 4 * FIRST), -ENOSPC);
}

static void free_is_fresh(struct roster *roster)
{
    roster->free = ROOM + 1;
    ck_assert_int_eq(see(roster, 4 * FIRST), -ENOSPC);
}

static void fewer_than_none(struct roster *roster)
{
    roster->threads_count = 0;
    leave(roster);
}

static void more_than_there_is_room_for(struct roster *roster)
{
    roster->threads_count = ROOM + 3;
    leave(roster);
}

static const struct {
    const char *check;
    void (*apply)(struct roster *roster);
} losses[] = {
    {"(*steps_count)++ < roster->fresh", circle_found},
    {"link <= roster->fresh", leads_out},
    {"link > NONE", leads_before},
    {"link > NONE", list_lost},
    {"!roster->entries[index].used", free_is_used},
    {"index < roster->fresh", free_is_fresh},
    {"roster->threads_count >= 0", fewer_than_none},
    {"roster->threads_count <= roster->limit", more_than_there_is_room_for},
};

START_TEST(a_roster_that_is_broken_is_found_out)
{
    struct roster *roster;

    ck_assert_int_eq(roster_create(ROOM, &roster), 0);
    roster_begin(roster);
    for (int i = 1; i <= 3; i++)
        ck_assert_int_eq(see(roster, i * FIRST), 0);
    ck_assert_int_eq(roster_end(roster, &listener), 3);
    ck_assert_ptr_null(roster_fault(roster));
    losses[_i].apply(roster);
    expect_fault(roster_fault(roster), losses[_i].check);
    roster_destroy(roster);
}
END_TEST

/* ---- what is owed ---- */

struct scene {
    struct mask_table *table;
    struct debts *debts;
    struct thread_id id;
    struct cpu_mask mask;
    int row; /* of the process */
};

static void scene_setup(struct scene *scene)
{
    struct thread_stat stat;
    int proc_fd;

    cpu_mask_clear(&scene->mask);
    cpu_mask_add(&scene->mask, 0);
    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(procfs_stat_read(proc_fd, getpid(), getpid(), &stat), 0);
    scene->id = (struct thread_id){getpid(), getpid(), stat.start_ticks};
    ck_assert_int_eq(mask_table_create(ROOM, -1, &scene->table), 0);
    ck_assert_int_eq(debts_create(proc_fd, scene->table, &scene->debts), 0);
    ck_assert_int_eq(debts_keep(scene->debts, 0, &scene->id, &scene->mask), 0);
    debts_begin(scene->debts, 0);
    ck_assert_ptr_null(debts_fault(scene->debts));
    scene->row = scene->debts->process_rows[0];
}

static void owe_in_a_circle(struct scene *scene)
{
    const pid_t other = scene->id.pid + scene->debts->links_count;

    scene->debts->links[scene->row].next = scene->row;
    ck_assert_ptr_null(debts_owed(scene->debts, other, UINT64_MAX));
}

static void owe_beyond(struct scene *scene)
{
    const pid_t other = scene->id.pid + scene->debts->links_count;

    scene->debts->links[scene->row].next = scene->debts->links_count;
    ck_assert_ptr_null(debts_owed(scene->debts, other, UINT64_MAX));
}

static void forget_what_is_in_no_list(struct scene *scene)
{
    *list_of(scene->debts, scene->id.pid) = ROW_NONE;
    process_forget(scene->debts, scene->row);
}

static void keep_in_a_row_of_another(struct scene *scene)
{
    mask_table_forget(scene->table, MASK_ROWS_PROCESSES, scene->row);
    *list_of(scene->debts, scene->id.pid) = ROW_NONE;
    for (int i = 0; i < scene->debts->links_count; i++)
        scene->debts->links[i].pid = scene->id.pid + 1;
    scene->debts->process_seen = 0;
    ck_assert_int_eq(mask_table_limit(scene->table, MASK_ROWS_PROCESSES), 1);
    ck_assert_int_lt(debts_keep(scene->debts, 1, &scene->id, &scene->mask), 1);
}

static const struct {
    const char *check;
    void (*apply)(struct scene *scene);
} breaches[] = {
    {"(*steps_count)++ < debts->links_count", owe_in_a_circle},
    {"*at < debts->links_count", owe_beyond},
    {"found == row", forget_what_is_in_no_list},
    {"found == row", keep_in_a_row_of_another},
};

START_TEST(debts_that_are_broken_are_found_out)
{
    struct scene scene;

    scene_setup(&scene);
    breaches[_i].apply(&scene);
    expect_fault(debts_fault(scene.debts), breaches[_i].check);
    debts_destroy(scene.debts);
    mask_table_destroy(scene.table);
}
END_TEST

START_TEST(a_pin_is_not_that_of_the_process_that_has_the_row_now)
{
    struct scene scene;

    scene_setup(&scene);
    const struct mask_debt next = {{scene.id.pid + 1, scene.id.pid + 1, 1}, scene.mask};
    const struct mask_debt other = {{scene.id.pid + 2, scene.id.pid + 2, 1}, scene.mask};
    ck_assert_int_eq(mask_table_keep(scene.table, MASK_ROWS_PROCESSES, scene.row, &next), 0);
    ck_assert_uint_eq(mask_table_since(scene.table, MASK_ROWS_PROCESSES, scene.row), 0);
    debts_begin(scene.debts, 0);
    ck_assert_uint_eq(mask_table_since(scene.table, MASK_ROWS_PROCESSES, scene.row), 0);
    ck_assert_int_eq(mask_table_keep(scene.table, MASK_ROWS_THREADS, 0, &other), 0);
    debts_begin(scene.debts, 0);
    ck_assert_uint_eq(mask_table_since(scene.table, MASK_ROWS_PROCESSES, scene.row), 0);
    ck_assert_ptr_null(debts_fault(scene.debts));
    debts_destroy(scene.debts);
    mask_table_destroy(scene.table);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("table links");
    TCase *tcase = tcase_create("table links");

    tcase_add_loop_test(tcase, a_roster_that_is_broken_is_found_out, 0, (int)ARRAY_COUNT(losses));
    tcase_add_loop_test(tcase, debts_that_are_broken_are_found_out, 0, (int)ARRAY_COUNT(breaches));
    tcase_add_test(tcase, a_pin_is_not_that_of_the_process_that_has_the_row_now);
    suite_add_tcase(suite, tcase);
    return suite_finish(suite);
}
