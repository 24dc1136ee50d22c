/* SPDX-License-Identifier: BSD-3-Clause */
/* Another run continues from a checkpoint. */
#include "tests/lib/checkpointed.h"
#include "tests/lib/refusal.h"
#include "tests/lib/suite.h"

#include "libjuggle/steal/runtime/checkpoint.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writing the file takes much longer than the tasks. */
START_TEST(what_is_done_is_not_resumed)
{
    const struct steal_checkpoint settings = {
        .size = sizeof(settings), .path = checkpointed.path, .every_ns = INT64_MAX};

    checkpointed_begin_anew((struct steal_properties){.batch = 1}, NULL, checkpointed_note);
    ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), 0);
    lone.collection->checkpoint->took_ns = 3600 * NSEC_PER_SEC;
    checkpointed_seed();
    ck_assert_int_eq(steal_process(lone.collection), 0);
    checkpointed_expect_all_once(2 * CHECKPOINTED_TASKS);
    lone_close();
    checkpointed_begin((struct steal_properties){.batch = 1}, NULL, checkpointed_note);
    ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), 1);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    checkpointed_expect_all_once(2 * CHECKPOINTED_TASKS);
    lone_close();
    unlink(checkpointed.path);
}

/* A run that is stopped at `save_at`, as if killed after the checkpoint, and another run that
 * resumes it. */
static void resume(struct steal_properties properties, const struct steal_options *before,
                   const struct steal_options *after, steal_exec *exec, int save_at)
{
    checkpointed_begin_anew(properties, before, exec);
    ck_assert_int_eq(checkpointed_write(), 0);
    checkpointed_seed();
    memcpy(checkpointed.data, "a program's", 11);
    checkpointed.stop_at = save_at;
    ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
    lone_close();
    memset(checkpointed.data, 0, CHECKPOINTED_DATA);
    checkpointed_begin(properties, after, exec);
    ck_assert_int_eq(checkpointed_write(), 1);
    ck_assert_mem_eq(checkpointed.data, "a program's\0\0", CHECKPOINTED_DATA);
    ck_assert_int_eq(checkpointed_write(), 0);
    ck_assert_int_eq(steal_process(lone.collection), 0);
}

START_TEST(another_run_goes_on_from_the_file)
{
    const struct steal_options *const modes[] = {NULL, &lone_threads};

    for (int mode = 0; mode < 4; mode++)
        for (int save_at = 1; save_at < CHECKPOINTED_TASKS; save_at += 5)
            for (int levels = 0; levels < 4; levels += 3) {
                resume((struct steal_properties){.storage = sizeof(int64_t), .levels = levels},
                       modes[mode / 2], modes[mode % 2], checkpointed_note, save_at);
                checkpointed_expect_all_once(2 * CHECKPOINTED_TASKS);
                ck_assert_int_eq(checkpointed_sum(),
                                 2 * CHECKPOINTED_TASKS * (2 * CHECKPOINTED_TASKS - 1) / 2);
                lone_close();
                /* Executed tasks are not executed again. */
                checkpointed_begin(
                    (struct steal_properties){.storage = sizeof(int64_t), .levels = levels}, NULL,
                    checkpointed_note);
                ck_assert_int_eq(checkpointed_write(), 1);
                ck_assert_int_eq(steal_process(lone.collection), 0);
                ck_assert_int_eq(checkpointed.executed, 2 * CHECKPOINTED_TASKS);
                ck_assert_int_eq(checkpointed_sum(),
                                 2 * CHECKPOINTED_TASKS * (2 * CHECKPOINTED_TASKS - 1) / 2);
                lone_close();
                unlink(checkpointed.path);
            }
}

START_TEST(what_was_executed_can_be_restored_from_the_file)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        resume((struct steal_properties){.retain = STEAL_RETENTION_SEEDED,
                                         .weighted = weighted,
                                         .batch = 3},
               NULL, &lone_threads, checkpointed_note, 17);
        checkpointed_expect_all_once(2 * CHECKPOINTED_TASKS);
        ck_assert_int_eq(steal_restore(lone.collection), 0);
        ck_assert_int_eq(steal_process(lone.collection), 0);
        for (int task = 0; task < 2 * CHECKPOINTED_TASKS; task++)
            ck_assert_int_eq(checkpointed.visits[task], 2);
        /* The histories of the tasks are kept, too. */
        ck_assert_int_eq(lone_statistics().tasks_predicted, CHECKPOINTED_TASKS);
        lone_close();
        unlink(checkpointed.path);
    }
}

/* A chain: each task waits for the one before it. */
static void chain(struct steal_worker *worker, void *local, const void *tasks, size_t number)
{
    const uint64_t task = *(const uint64_t *)tasks;

    (void)local, (void)number;
    ck_assert(task == 0 || checkpointed.visits[task - 1] == 1);
    checkpointed_count(worker, task);
    ck_assert_int_eq(steal_count_down(worker, lone.collection, task + 1), 0);
}

START_TEST(tasks_that_wait_go_on_waiting)
{
    for (int stop_at = 1; stop_at < CHECKPOINTED_TASKS; stop_at++) {
        const struct steal_properties properties = {.waiting = 1};

        checkpointed_begin_anew(properties, NULL, chain);
        ck_assert_int_eq(checkpointed_write(), 0);
        for (uint64_t task = 0; task < CHECKPOINTED_TASKS; task++)
            ck_assert_int_eq(steal_add_waiting(steal_seeder(lone.runtime), lone.collection, task,
                                               task > 0, &task, sizeof(task)),
                             0);
        checkpointed.stop_at = stop_at;
        ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
        lone_close();
        checkpointed_begin(properties, &lone_threads, chain);
        ck_assert_int_eq(checkpointed_write(), 1);
        /* The last task counts down a counter that no task waits for. */
        ck_assert_int_eq(steal_process(lone.collection), -EDEADLK);
        checkpointed_expect_all_once(CHECKPOINTED_TASKS);
        lone_close();
        unlink(checkpointed.path);
    }
}

static void tell(struct steal_worker *worker, void *local, const void *tasks, size_t number)
{
    const uint64_t task = *(const uint64_t *)tasks;

    (void)local, (void)number;
    checkpointed_count(worker, task);
    (void)steal_bound_improve(lone.collection, (int64_t)task);
    ck_assert_int_eq(steal_result(worker, task, &task, 1 + task % sizeof(task)), 0);
}

START_TEST(results_and_bounds_go_on_where_they_were)
{
    char path[] = "/tmp/test_steal_checkpoint.XXXXXXresults";
    struct steal_properties properties = {
        .results_path = path, .results = STEAL_RESULTS_BY_ID, .bound = STEAL_BOUND_MAX};
    unsigned char wanted[8 * CHECKPOINTED_TASKS], got[8 * CHECKPOINTED_TASKS + 1];
    size_t size = 0;
    int fd = mkstemps(path, sizeof("results") - 1);

    for (uint64_t task = 0; task < CHECKPOINTED_TASKS; task++) {
        memcpy(wanted + size, &task, 1 + task % sizeof(task));
        size += 1 + task % sizeof(task);
    }
    for (int stop_at = 1; stop_at < CHECKPOINTED_TASKS; stop_at++)
        for (int memory = 0; memory < 2; memory++) {
            properties.results_memory = memory ? 1 : 0;
            resume(properties, NULL, NULL, tell, stop_at);
            ck_assert_int_eq(steal_bound(lone.collection), CHECKPOINTED_TASKS - 1);
            lone_close();
            checkpointed_expect_all_once(CHECKPOINTED_TASKS);
            ck_assert_int_eq(pread(fd, got, sizeof(got), 0), (ssize_t)size);
            ck_assert_mem_eq(got, wanted, size);
            unlink(checkpointed.path);
        }
    /* The part of the file that was cut off is missed. */
    checkpointed_begin_anew(properties, NULL, tell);
    ck_assert_int_eq(checkpointed_write(), 0);
    checkpointed_seed();
    ck_assert_int_eq(steal_process(lone.collection), 0);
    lone_close();
    ck_assert_int_eq(ftruncate(fd, 7), 0);
    checkpointed_begin(properties, NULL, tell);
    ck_assert_int_eq(checkpointed_write(), -EBADMSG);
    lone_expect_message("is shorter than it was at the checkpoint");
    /* Nothing of the checkpoint is used: another run begins, with its own bound and file. */
    ck_assert_int_eq(steal_bound(lone.collection), INT64_MIN);
    lone_add(0);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(lseek(fd, 0, SEEK_END), 1);
    lone_close();
    unlink(checkpointed.path);
    unlink(path);
    close(fd);
}

START_TEST(results_that_could_not_be_written_come_when_it_goes_on)
{
    char path[] = "/tmp/test_steal_checkpoint.XXXXXXresults";
    const struct steal_properties properties = {.results_path = path};
    off_t size = 0;
    int fd = mkstemps(path, sizeof("results") - 1);

    for (uint64_t task = 0; task < CHECKPOINTED_TASKS; task++)
        size += 1 + (off_t)(task % sizeof(task));
    checkpointed_begin_anew(properties, NULL, tell);
    ck_assert_int_eq(checkpointed_write(), 0);
    checkpointed_seed();
    checkpointed.save_at = 12;
    signal(SIGXFSZ, SIG_IGN);
    limit_set(RLIMIT_FSIZE, 5);
    ck_assert_int_eq(steal_process(lone.collection), -EFBIG);
    limit_set(RLIMIT_FSIZE, RLIM_INFINITY);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    checkpointed_expect_all_once(CHECKPOINTED_TASKS);
    ck_assert_int_eq(lseek(fd, 0, SEEK_END), size);
    lone_close();
    unlink(checkpointed.path);
    unlink(path);
    close(fd);
}

START_TEST(checkpoints_while_tasks_run_change_nothing)
{
    for (int mode = 0; mode < 2; mode++)
        for (int save_at = 1; save_at < 2 * CHECKPOINTED_TASKS; save_at += 3) {
            checkpointed_begin_anew((struct steal_properties){.storage = sizeof(int64_t)},
                                    mode ? &lone_threads : NULL, checkpointed_note);
            ck_assert_int_eq(checkpointed_write(), 0);
            checkpointed_seed();
            checkpointed.save_at = save_at;
            ck_assert_int_eq(steal_process(lone.collection), 0);
            checkpointed_expect_all_once(2 * CHECKPOINTED_TASKS);
            ck_assert_int_eq(lone_statistics().tasks_executed, 2 * CHECKPOINTED_TASKS);
            ck_assert_int_eq(checkpointed_sum(),
                             2 * CHECKPOINTED_TASKS * (2 * CHECKPOINTED_TASKS - 1) / 2);
            lone_close();
            unlink(checkpointed.path);
        }
}

SUITE("steal checkpoint")
