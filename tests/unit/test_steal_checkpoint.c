/* SPDX-License-Identifier: BSD-3-Clause */
/* Stopping and going on, in the same run and from a file; files that are not what they should be.
 */
#include "tests/lib/lone.h"
#include "tests/lib/suite.h"

#include "libjuggle/steal/runtime/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TASKS = 40, DATA = 13 };

static const struct steal_options threads = {
    .size = sizeof(struct steal_options), .mode = STEAL_MODE_THREADS, .workers = 3};

static struct {
    char path[64];
    atomic_int visits[4 * TASKS];
    atomic_int executed;
    int stop_at, save_at; /* after so many tasks; 0: never */
    unsigned char data[DATA];
} run;

static void count(struct steal_worker *worker, uint64_t task)
{
    int64_t *sum = steal_storage(worker, lone.collection);
    const int executed = ++run.executed;

    run.visits[task]++;
    if (sum)
        *sum += (int64_t)task;
    if (executed == run.stop_at)
        ck_assert_int_eq(steal_stop(lone.collection), 0);
    if (executed == run.save_at)
        ck_assert_int_eq(steal_checkpoint_now(lone.collection), 0);
}

/* Each task below TASKS adds one that is TASKS more. */
static void play(struct steal_worker *worker, void *local, const void *tasks, size_t number)
{
    const uint64_t *task = tasks;

    (void)local;
    for (size_t i = 0; i < number; i++) {
        const uint64_t child = task[i] + TASKS;

        count(worker, task[i]);
        if (task[i] < TASKS)
            ck_assert_int_eq(steal_add(worker, lone.collection, &child, sizeof(child)), 0);
    }
}

static void begin(struct steal_properties properties, const struct steal_options *options,
                  steal_exec *exec)
{
    run.stop_at = run.save_at = 0;
    lone_open_function(properties, options, exec);
}

static void begin_anew(struct steal_properties properties, const struct steal_options *options,
                       steal_exec *exec)
{
    memset(&run, 0, sizeof(run));
    snprintf(run.path, sizeof(run.path), "/tmp/test_steal_checkpoint.%d", (int)getpid());
    begin(properties, options, exec);
}

static void seed(void)
{
    for (uint64_t task = 0; task < TASKS; task++)
        lone_add(task);
}

static int keep(void)
{
    const struct steal_checkpoint settings = {
        .size = sizeof(settings), .path = run.path, .data = run.data, .data_size = DATA};

    return steal_checkpoint(lone.collection, &settings);
}

static void expect_all_once(uint64_t tasks)
{
    for (uint64_t task = 0; task < tasks; task++)
        ck_assert_int_eq(run.visits[task], 1);
}

/* Writing the file takes much longer than the tasks. */
START_TEST(what_is_done_is_not_resumed)
{
    const struct steal_checkpoint settings = {
        .size = sizeof(settings), .path = run.path, .every_ns = INT64_MAX};

    begin_anew((struct steal_properties){.batch = 1}, NULL, play);
    ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), 0);
    lone.collection->checkpoint->took_ns = 3600 * NSEC_PER_SEC;
    seed();
    ck_assert_int_eq(steal_process(lone.collection), 0);
    expect_all_once(2 * TASKS);
    lone_close();
    begin((struct steal_properties){.batch = 1}, NULL, play);
    ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), 1);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    expect_all_once(2 * TASKS);
    lone_close();
    unlink(run.path);
}
END_TEST

/* ---- stopping ------------------------------------------------------------------------------ */

START_TEST(what_is_stopped_goes_on)
{
    for (int mode = 0; mode < 2; mode++)
        for (int stop_at = 1; stop_at < 2 * TASKS; stop_at += 7) {
            int stops = 0, result;

            begin_anew((struct steal_properties){.batch = 1 + (size_t)stop_at % 3},
                       mode ? &threads : NULL, play);
            seed();
            run.stop_at = stop_at;
            while ((result = steal_process(lone.collection)) == STEAL_STOPPED) {
                ck_assert_int_ge(run.executed, run.stop_at);
                run.stop_at += 9;
                stops++;
            }
            ck_assert_int_eq(result, 0);
            /* Threads may have taken all before the one that stops them said so. */
            ck_assert_int_ge(stops, mode ? 0 : 1);
            ck_assert_int_eq(run.executed, 2 * TASKS);
            expect_all_once(2 * TASKS);
            ck_assert_int_eq(lone_statistics().tasks_executed, 2 * TASKS);
            lone_close();
        }
}
END_TEST

START_TEST(a_deadline_stops_before_the_first_task)
{
    begin_anew((struct steal_properties){0}, NULL, play);
    seed();
    ck_assert_int_eq(steal_process_for(lone.collection, 0), STEAL_STOPPED);
    ck_assert_int_eq(run.executed, 0);
    ck_assert_int_eq(steal_process_for(lone.collection, -1), -EINVAL);
    lone_expect_message("a time must not be negative: -1");
    ck_assert_int_eq(steal_process_for(NULL, 0), -EINVAL);
    ck_assert_int_eq(steal_process_for(lone.collection, INT64_MAX), 0);
    expect_all_once(2 * TASKS);
    lone_close();
}
END_TEST

START_TEST(a_stop_between_processes_stops_the_next_one)
{
    begin_anew((struct steal_properties){0}, NULL, play);
    seed();
    ck_assert_int_eq(steal_stop(lone.collection), 0);
    ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
    ck_assert_int_eq(run.executed, 0);
    /* With the last task there is nothing left to keep. */
    run.stop_at = 2 * TASKS;
    ck_assert_int_eq(steal_process(lone.collection), 0);
    lone_add(3);
    ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(steal_stop(NULL), -EINVAL);
    ck_assert_int_eq(steal_checkpoint_now(lone.collection), -EINVAL);
    lone_close();
}
END_TEST

START_TEST(until_it_is_done_nothing_is_restored_or_balanced)
{
    begin_anew((struct steal_properties){.retain = STEAL_RETENTION_SEEDED, .key = lone_key}, NULL,
               play);
    seed();
    run.stop_at = 5;
    ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
    ck_assert_int_eq(steal_restore(lone.collection), -EBUSY);
    lone_expect_message("of 'play' was stopped before all was done: steal_process() goes on");
    ck_assert_int_eq(steal_rebalance(lone.collection, NULL), -EBUSY);
    ck_assert_int_eq(steal_ledger_save(lone.collection, "/tmp/x"), -EBUSY);
    ck_assert_int_eq(steal_ledger_load(lone.collection, "/tmp/x"), -EBUSY);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(steal_restore(lone.collection), 0);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    for (int task = 0; task < 2 * TASKS; task++)
        ck_assert_int_eq(run.visits[task], 2);
    lone_close();
}
END_TEST

static void cancel(struct steal_worker *worker, void *local, const void *tasks, size_t number)
{
    (void)local, (void)number;
    count(worker, *(const uint64_t *)tasks);
    ck_assert_int_eq(steal_stop(lone.collection), 0);
    ck_assert_int_eq(steal_cancel(lone.collection), 0);
}

START_TEST(canceling_drops_what_a_stop_would_keep)
{
    for (int mode = 0; mode < 2; mode++) {
        begin_anew((struct steal_properties){.levels = 2}, mode ? &threads : NULL, cancel);
        seed();
        ck_assert_int_eq(steal_process(lone.collection), -ECANCELED);
        ck_assert(!image_has_tasks(lone.collection));
        lone_close();
    }
}
END_TEST

/* ---- files --------------------------------------------------------------------------------- */

static int64_t sum(void)
{
    int64_t sum = 0;

    ck_assert_int_eq(steal_reduce(lone.collection, STEAL_REDUCTION_SUM, 0, 1, &sum), 0);
    return sum;
}

/* Killed after the checkpoint at `save_at`, as if what ran since had not been. */
static void resume(struct steal_properties properties, const struct steal_options *before,
                   const struct steal_options *after, steal_exec *exec, int save_at)
{
    begin_anew(properties, before, exec);
    ck_assert_int_eq(keep(), 0);
    seed();
    memcpy(run.data, "a program's", 11);
    run.stop_at = save_at;
    ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
    lone_close();
    memset(run.data, 0, DATA);
    begin(properties, after, exec);
    ck_assert_int_eq(keep(), 1);
    ck_assert_mem_eq(run.data, "a program's\0\0", DATA);
    ck_assert_int_eq(keep(), 0);
    ck_assert_int_eq(steal_process(lone.collection), 0);
}

START_TEST(another_run_goes_on_from_the_file)
{
    const struct steal_options *const modes[] = {NULL, &threads};

    for (int mode = 0; mode < 4; mode++)
        for (int save_at = 1; save_at < TASKS; save_at += 5)
            for (int levels = 0; levels < 4; levels += 3) {
                resume((struct steal_properties){.storage = sizeof(int64_t), .levels = levels},
                       modes[mode / 2], modes[mode % 2], play, save_at);
                expect_all_once(2 * TASKS);
                ck_assert_int_eq(sum(), 2 * TASKS * (2 * TASKS - 1) / 2);
                lone_close();
                /* What is done stays done. */
                begin((struct steal_properties){.storage = sizeof(int64_t), .levels = levels}, NULL,
                      play);
                ck_assert_int_eq(keep(), 1);
                ck_assert_int_eq(steal_process(lone.collection), 0);
                ck_assert_int_eq(run.executed, 2 * TASKS);
                ck_assert_int_eq(sum(), 2 * TASKS * (2 * TASKS - 1) / 2);
                lone_close();
                unlink(run.path);
            }
}
END_TEST

START_TEST(what_was_executed_can_be_restored_from_the_file)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        resume((struct steal_properties){.retain = STEAL_RETENTION_SEEDED,
                                         .weighted = weighted,
                                         .batch = 3},
               NULL, &threads, play, 17);
        expect_all_once(2 * TASKS);
        ck_assert_int_eq(steal_restore(lone.collection), 0);
        ck_assert_int_eq(steal_process(lone.collection), 0);
        for (int task = 0; task < 2 * TASKS; task++)
            ck_assert_int_eq(run.visits[task], 2);
        /* Their histories, too. */
        ck_assert_int_eq(lone_statistics().tasks_predicted, TASKS);
        lone_close();
        unlink(run.path);
    }
}
END_TEST

/* A chain: each waits for the one before. */
static void chain(struct steal_worker *worker, void *local, const void *tasks, size_t number)
{
    const uint64_t task = *(const uint64_t *)tasks;

    (void)local, (void)number;
    ck_assert(task == 0 || run.visits[task - 1] == 1);
    count(worker, task);
    ck_assert_int_eq(steal_count_down(worker, lone.collection, task + 1), 0);
}

START_TEST(tasks_that_wait_go_on_waiting)
{
    for (int stop_at = 1; stop_at < TASKS; stop_at++) {
        const struct steal_properties properties = {.waiting = 1};

        begin_anew(properties, NULL, chain);
        ck_assert_int_eq(keep(), 0);
        for (uint64_t task = 0; task < TASKS; task++)
            ck_assert_int_eq(steal_add_waiting(steal_seeder(lone.runtime), lone.collection, task,
                                               task > 0, &task, sizeof(task)),
                             0);
        run.stop_at = stop_at;
        ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
        lone_close();
        begin(properties, &threads, chain);
        ck_assert_int_eq(keep(), 1);
        /* The last one counts down what nobody waits for. */
        ck_assert_int_eq(steal_process(lone.collection), -EDEADLK);
        expect_all_once(TASKS);
        lone_close();
        unlink(run.path);
    }
}
END_TEST

static void tell(struct steal_worker *worker, void *local, const void *tasks, size_t number)
{
    const uint64_t task = *(const uint64_t *)tasks;

    (void)local, (void)number;
    count(worker, task);
    ck_assert_int_eq(steal_bound_improve(lone.collection, (int64_t)task) < 0, 0);
    ck_assert_int_eq(steal_result(worker, task, &task, 1 + task % sizeof(task)), 0);
}

START_TEST(results_and_bounds_go_on_where_they_were)
{
    char path[] = "/tmp/test_steal_checkpoint.XXXXXXresults";
    struct steal_properties properties = {
        .results_path = path, .results = STEAL_RESULTS_BY_ID, .bound = STEAL_BOUND_MAX};
    unsigned char wanted[8 * TASKS], got[8 * TASKS + 1];
    size_t size = 0;
    int fd = mkstemps(path, sizeof("results") - 1);

    for (uint64_t task = 0; task < TASKS; task++) {
        memcpy(wanted + size, &task, 1 + task % sizeof(task));
        size += 1 + task % sizeof(task);
    }
    for (int stop_at = 1; stop_at < TASKS; stop_at++)
        for (int memory = 0; memory < 2; memory++) {
            properties.results_memory = memory ? 1 : 0;
            resume(properties, NULL, NULL, tell, stop_at);
            ck_assert_int_eq(steal_bound(lone.collection), TASKS - 1);
            lone_close();
            expect_all_once(TASKS);
            ck_assert_int_eq(pread(fd, got, sizeof(got), 0), (ssize_t)size);
            ck_assert_mem_eq(got, wanted, size);
            unlink(run.path);
        }
    /* What has been cut off is missed. */
    begin_anew(properties, NULL, tell);
    ck_assert_int_eq(keep(), 0);
    seed();
    ck_assert_int_eq(steal_process(lone.collection), 0);
    lone_close();
    ck_assert_int_eq(ftruncate(fd, 7), 0);
    begin(properties, NULL, tell);
    ck_assert_int_eq(keep(), -EBADMSG);
    lone_expect_message("is shorter than it was at the checkpoint");
    lone_close();
    unlink(run.path);
    unlink(path);
    close(fd);
}
END_TEST

START_TEST(checkpoints_while_tasks_run_change_nothing)
{
    for (int mode = 0; mode < 2; mode++)
        for (int save_at = 1; save_at < 2 * TASKS; save_at += 3) {
            begin_anew((struct steal_properties){.storage = sizeof(int64_t)},
                       mode ? &threads : NULL, play);
            ck_assert_int_eq(keep(), 0);
            seed();
            run.save_at = save_at;
            ck_assert_int_eq(steal_process(lone.collection), 0);
            expect_all_once(2 * TASKS);
            ck_assert_int_eq(lone_statistics().tasks_executed, 2 * TASKS);
            ck_assert_int_eq(sum(), 2 * TASKS * (2 * TASKS - 1) / 2);
            lone_close();
            unlink(run.path);
        }
}
END_TEST

/* ---- what goes wrong ----------------------------------------------------------------------- */

static unsigned char *read_file(size_t *size)
{
    struct stat status;
    const int fd = open(run.path, O_RDONLY);
    unsigned char *bytes;

    ck_assert_int_eq(fstat(fd, &status), 0);
    *size = (size_t)status.st_size;
    bytes = malloc(*size + 1);
    ck_assert_int_eq(read(fd, bytes, *size), status.st_size);
    close(fd);
    return bytes;
}

static void write_file(const void *bytes, size_t size)
{
    const int fd = open(run.path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
    close(fd);
}

static void make_file(struct steal_properties properties)
{
    begin_anew(properties, NULL, play);
    ck_assert_int_eq(keep(), 0);
    seed();
    run.stop_at = 7;
    ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
    lone_close();
}

/* And the collection is as it was: it takes tasks, and executes just these. */
static void expect_refused(struct steal_properties properties, const char *why)
{
    begin(properties, NULL, play);
    memset(run.visits, 0, sizeof(run.visits));
    ck_assert_int_eq(keep(), -EBADMSG);
    lone_expect_message(why);
    seed();
    ck_assert_int_eq(steal_process(lone.collection), 0);
    expect_all_once(2 * TASKS);
    if (properties.storage)
        ck_assert_int_eq(sum(), 2 * TASKS * (2 * TASKS - 1) / 2);
    lone_close();
}

START_TEST(every_bit_of_a_file_counts)
{
    const struct steal_properties properties = {.storage = sizeof(int64_t)};
    unsigned char *bytes;
    size_t size;

    make_file(properties);
    bytes = read_file(&size);
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= (unsigned char)(1 << at % 8);
        write_file(bytes, size);
        expect_refused(properties, run.path);
        bytes[at] ^= (unsigned char)(1 << at % 8);
    }
    for (size_t less = 1; less <= size; less += 13) {
        write_file(bytes, size - less);
        expect_refused(properties, run.path);
    }
    bytes[size] = 0;
    write_file(bytes, size + 1);
    expect_refused(properties, "is cut off, or has grown");
    free(bytes);
    unlink(run.path);
}
END_TEST

START_TEST(what_is_of_another_collection_is_refused)
{
    make_file((struct steal_properties){.storage = sizeof(int64_t)});
    expect_refused((struct steal_properties){.storage = 16}, "with another size of storage");
    expect_refused((struct steal_properties){.storage = 8, .levels = 2},
                   "with another number of levels");
    expect_refused((struct steal_properties){.storage = 8, .retain = STEAL_RETENTION_ALL},
                   "with another retain");
    write_file("JUGGLELG, a ledger of a long name", 33);
    expect_refused((struct steal_properties){0}, "is no checkpoint");
    unlink(run.path);
}
END_TEST

START_TEST(where_nothing_can_be_written_is_told_at_once)
{
    static const struct {
        const char *path;
        int error;
        const char *why;
    } places[] = {
        {"/nonexistent/checkpoint", -ENOENT, "/nonexistent/checkpoint: No such file or directory"},
        {"/tmp", -EISDIR, "/tmp: Is a directory"},
        {"/dev/null", -EINVAL, "/dev/null is no file"},
    };

    begin_anew((struct steal_properties){0}, NULL, play);
    for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
        const struct steal_checkpoint settings = {.size = sizeof(settings), .path = places[i].path};

        ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), places[i].error);
        lone_expect_message(places[i].why);
    }
    lone_close();
}
END_TEST

START_TEST(what_cannot_be_asked_for_is_told)
{
    struct steal_checkpoint settings = {.size = sizeof(settings), .data_size = 8};

    begin_anew((struct steal_properties){0}, NULL, play);
    ck_assert_int_eq(steal_checkpoint(NULL, NULL), -EINVAL);
    ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), -EINVAL);
    lone_expect_message("data is NULL");
    settings = (struct steal_checkpoint){.size = sizeof(settings), .every_ns = 1};
    ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), -EINVAL);
    lone_expect_message("every does nothing without checkpoint");
    settings = (struct steal_checkpoint){
        .size = sizeof(settings), .path = run.path, .every_ns = -1};
    ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), -EINVAL);
    lone_expect_message("every must not be negative");
    settings.size = 4;
    ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), -EINVAL);
    lone_expect_message("struct steal_checkpoint has 4 bytes");
    ck_assert_int_eq(steal_checkpoint(lone.collection, NULL), 0);
    lone_add(1);
    ck_assert_int_eq(keep(), -EBUSY);
    lone_expect_message("steal_checkpoint() comes before tasks are added");
    lone_close();
}
END_TEST

START_TEST(the_users_text_goes_over_the_programs)
{
    begin_anew((struct steal_properties){0}, NULL, play);
    lone.runtime->transport->settings = "checkpoint=/nonexistent/mine,every=2m";
    ck_assert_int_eq(keep(), -ENOENT);
    lone_expect_message("/nonexistent/mine: No such file");
    lone.runtime->transport->settings = "every=60";
    ck_assert_int_eq(keep(), -EINVAL);
    lone_expect_message("JUGGLE_STEAL: every is a time such as 60s, not '60'");
    lone.runtime->transport->settings = "checkpoint=";
    ck_assert_int_eq(keep(), 0);
    ck_assert_ptr_null(lone.collection->checkpoint);
    lone.runtime->transport->settings = "every=250ms";
    ck_assert_int_eq(keep(), 0);
    ck_assert_int_eq(lone.collection->checkpoint->every_ns, 250 * NSEC_PER_MSEC);
    lone.runtime->transport->settings = NULL;
    lone_close();
}
END_TEST

/* As on a full disk, of which an ordinary test has none: it may hold so many bytes. */
static void limit_files(rlim_t bytes)
{
    const struct rlimit limit = {bytes, RLIM_INFINITY};

    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

START_TEST(a_file_that_cannot_be_written_leaves_the_former_one)
{
    unsigned char *before, *after;
    size_t size, after_size;

    begin_anew((struct steal_properties){0}, NULL, play);
    ck_assert_int_eq(keep(), 0);
    seed();
    run.stop_at = 7;
    ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
    before = read_file(&size);
    run.stop_at = 0;
    run.save_at = 12;
    limit_files(300);
    ck_assert_int_eq(steal_process(lone.collection), -EFBIG);
    lone_expect_message("File too large");
    limit_files(RLIM_INFINITY);
    after = read_file(&after_size);
    ck_assert_uint_eq(after_size, size);
    ck_assert_mem_eq(after, before, size);
    /* Nothing is lost. */
    ck_assert_int_eq(run.executed, 12);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    expect_all_once(2 * TASKS);
    lone_close();
    free(before);
    free(after);
    unlink(run.path);
}
END_TEST

START_TEST(what_killed_processes_left_is_removed)
{
    char left[96], others[96];

    begin_anew((struct steal_properties){0}, NULL, play);
    snprintf(left, sizeof(left), "%s.a1B2c3new", run.path);
    snprintf(others, sizeof(others), "%s.a1B2c3now", run.path);
    close(open(left, O_WRONLY | O_CREAT, 0644));
    close(open(others, O_WRONLY | O_CREAT, 0644));
    ck_assert_int_eq(keep(), 0);
    ck_assert_int_ne(access(left, F_OK), 0);
    ck_assert_int_eq(access(others, F_OK), 0);
    unlink(others);
    lone_close();
}
END_TEST

START_TEST(files_have_the_permissions_that_the_umask_leaves)
{
    static const mode_t masks[] = {077, 022, 002, 0};
    const mode_t before = umask(0);

    for (size_t i = 0; i < ARRAY_COUNT(masks); i++) {
        struct stat status;

        umask(masks[i]);
        begin_anew((struct steal_properties){0}, NULL, play);
        ck_assert_int_eq(keep(), 0);
        seed();
        run.stop_at = 1;
        ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
        ck_assert_int_eq(stat(run.path, &status), 0);
        ck_assert_uint_eq(status.st_mode & 0777, 0666 & ~masks[i]);
        lone_close();
        unlink(run.path);
    }
    umask(before);
}
END_TEST

SUITE("steal checkpoint", what_is_done_is_not_resumed, what_is_stopped_goes_on,
      a_deadline_stops_before_the_first_task, a_stop_between_processes_stops_the_next_one,
      until_it_is_done_nothing_is_restored_or_balanced, canceling_drops_what_a_stop_would_keep,
      another_run_goes_on_from_the_file, what_was_executed_can_be_restored_from_the_file,
      tasks_that_wait_go_on_waiting, results_and_bounds_go_on_where_they_were,
      checkpoints_while_tasks_run_change_nothing, every_bit_of_a_file_counts,
      what_is_of_another_collection_is_refused, where_nothing_can_be_written_is_told_at_once,
      what_cannot_be_asked_for_is_told, the_users_text_goes_over_the_programs,
      a_file_that_cannot_be_written_leaves_the_former_one, what_killed_processes_left_is_removed,
      files_have_the_permissions_that_the_umask_leaves)
