/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of results while tasks remain: what has come is written soon, and a file that cannot be
 * written any more stops the process, which loses nothing and goes on. */
#include "tests/lib/lone.h"
#include "tests/lib/suite.h"

#include "tools/steal-sim/network.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TASKS = 200, TASK_NS = 2000000000 };

static char path[] = "/tmp/steal-results.XXXXXXtmp";
static int fd;
static uint64_t told[2 * TASKS]; /* the results that the function was given */
static size_t told_count;
static _Atomic int executed;

static void note_result(void *local, uint64_t id, const void *data, size_t size)
{
    (void)local, (void)data;
    ck_assert_uint_eq(size, sizeof(id));
    told[told_count++] = id;
}

/* Takes two seconds of the network's clock. */
static void square(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    const uint64_t *task = tasks;
    const uint64_t value = *task * *task;

    (void)local, (void)count;
    executed++;
    network_compute(lone.network, 0, TASK_NS);
    REQUIRE(steal_result(worker, *task, &value, sizeof(value)) == 0, "%s",
            steal_worker_message(worker));
}

/* A disk with room for so many bytes; -1: without limit. */
static ssize_t disk_room = -1;

ssize_t write(int descriptor, const void *bytes, size_t size)
{
    ssize_t written;

    if (disk_room == 0) {
        errno = ENOSPC;
        return -1;
    }
    written = syscall(SYS_write, descriptor, bytes,
                      disk_room >= 0 && (size_t)disk_room < size ? (size_t)disk_room : size);
    if (disk_room > 0)
        disk_room -= written;
    return written;
}

static void file_open(void)
{
    strcpy(path, "/tmp/steal-results.XXXXXXtmp");
    fd = mkstemps(path, 3);
    ck_assert_int_ge(fd, 0);
    told_count = 0;
    executed = 0;
}

static void file_close(void)
{
    close(fd);
    unlink(path);
}

/* Adds all tasks; number 0 is executed first. */
static void add_all(void)
{
    for (uint64_t task = TASKS; task-- > 0;)
        lone_add(task);
}

START_TEST(a_full_disk_stops_the_process_while_tasks_remain)
{
    executed = 0;
    lone_open_function((struct steal_properties){.results_path = "/dev/full"}, NULL, square);
    add_all();
    ck_assert_int_eq(steal_process(lone.collection), -ENOSPC);
    ck_assert_str_eq(steal_message(lone.runtime), "/dev/full: No space left on device");
    ck_assert_int_lt(executed, 10);
    lone_close();
}

static off_t grown; /* the file when the last task began */

static void look(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct stat status;

    if (*(const uint64_t *)tasks == TASKS - 1) {
        ck_assert_int_eq(fstat(fd, &status), 0);
        grown = status.st_size;
    }
    square(worker, local, tasks, count);
}

START_TEST(what_has_come_is_in_the_file_while_tasks_remain)
{
    file_open();
    lone_open_function((struct steal_properties){.results_path = path}, NULL, look);
    add_all();
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_ge(grown, (TASKS - 2) * (off_t)sizeof(uint64_t));
    lone_close();
    file_close();
}

/* Checks that the file holds each result once, and in order if `in_order`. */
static void expect_all(bool in_order)
{
    bool seen[TASKS] = {false};
    uint64_t value;

    for (uint64_t i = 0; i < TASKS; i++) {
        ck_assert_int_eq(read(fd, &value, sizeof(value)), sizeof(value));
        ck_assert(!in_order || value == i * i);
        for (uint64_t task = 0; task < TASKS; task++)
            seen[task] |= value == task * task;
    }
    ck_assert_int_eq(read(fd, &value, 1), 0);
    for (uint64_t task = 0; task < TASKS; task++)
        ck_assert(seen[task]);
}

static void fill_and_go_on(struct steal_properties properties, const struct steal_options *options)
{
    file_open();
    properties.results_path = path;
    properties.result = note_result;
    lone_open_function(properties, options, square);
    add_all();
    disk_room = 100;
    const int first = steal_process(lone.collection), second = steal_process(lone.collection);
    disk_room = -1;
    ck_assert_int_eq(first, -ENOSPC);
    ck_assert_int_eq(second, -ENOSPC);
    lone_expect_message("No space left on device");
    ck_assert(options || executed < TASKS);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(executed, TASKS);
    ck_assert_uint_eq(told_count, TASKS);
    expect_all(properties.results == STEAL_RESULTS_BY_ID);
    lone_close();
    file_close();
}

START_TEST(a_process_that_could_not_write_goes_on_where_there_is_room)
{
    for (int i = 0; i < 2; i++) {
        const struct steal_options *options = i > 0 ? &lone_threads : NULL;

        fill_and_go_on((struct steal_properties){0}, options);
        fill_and_go_on((struct steal_properties){.results_memory = 1}, options);
        fill_and_go_on((struct steal_properties){.results = STEAL_RESULTS_BY_ID}, options);
    }
}

/* A close() that says what a network file system could not write. */
static bool closes_late;

int close(int descriptor)
{
    const int result = (int)syscall(SYS_close, descriptor);

    if (!closes_late || result < 0)
        return result;
    errno = EDQUOT;
    return -1;
}

START_TEST(what_is_found_when_the_file_is_closed_is_told)
{
    file_open();
    lone_open_function((struct steal_properties){.results_path = path}, NULL, square);
    lone_add(1);
    closes_late = true;
    const int result = steal_process(lone.collection);
    closes_late = false;
    ck_assert_int_eq(result, -EDQUOT);
    lone_expect_message("Disk quota exceeded");
    lone_close();
    file_close();
}

SUITE("steal results in their file")
