/* SPDX-License-Identifier: BSD-3-Clause */
/* Results on one rank: passed to the function and written to a file, in order, and more than
 * memory may hold; which calls are refused. */
#include "tests/lib/lone.h"
#include "tests/lib/refusal.h"
#include "tests/lib/suite.h"

#include "libjuggle/ground/prng.h"
#include "libjuggle/steal/runtime/shelf.h"
#include "libjuggle/steal/runtime/spool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TASKS = 200, RECORDS = 3000 };

static struct {
    uint64_t ids[4 * TASKS];
    size_t count;
} given;

static void take(void *local, uint64_t id, const void *data, size_t size)
{
    uint64_t value;

    (void)local;
    ck_assert_uint_eq(size, sizeof(value));
    memcpy(&value, data, sizeof(value));
    ck_assert_uint_eq(value, id * id);
    given.ids[given.count++] = id;
}

static void square(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    const uint64_t *task = tasks;

    (void)local;
    for (size_t i = 0; i < count; i++) {
        const uint64_t value = task[i] * task[i];

        ck_assert_int_eq(steal_result(worker, task[i], &value, sizeof(value)), 0);
    }
}

static void open_squares(struct steal_properties properties, const struct steal_options *options)
{
    memset(&given, 0, sizeof(given));
    lone_open_function(properties, options, square);
}

static void process_squares(uint64_t step)
{
    for (uint64_t task = 0; task < TASKS; task++)
        lone_add(step * task);
    ck_assert_int_eq(steal_process(lone.collection), 0);
}

START_TEST(results_come_by_their_numbers_in_each_process)
{
    const struct steal_properties properties = {
        .result = take, .results = STEAL_RESULTS_BY_ID, .results_memory = 1};

    for (int i = 0; i < 2; i++) {
        open_squares(properties, i > 0 ? &lone_threads : NULL);
        process_squares(1);
        process_squares(1);
        /* If numbers are missing, the results after the gap are delivered at the end. */
        process_squares(3);
        ck_assert_uint_eq(given.count, 3 * TASKS);
        for (uint64_t k = 0; k < 3 * TASKS; k++)
            ck_assert_uint_eq(given.ids[k], k < 2 * TASKS ? k % TASKS : 3 * (k % TASKS));
        lone_close();
    }
}

START_TEST(results_come_as_they_arrive)
{
    open_squares((struct steal_properties){.result = take}, NULL);
    process_squares(1);
    ck_assert_uint_eq(given.count, TASKS);
    /* The task that was added last is executed first. */
    ck_assert_uint_eq(given.ids[0], TASKS - 1);
    lone_close();
}

/* What the file held before is gone; the second process appends to it. */
START_TEST(results_are_written_one_after_the_other)
{
    char path[] = "/tmp/steal-results.XXXXXXtmp";
    uint64_t value = 0;
    int fd = mkstemps(path, 3);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pwrite(fd, &value, sizeof(value), 100000), sizeof(value));
    open_squares((struct steal_properties){.results_path = path, .results = STEAL_RESULTS_BY_ID},
                 NULL);
    process_squares(1);
    process_squares(1);
    for (uint64_t i = 0; i < 2 * TASKS; i++) {
        ck_assert_int_eq(read(fd, &value, sizeof(value)), sizeof(value));
        ck_assert_uint_eq(value, (i % TASKS) * (i % TASKS));
    }
    ck_assert_int_eq(read(fd, &value, 1), 0);
    lone_close();
    close(fd);
    unlink(path);
}

static void stop_at_10(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    square(worker, local, tasks, count);
    if (*(const uint64_t *)tasks == 10)
        ck_assert_int_eq(steal_stop(lone.collection), 0);
}

START_TEST(results_of_a_process_that_is_stopped_are_in_the_file)
{
    char path[] = "/tmp/steal-results.XXXXXXtmp";
    int fd = mkstemps(path, 3);

    ck_assert_int_ge(fd, 0);
    lone_open_function((struct steal_properties){.results_path = path}, NULL, stop_at_10);
    for (uint64_t task = 0; task < TASKS; task++)
        lone_add(task);
    ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
    ck_assert_int_eq(lseek(fd, 0, SEEK_END), (TASKS - 10) * sizeof(uint64_t));
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(lseek(fd, 0, SEEK_END), TASKS * sizeof(uint64_t));
    lone_close();
    close(fd);
    unlink(path);
}

START_TEST(results_that_cannot_be_written_at_a_stop_are_told_and_written_later)
{
    char path[] = "/tmp/steal-results.XXXXXXtmp";
    int fd = mkstemps(path, 3);
    bool seen[TASKS] = {false};
    uint64_t value;

    ck_assert_int_ge(fd, 0);
    lone_open_function((struct steal_properties){.results_path = path}, NULL, stop_at_10);
    for (uint64_t task = 0; task < TASKS; task++)
        lone_add(task);
    signal(SIGXFSZ, SIG_IGN);
    limit_set(RLIMIT_FSIZE, 100); /* as on a full disk */
    const int result = steal_process(lone.collection);
    limit_set(RLIMIT_FSIZE, RLIM_INFINITY);
    ck_assert_int_eq(result, -EFBIG);
    lone_expect_message("File too large");
    ck_assert_int_eq(steal_process(lone.collection), 0);
    for (uint64_t i = 0; i < TASKS; i++) {
        ck_assert_int_eq(read(fd, &value, sizeof(value)), sizeof(value));
        for (uint64_t task = 0; task < TASKS; task++)
            seen[task] |= value == task * task;
    }
    ck_assert_int_eq(read(fd, &value, 1), 0);
    for (uint64_t task = 0; task < TASKS; task++)
        ck_assert(seen[task]);
    lone_close();
    close(fd);
    unlink(path);
}

/* Two of these results are more than is written at a time. */
static void much(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    static const unsigned char data[60000];

    (void)local, (void)count;
    ck_assert_int_eq(steal_result(worker, *(const uint64_t *)tasks, data, sizeof(data)), 0);
}

static void note_id(void *local, uint64_t id, const void *data, size_t size)
{
    (void)local, (void)data, (void)size;
    given.ids[given.count++] = id;
}

/* The result of number 5 waits for others when the file is full. */
START_TEST(results_of_a_process_that_could_not_write_come_once_in_the_next)
{
    static const uint64_t ids[] = {5, 2, 1, 0};
    static const uint64_t expected[] = {0, 1, 2, 5};
    char path[] = "/tmp/steal-results.XXXXXXtmp";
    int fd = mkstemps(path, 3);

    memset(&given, 0, sizeof(given));
    ck_assert_int_ge(fd, 0);
    lone_open_function((struct steal_properties){.results_path = path,
                                                 .result = note_id,
                                                 .results = STEAL_RESULTS_BY_ID},
                       NULL, much);
    for (size_t i = 0; i < ARRAY_COUNT(ids); i++)
        lone_add(ids[i]);
    signal(SIGXFSZ, SIG_IGN);
    limit_set(RLIMIT_FSIZE, 100); /* as on a full disk */
    const int result = steal_process(lone.collection);
    limit_set(RLIMIT_FSIZE, RLIM_INFINITY);
    ck_assert_int_eq(result, -EFBIG);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_uint_eq(given.count, ARRAY_COUNT(expected));
    ck_assert_mem_eq(given.ids, expected, sizeof(expected));
    ck_assert_int_eq(lseek(fd, 0, SEEK_END), ARRAY_COUNT(ids) * 60000);
    lone_close();
    close(fd);
    unlink(path);
}

/* Truncates the spill file in the first call of steal_process(), so that the spilled results are
 * lost. */
static void lose_spilled(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    square(worker, local, tasks, count);
    if (*(const uint64_t *)tasks == 1)
        ck_assert_int_eq(ftruncate(lone.collection->results->spool.spill.fd, 0), 0);
}

START_TEST(results_that_cannot_be_read_back_are_told_once)
{
    memset(&given, 0, sizeof(given));
    lone_open_function((struct steal_properties){.result = take, .results_memory = 1}, NULL,
                       lose_spilled);
    lone_add(1);
    ck_assert_int_eq(steal_process(lone.collection), -EIO);
    lone_expect_message(
        "results beyond results_memory cannot be kept in TMPDIR: Input/output error");
    ck_assert_int_eq(steal_runtime_failed(lone.runtime), 0);
    lone_add(2);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_uint_eq(given.count, 1);
    ck_assert_uint_eq(given.ids[0], 2);
    lone_close();
}

static void create_refused(struct steal_properties properties, int error, const char *why)
{
    struct steal_collection *never;

    lone_expect_error(steal_collection_create(lone.runtime, &properties, &never), error, why);
}

/* Makes each of these mistakes once. */
static void misuse(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    static unsigned char large[STEAL_RESULT_SIZE_MAX + 1];

    (void)local, (void)tasks, (void)count;
    ck_assert_int_eq(steal_result(worker, 0, large, sizeof(large)), -EMSGSIZE);
    ck_assert_str_eq(steal_worker_message(worker), "a result of 65025 bytes is larger than 65024");
    ck_assert_int_eq(steal_result(worker, 0, NULL, 1), -EINVAL);
    ck_assert_str_eq(steal_worker_message(worker), "data is NULL");
    ck_assert_int_eq(steal_result(worker, 0, large, STEAL_RESULT_SIZE_MAX), 0);
    ck_assert_int_eq(steal_result(worker, 0, NULL, 0), 0);
}

static void count_only(void *local, uint64_t id, const void *data, size_t size)
{
    (void)local, (void)id, (void)data;
    given.ids[given.count++] = size;
}

static void without(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)local, (void)count;
    ck_assert_int_eq(steal_result(worker, 0, tasks, 8), -EINVAL);
    ck_assert_str_eq(steal_worker_message(worker),
                     "the collection was created without result or results_path");
}

START_TEST(what_is_no_result_is_told)
{
    const struct steal_properties nowhere =
        LONE_PROPERTIES(.results_path = "/proc/nonexistent/results");
    const struct steal_properties order = LONE_PROPERTIES(.results = STEAL_RESULTS_BY_ID);
    const struct steal_properties memory = LONE_PROPERTIES(.results_memory = 5);

    open_squares((struct steal_properties){.result = take}, NULL);
    create_refused(nowhere, -ENOENT, "/proc/nonexistent/results: No such file or directory");
    create_refused(order, -EINVAL, "results does nothing without result or results_path");
    create_refused(memory, -EINVAL, "results_memory does nothing without result or results_path");
    ck_assert_int_eq(steal_result(NULL, 0, "", 1), -EINVAL);
    ck_assert_int_eq(steal_result(steal_seeder(lone.runtime), 0, "", 1), -EINVAL);
    ck_assert_str_eq(steal_message(lone.runtime), "steal_result() outside of a task");
    lone_close();
    memset(&given, 0, sizeof(given));
    lone_open_function((struct steal_properties){.result = count_only}, NULL, misuse);
    lone_add(1);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_uint_eq(given.count, 2);
    ck_assert_uint_eq(given.ids[0], STEAL_RESULT_SIZE_MAX);
    ck_assert_uint_eq(given.ids[1], 0);
    lone_close();
    lone_open_function((struct steal_properties){0}, NULL, without);
    lone_add(1);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    lone_close();
}

START_TEST(a_file_that_is_full_fails_the_process)
{
    open_squares((struct steal_properties){.results_path = "/dev/full"}, NULL);
    lone_add(1);
    ck_assert_int_eq(steal_process(lone.collection), -ENOSPC);
    ck_assert_str_eq(steal_message(lone.runtime), "/dev/full: No space left on device");
    lone_close();
}

/* A write() that writes nothing, as a driver may return it. */
static bool writes_nothing;

ssize_t write(int fd, const void *bytes, size_t size)
{
    return writes_nothing ? 0 : syscall(SYS_write, fd, bytes, size);
}

START_TEST(a_file_that_takes_nothing_fails_the_process)
{
    open_squares((struct steal_properties){.results_path = "/dev/null"}, NULL);
    lone_add(1);
    writes_nothing = true;
    const int result = steal_process(lone.collection);
    writes_nothing = false;
    ck_assert_int_eq(result, -EIO);
    ck_assert_str_eq(steal_message(lone.runtime), "/dev/null: Input/output error");
    ck_assert_int_eq(steal_runtime_failed(lone.runtime), 0);
    lone_add(2);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    lone_close();
}

static void expect_stale(const char *path, const char *why)
{
    char wanted[STEAL_MESSAGE_MAX];

    snprintf(wanted, sizeof(wanted), "%s %s", path, why);
    lone_add(1);
    ck_assert_int_eq(steal_process(lone.collection), -ESTALE);
    ck_assert_str_eq(steal_message(lone.runtime), wanted);
}

/* A cleaning script, or a second job with the same file, may do this. */
START_TEST(a_file_that_others_remove_or_change_fails_the_process)
{
    char path[] = "/tmp/steal-results.XXXXXXtmp";
    int fd = mkstemps(path, 3);

    ck_assert_int_ge(fd, 0);
    open_squares((struct steal_properties){.results_path = path}, NULL);
    process_squares(1);
    ck_assert_int_eq(pwrite(fd, path, 1, 100000), 1);
    expect_stale(path, "was changed while it was written");
    unlink(path);
    expect_stale(path, "was removed while it was written");
    lone_close();
    close(fd);
}

/* ---- the spool ----------------------------------------------------------------------------- */

/* Results are put in, and taken out a few at a time, at random. */
static void play_spool(size_t memory_max, uint64_t seed)
{
    static unsigned char out[65536];
    struct spool spool;
    struct prng prng;
    uint64_t put = 0, got = 0;

    prng_seed(&prng, seed);
    ck_assert_int_eq(spool_open(&spool, memory_max), 0);
    while (got < RECORDS) {
        size_t size;

        for (uint64_t i = prng_below(&prng, 50); i > 0 && put < RECORDS; i--, put++)
            ck_assert_int_eq(spool_add(&spool, put, out, prng_below(&prng, 3000)), 0);
        ck_assert_int_eq(spool_take(&spool, out, 4000 + prng_below(&prng, 60000), &size), 0);
        ck_assert(size > 0 || put == got);
        for (size_t at = 0; at < size;) {
            struct result_head head;

            memcpy(&head, out + at, sizeof(head));
            ck_assert_uint_eq(head.id, got++);
            at += result_room(head.size);
        }
        ck_assert(spool_occupied(&spool) == (got < put));
    }
    spool_close(&spool);
}

START_TEST(a_spool_keeps_the_order_in_memory_and_beyond)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        play_spool(0, seed);
        play_spool(100000, seed);
        play_spool(1 << 24, seed);
    }
}

START_TEST(a_shelf_gives_the_least_first)
{
    unsigned char data[512];
    struct shelf shelf;
    uint64_t id;
    size_t size;

    shelf_init(&shelf, 20000);
    ck_assert(!shelf_least(&shelf, &id));
    for (uint64_t i = 0; i < 997; i++) {
        memset(data, (int)(i * 7 % 997), sizeof(data));
        ck_assert_int_eq(shelf_put(&shelf, i * 7 % 997, data, i * 7 % 997 % sizeof(data)), 0);
    }
    ck_assert_uint_le(shelf.held, 20000);
    for (uint64_t i = 0; i < 997; i++) {
        ck_assert(shelf_least(&shelf, &id));
        ck_assert_uint_eq(id, i);
        ck_assert_int_eq(shelf_take(&shelf, data, &size), 0);
        ck_assert_uint_eq(size, i % sizeof(data));
        ck_assert(size == 0 || data[size - 1] == (unsigned char)i);
    }
    ck_assert_uint_eq(shelf.held, 0);
    shelf_close(&shelf);
}

SUITE("steal results")
