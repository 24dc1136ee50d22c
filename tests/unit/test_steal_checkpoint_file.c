/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoint files that are broken or cannot be written, and requests that are refused. */
#include "tests/lib/checkpointed.h"
#include "tests/lib/refusal.h"
#include "tests/lib/suite.h"

#include "libjuggle/steal/runtime/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned char *read_file(size_t *size)
{
    struct stat status;
    const int fd = open(checkpointed.path, O_RDONLY);
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
    const int fd = open(checkpointed.path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
    close(fd);
}

static void make_file(struct steal_properties properties)
{
    checkpointed_begin_anew(properties, NULL, checkpointed_note);
    ck_assert_int_eq(checkpointed_write(), 0);
    checkpointed_seed();
    checkpointed.stop_at = 7;
    ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
    lone_close();
}

/* The collection is as it was before: it takes tasks, and executes exactly these. */
static void expect_refused(struct steal_properties properties, const char *why)
{
    checkpointed_begin(properties, NULL, checkpointed_note);
    memset(checkpointed.visits, 0, sizeof(checkpointed.visits));
    ck_assert_int_eq(checkpointed_write(), -EBADMSG);
    lone_expect_message(why);
    checkpointed_seed();
    ck_assert_int_eq(steal_process(lone.collection), 0);
    checkpointed_expect_all_once(2 * CHECKPOINTED_TASKS);
    if (properties.storage)
        ck_assert_int_eq(checkpointed_sum(),
                         2 * CHECKPOINTED_TASKS * (2 * CHECKPOINTED_TASKS - 1) / 2);
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
        expect_refused(properties, checkpointed.path);
        bytes[at] ^= (unsigned char)(1 << at % 8);
    }
    for (size_t less = 1; less <= size; less += 13) {
        write_file(bytes, size - less);
        expect_refused(properties, checkpointed.path);
    }
    bytes[size] = 0;
    write_file(bytes, size + 1);
    expect_refused(properties, "is cut off, or has grown");
    free(bytes);
    unlink(checkpointed.path);
}

START_TEST(what_is_of_another_collection_is_refused)
{
    make_file((struct steal_properties){.storage = sizeof(int64_t)});
    expect_refused((struct steal_properties){.storage = 16}, "different value of storage");
    expect_refused((struct steal_properties){.storage = 8, .levels = 2},
                   "different value of levels");
    expect_refused((struct steal_properties){.storage = 8, .retain = STEAL_RETENTION_ALL},
                   "different value of retain");
    write_file("JUGGLELG, a ledger of a long name", 33);
    expect_refused((struct steal_properties){0}, "is not a checkpoint");
    unlink(checkpointed.path);
}

/* A checkpoint says how long the results file is, which a device or a pipe does not know. */
START_TEST(results_that_go_to_no_file_are_refused_at_once)
{
    const struct steal_properties properties = {.results_path = "/dev/null"};

    checkpointed_begin_anew(properties, NULL, checkpointed_note);
    ck_assert_int_eq(checkpointed_write(), -EINVAL);
    lone_expect_message("/dev/null is a device or a pipe, not a regular file");
    ck_assert_int_ne(access(checkpointed.path, F_OK), 0);
    /* Without a checkpoint it can be used. */
    checkpointed_seed();
    ck_assert_int_eq(steal_process(lone.collection), 0);
    lone_close();
}

START_TEST(where_nothing_can_be_written_is_told_at_once)
{
    static const struct {
        const char *path;
        int error;
        const char *why;
    } places[] = {
        {"/proc/nonexistent/checkpoint", -ENOENT,
         "/proc/nonexistent/checkpoint: No such file or directory"},
        {"/tmp", -EISDIR, "/tmp: Is a directory"},
        {"/dev/null", -EINVAL, "/dev/null is a device or a pipe, not a regular file"},
    };

    checkpointed_begin_anew((struct steal_properties){0}, NULL, checkpointed_note);
    for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
        const struct steal_checkpoint settings = {.size = sizeof(settings), .path = places[i].path};

        ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), places[i].error);
        lone_expect_message(places[i].why);
    }
    lone_close();
}

START_TEST(what_cannot_be_asked_for_is_told)
{
    struct steal_checkpoint settings = {.size = sizeof(settings), .data_size = 8};

    checkpointed_begin_anew((struct steal_properties){0}, NULL, checkpointed_note);
    ck_assert_int_eq(steal_checkpoint(NULL, NULL), -EINVAL);
    ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), -EINVAL);
    lone_expect_message("data is NULL");
    settings = (struct steal_checkpoint){.size = sizeof(settings), .every_ns = 1};
    ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), -EINVAL);
    lone_expect_message("every does nothing without checkpoint");
    settings = (struct steal_checkpoint){
        .size = sizeof(settings), .path = checkpointed.path, .every_ns = -1};
    ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), -EINVAL);
    lone_expect_message("every must not be negative");
    settings.size = 4;
    ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), -EINVAL);
    lone_expect_message("struct steal_checkpoint has 4 bytes");
    ck_assert_int_eq(steal_checkpoint(lone.collection, NULL), 0);
    lone_add(1);
    ck_assert_int_eq(checkpointed_write(), -EBUSY);
    lone_expect_message("steal_checkpoint() comes before tasks are added");
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(checkpointed_write(), -EBUSY);
    lone_expect_message("steal_checkpoint() comes before the first steal_process()");
    lone_close();
}

START_TEST(the_users_text_goes_over_the_programs)
{
    checkpointed_begin_anew((struct steal_properties){0}, NULL, checkpointed_note);
    lone.runtime->transport->settings = "checkpoint=/proc/nonexistent/mine,every=2m";
    ck_assert_int_eq(checkpointed_write(), -ENOENT);
    lone_expect_message("/proc/nonexistent/mine: No such file");
    lone.runtime->transport->settings = "every=60";
    ck_assert_int_eq(checkpointed_write(), -EINVAL);
    lone_expect_message("JUGGLE_STEAL: every is a time such as 60s, not '60'");
    lone.runtime->transport->settings = "checkpoint=";
    ck_assert_int_eq(checkpointed_write(), 0);
    ck_assert_ptr_null(lone.collection->checkpoint);
    lone.runtime->transport->settings = "every=250ms";
    ck_assert_int_eq(checkpointed_write(), 0);
    ck_assert_int_eq(lone.collection->checkpoint->every_ns, 250 * NSEC_PER_MSEC);
    lone.runtime->transport->settings = NULL;
    lone_close();
}

/* A signal may come while the message is written or read. */
START_TEST(what_signal_handlers_call_leaves_the_message_alone)
{
    checkpointed_begin_anew((struct steal_properties){0}, NULL, checkpointed_note);
    ck_assert_int_eq(steal_checkpoint_now(lone.collection), -EINVAL);
    ck_assert_str_eq(steal_message(lone.runtime), "");
    ck_assert_int_eq(steal_cancel(lone.collection), -EINVAL);
    ck_assert_int_eq(steal_checkpoint_now(lone.collection), -EINVAL);
    lone_expect_message("steal_cancel() outside of a task");
    ck_assert_int_eq(steal_stop(lone.collection), 0);
    lone_expect_message("steal_cancel() outside of a task");
    lone_close();
}

START_TEST(a_text_that_wants_no_file_drops_the_programs_interval)
{
    const struct steal_checkpoint settings = {
        .size = sizeof(settings), .path = checkpointed.path, .every_ns = NSEC_PER_SEC};
    const struct steal_checkpoint nowhere = {.size = sizeof(nowhere), .every_ns = NSEC_PER_SEC};

    checkpointed_begin_anew((struct steal_properties){0}, NULL, checkpointed_note);
    lone.runtime->transport->settings = "checkpoint=";
    ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), 0);
    ck_assert_str_eq(steal_message(lone.runtime), "");
    ck_assert_ptr_null(lone.collection->checkpoint);
    lone.runtime->transport->settings = "checkpoint=,every=2s";
    ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), -EINVAL);
    lone_expect_message("every does nothing without checkpoint");
    lone.runtime->transport->settings = NULL;
    ck_assert_int_eq(steal_checkpoint(lone.collection, &nowhere), -EINVAL);
    lone_expect_message("every does nothing without checkpoint");
    lone_close();
}

/* Checks what is printed on standard error while the collection is processed this often. */
static void expect_told(const char *settings, int processes, const char *told)
{
    FILE *file = tmpfile();
    const int before = dup(STDERR_FILENO);
    char line[512] = "";

    lone.runtime->transport->settings = settings;
    ck_assert_int_eq(dup2(fileno(file), STDERR_FILENO), STDERR_FILENO);
    for (int i = 0; i < processes; i++)
        ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(dup2(before, STDERR_FILENO), STDERR_FILENO);
    rewind(file);
    (void)!fread(line, 1, sizeof(line) - 1, file);
    ck_assert_str_eq(line, told);
    close(before);
    fclose(file);
    lone.runtime->transport->settings = NULL;
}

START_TEST(a_wish_for_a_checkpoint_that_nobody_keeps_is_told_once)
{
    checkpointed_begin_anew((struct steal_properties){0}, NULL, checkpointed_note);
    expect_told(NULL, 1, "");
    expect_told("checkpoint=,every=0s", 1, "");
    lone_close();
    checkpointed_begin_anew((struct steal_properties){0}, NULL, checkpointed_note);
    expect_told("lifelines=0,checkpoint=file", 3,
                "steal: JUGGLE_STEAL=checkpoint does nothing for 'play': the program did not call "
                "steal_checkpoint()\n");
    lone_close();
    checkpointed_begin_anew((struct steal_properties){0}, NULL, checkpointed_note);
    ck_assert_int_eq(steal_checkpoint(lone.collection, NULL), 0);
    expect_told("checkpoint=file", 1, "");
    lone_close();
}

/* Whatever the name of a function contains, a message stays one line. */
START_TEST(what_is_told_is_one_line)
{
    checkpointed_begin_anew((struct steal_properties){0}, NULL, checkpointed_note);
    strcpy(lone.runtime->function[0].name, "a\n\033[");
    expect_told("checkpoint=file", 1,
                "steal: JUGGLE_STEAL=checkpoint does nothing for 'a??[': the program did not call "
                "steal_checkpoint()\n");
    lone_close();
}

START_TEST(a_file_that_cannot_be_written_leaves_the_former_one)
{
    unsigned char *before, *after;
    size_t size, after_size;

    checkpointed_begin_anew((struct steal_properties){0}, NULL, checkpointed_note);
    ck_assert_int_eq(checkpointed_write(), 0);
    checkpointed_seed();
    checkpointed.stop_at = 7;
    ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
    before = read_file(&size);
    checkpointed.stop_at = 0;
    checkpointed.save_at = 12;
    signal(SIGXFSZ, SIG_IGN);
    limit_set(RLIMIT_FSIZE, 300); /* as on a full disk */
    ck_assert_int_eq(steal_process(lone.collection), -EFBIG);
    lone_expect_message("File too large");
    limit_set(RLIMIT_FSIZE, RLIM_INFINITY);
    after = read_file(&after_size);
    ck_assert_uint_eq(after_size, size);
    ck_assert_mem_eq(after, before, size);
    /* No task is lost. */
    ck_assert_int_eq(checkpointed.executed, 12);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    checkpointed_expect_all_once(2 * CHECKPOINTED_TASKS);
    lone_close();
    free(before);
    free(after);
    unlink(checkpointed.path);
}

/* The next process has only the file, and executed tasks can be restored. */
START_TEST(what_is_done_is_kept_where_the_file_cannot_be_written)
{
    checkpointed_begin_anew((struct steal_properties){.retain = STEAL_RETENTION_SEEDED}, NULL,
                            checkpointed_note);
    ck_assert_int_eq(checkpointed_write(), 0);
    checkpointed_seed();
    signal(SIGXFSZ, SIG_IGN);
    limit_set(RLIMIT_FSIZE, 300); /* as on a full disk */
    ck_assert_int_eq(steal_process(lone.collection), -EFBIG);
    checkpointed_expect_all_once(2 * CHECKPOINTED_TASKS);
    limit_set(RLIMIT_FSIZE, RLIM_INFINITY);
    ck_assert_int_ne(access(checkpointed.path, F_OK), 0);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(access(checkpointed.path, F_OK), 0);
    checkpointed_expect_all_once(2 * CHECKPOINTED_TASKS);
    ck_assert_int_eq(lone_statistics().tasks_executed, 2 * CHECKPOINTED_TASKS);
    ck_assert_int_eq(lone.collection->processes, 1);
    ck_assert_int_eq(steal_restore(lone.collection), 0);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    for (int task = 0; task < 2 * CHECKPOINTED_TASKS; task++)
        ck_assert_int_eq(checkpointed.visits[task], 2);
    lone_close();
    unlink(checkpointed.path);
}

/* Even if hardly any time has passed since the file before. */
START_TEST(a_file_that_the_last_task_asks_for_is_written)
{
    const struct steal_checkpoint settings = {
        .size = sizeof(settings), .path = checkpointed.path, .every_ns = INT64_MAX};

    checkpointed_begin_anew((struct steal_properties){0}, NULL, checkpointed_note);
    ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), 0);
    for (int asked = 0; asked < 2; asked++) {
        memset(checkpointed.visits, 0, sizeof(checkpointed.visits));
        checkpointed_seed();
        ck_assert_int_eq(steal_process(lone.collection), 0);
        unlink(checkpointed.path);
        lone.collection->checkpoint->took_ns = 3600 * NSEC_PER_SEC;
        checkpointed.save_at = asked ? checkpointed.executed + 1 : 0;
        lone_add(CHECKPOINTED_TASKS);
        ck_assert_int_eq(steal_process(lone.collection), 0);
        ck_assert_int_eq(access(checkpointed.path, F_OK) == 0, asked);
    }
    lone_close();
    unlink(checkpointed.path);
}

START_TEST(what_killed_processes_left_is_removed)
{
    char left[96], others[96];

    checkpointed_begin_anew((struct steal_properties){0}, NULL, checkpointed_note);
    snprintf(left, sizeof(left), "%s.a1B2c3new", checkpointed.path);
    snprintf(others, sizeof(others), "%s.a1B2c3now", checkpointed.path);
    close(open(left, O_WRONLY | O_CREAT, 0644));
    close(open(others, O_WRONLY | O_CREAT, 0644));
    ck_assert_int_eq(checkpointed_write(), 0);
    ck_assert_int_ne(access(left, F_OK), 0);
    ck_assert_int_eq(access(others, F_OK), 0);
    unlink(others);
    lone_close();
}

START_TEST(files_have_the_permissions_that_the_umask_leaves)
{
    static const mode_t masks[] = {077, 022, 002, 0};
    const mode_t before = umask(0);

    for (size_t i = 0; i < ARRAY_COUNT(masks); i++) {
        struct stat status;

        umask(masks[i]);
        checkpointed_begin_anew((struct steal_properties){0}, NULL, checkpointed_note);
        ck_assert_int_eq(checkpointed_write(), 0);
        checkpointed_seed();
        checkpointed.stop_at = 1;
        ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
        ck_assert_int_eq(stat(checkpointed.path, &status), 0);
        ck_assert_uint_eq(status.st_mode & 0777, 0666 & ~masks[i]);
        lone_close();
        unlink(checkpointed.path);
    }
    umask(before);
}

SUITE("steal checkpoint file")
