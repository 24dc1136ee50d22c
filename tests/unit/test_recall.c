/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that are recognized by their keys, within a run and from one ledger file to the next,
 * and balanced. */
#include "tests/lib/lone.h"
#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct steal_properties keyed = {
    .size = sizeof(struct steal_properties), .retain = STEAL_RETENTION_SEEDED, .key = lone_key};

static void add(uint64_t first, uint64_t last)
{
    for (uint64_t task = first; task <= last; task++)
        lone_add(task);
}

START_TEST(tasks_that_are_added_anew_are_known_by_their_keys)
{
    lone_open(keyed);
    lone.factor_ns = 1000;
    add(1, 4);
    lone_process();
    add(3, 6);
    lone_add(3);
    ck_assert_int_eq(steal_rebalance(lone.collection, NULL), 0);
    lone_process();
    ck_assert_uint_eq(lone.count, 5);
    ck_assert_int_eq(lone_statistics().predicted_ns, 3000 + 4000 + 3000);
    ck_assert_int_eq(lone_statistics().tasks_predicted, 3);
    ck_assert_int_eq(lone_statistics().error_ns, 0);
    lone_close();
}

START_TEST(a_process_that_balances_by_itself_knows_tasks_by_their_keys)
{
    for (int pays = 0; pays < 2; pays++) {
        struct steal_properties properties = keyed;

        properties.balance_every = !pays;
        properties.balance_if_it_pays = pays;
        lone_open(properties);
        lone.factor_ns = 1000;
        add(1, 4);
        lone_process();
        add(3, 6);
        lone_process();
        ck_assert_uint_eq(lone.count, 4);
        ck_assert_int_eq(lone_statistics().predicted_ns, 3000 + 4000);
        ck_assert_int_eq(lone_statistics().tasks_predicted, 2);
        lone_close();
    }
}

enum { MANY = 200000 };

static uint64_t one_key(const void *local, const void *task)
{
    (void)local, (void)task;
    return 7;
}

static void take_1000(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)local, (void)tasks;
    for (size_t i = 0; i < count; i++)
        steal_took(worker, i, 1000);
}

/* A key may stand for a kind of tasks: tasks of one key are not all compared with each other. */
START_TEST(many_tasks_may_have_one_key)
{
    struct steal_properties properties = keyed;

    properties.key = one_key;
    properties.batch = 100;
    lone_open_function(properties, NULL, take_1000);
    for (int round = 0; round < 2; round++) {
        for (uint64_t task = 0; task < MANY; task++)
            lone_add(task);
        ck_assert_int_eq(steal_rebalance(lone.collection, NULL), 0);
        ck_assert_int_eq(steal_process(lone.collection), 0);
    }
    ck_assert_int_eq(lone_statistics().tasks_predicted, MANY);
    ck_assert_int_eq(lone_statistics().predicted_ns, INT64_C(1000) * MANY);
    lone_close();
}

START_TEST(a_ledger_in_a_file_serves_another_run)
{
    char path[] = "/tmp/test_retention.XXXXXXledger";

    ck_assert_int_ge(mkstemps(path, sizeof("ledger") - 1), 0);
    lone_open(keyed);
    lone.factor_ns = 1000;
    lone_add(1);
    lone_add(2);
    ck_assert_int_eq(steal_ledger_save(lone.collection, path), -EBUSY);
    lone_process();
    ck_assert_int_eq(steal_restore(lone.collection), 0);
    ck_assert_int_eq(steal_ledger_save(lone.collection, path), 0);
    lone_process();
    lone_close();

    lone_open(keyed);
    lone.factor_ns = 1000;
    lone_add(2);
    lone_add(7);
    ck_assert_int_eq(steal_ledger_load(lone.collection, path), 0);
    lone_process();
    ck_assert_int_eq(lone_statistics().predicted_ns, 2000);
    ck_assert_int_eq(lone_statistics().tasks_predicted, 1);
    lone_close();
    unlink(path);
}

START_TEST(a_file_that_is_no_ledger_is_refused_and_the_run_goes_on)
{
    static const uint64_t one[] = {1};
    char path[] = "/tmp/test_retention.XXXXXXledger";
    const int fd = mkstemps(path, sizeof("ledger") - 1);

    lone_open(keyed);
    lone_add(1);
    ck_assert_int_eq(write(fd, "JUGGLELG and more", 17), 17);
    close(fd);
    ck_assert_int_eq(steal_ledger_load(lone.collection, path), -EBADMSG);
    lone_expect_message("is cut off");
    ck_assert_int_eq(steal_ledger_load(lone.collection, "/proc/nonexistent/ledger"), -ENOENT);
    lone_expect_message("/proc/nonexistent/ledger: No such file");
    ck_assert_int_eq(steal_ledger_load(lone.collection, "/tmp"), -EISDIR);
    lone_process();
    lone_expect_seen(one, 1);
    ck_assert_int_eq(steal_ledger_save(lone.collection, "/proc/nonexistent/ledger"), -ENOENT);
    lone_expect_message("/proc/nonexistent/ledger: No such file");
    lone_close();
    unlink(path);
}

START_TEST(what_is_no_file_is_not_replaced_by_one)
{
    char path[64];
    struct stat status;

    scratch_name(path, sizeof(path));
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    lone_open(keyed);
    lone_add(1);
    lone_process();
    ck_assert_int_eq(steal_ledger_save(lone.collection, path), -EINVAL);
    lone_expect_message(" is a device or a pipe, not a regular file");
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert(S_ISFIFO(status.st_mode));
    /* A FIFO is not read either, and nothing waits for it. */
    ck_assert_int_eq(steal_ledger_load(lone.collection, path), -EINVAL);
    lone_expect_message(" is a device or a pipe, not a regular file");
    ck_assert_int_eq(steal_ledger_load(lone.collection, "/dev/null"), -EINVAL);
    lone_close();
    unlink(path);
}

START_TEST(what_is_no_ledger_is_not_replaced_by_one)
{
    static const char text[] = "root:x:0:0:root:/root:/bin/bash\n";
    char path[] = "/tmp/test_retention.XXXXXXledger", kept[sizeof(text)] = "";
    const int fd = mkstemps(path, sizeof("ledger") - 1);

    ck_assert_int_eq(write(fd, text, sizeof(text)), sizeof(text));
    lone_open(keyed);
    lone_add(1);
    lone_process();
    ck_assert_int_eq(steal_ledger_save(lone.collection, path), -EBADMSG);
    lone_expect_message(
        " is not a ledger of tasks, and is not replaced by one: remove it, or name");
    ck_assert_int_eq(pread(fd, kept, sizeof(kept), 0), sizeof(kept));
    ck_assert_mem_eq(kept, text, sizeof(text));
    ck_assert_int_eq(steal_ledger_load(lone.collection, path), -EBADMSG);
    /* A ledger may be damaged or cut off. */
    ck_assert_int_eq(pwrite(fd, "JUGGLELG", 8, 0), 8);
    ck_assert_int_eq(steal_ledger_save(lone.collection, path), 0);
    close(fd);
    lone_close();
    unlink(path);
}

START_TEST(without_retention_or_keys_there_is_no_ledger)
{
    lone_open((struct steal_properties){0});
    ck_assert_int_eq(steal_rebalance(lone.collection, NULL), -EINVAL);
    lone_expect_message("without retain");
    ck_assert_int_eq(steal_ledger_load(lone.collection, "/tmp/x"), -EINVAL);
    lone_expect_message("without retain");
    lone_close();
    lone_open((struct steal_properties){.retain = STEAL_RETENTION_ALL});
    ck_assert_int_eq(steal_ledger_save(lone.collection, "/tmp/x"), -EINVAL);
    lone_expect_message("without a key");
    lone_close();
}

static void expect_refused(struct steal_balance settings, const char *part)
{
    settings.size = sizeof(settings);
    ck_assert_int_eq(steal_rebalance(lone.collection, &settings), -EINVAL);
    lone_expect_message(part);
}

START_TEST(bad_settings_of_balancing_are_named)
{
    lone_open(keyed);
    expect_refused((struct steal_balance){.donate_above = 0.5},
                   "donate_above must be at least 1, not 0.5");
    expect_refused((struct steal_balance){.donate_above = (double)NAN},
                   "donate_above must be finite: nan");
    expect_refused((struct steal_balance){.fill_below = -1}, "fill_below must not be negative: -1");
    expect_refused((struct steal_balance){.arity = 1}, "arity must be 2 to 2147483647, not 1");
    expect_refused((struct steal_balance){.balancer = 7}, "balancer 7 does not exist");
    expect_refused((struct steal_balance){.donation = 2}, "donation 2 does not exist");
    expect_refused((struct steal_balance){.gain_min_ns = -1}, "gain_min_ns must not be negative");
    lone_close();
}

SUITE("recall")
