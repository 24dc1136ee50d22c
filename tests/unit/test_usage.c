/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#include "libjuggle/linux/usage.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* A tree of files that stands in for /proc and /sys at once. */
static int root_fd;

static void tree_make(void)
{
    root_fd = tree_create();
    tree_write(root_fd, "stat",
               "cpu  9 9 9 9 9 9 9 9 9 9\n"
               "cpu0 100 10 20 1000 5 3 7 40 60 6\n"
               "cpu1 1000 1000 1000 0 0 0 0 1000 0 0\n"
               "cpu3 1 0 0 7 7 0 0 2 0 0\n"
               "intr 5 5\n");
}

static struct usage usage_of_root(void)
{
    struct cgroup group;
    struct usage usage;
    const bool grouped = !cgroup_find(root_fd, "self", "cpu", &group);

    ck_assert_int_eq(usage_read(root_fd, root_fd, grouped ? &group : NULL, &usage), 0);
    return usage;
}

static const struct usage zero;

static struct cpu_mask mask_of(const char *list)
{
    struct cpu_mask mask;

    ck_assert_int_eq(cpu_mask_parse(list, &mask), 0);
    return mask;
}

START_TEST(processors_that_were_not_asked_for_do_not_count)
{
    const int64_t tick_ns = NSEC_PER_SEC / sysconf(_SC_CLK_TCK);
    const struct cpu_mask some = mask_of("0,3"), none = mask_of("5");

    tree_make();
    const struct usage usage = usage_of_root();
    ck_assert_int_eq(usage_busy_ns(&zero, &usage, &some), 141 * tick_ns);
    ck_assert_int_eq(usage_steal_ns(&zero, &usage, &some), 42 * tick_ns);
    ck_assert_int_eq(usage_busy_ns(&zero, &usage, &none), 0);
    tree_remove(root_fd, ".");
}

static void expect_quota(int64_t throttled_ns, int64_t periods, int64_t throttled)
{
    const struct usage usage = usage_of_root();
    const struct usage_quota quota = usage_quota(&zero, &usage);

    ck_assert_int_eq(quota.throttled_ns, throttled_ns);
    ck_assert_int_eq(quota.periods_count, periods);
    ck_assert_int_eq(quota.throttled_count, throttled);
}

START_TEST(the_quota_of_any_group_above_is_seen)
{
    tree_make();
    expect_quota(0, 0, 0);
    tree_write(root_fd, "self/cgroup", "5:memory:/elsewhere\n0::/user/app\n");
    tree_write(root_fd, "fs/cgroup/user/app/cpu.stat",
               "usage_usec 9\nnr_periods 3\nnr_throttled 1\nthrottled_usec 250\n");
    expect_quota(250 * NSEC_PER_USEC, 3, 1);
    tree_write(root_fd, "fs/cgroup/user/cpu.stat",
               "nr_periods 9\nnr_throttled 8\nthrottled_usec 700\n");
    expect_quota(700 * NSEC_PER_USEC, 9, 8);
    tree_write(root_fd, "self/cgroup", "4:cpuset:/x\n3:cpu,cpuacct:/batch\n0::/\n");
    tree_write(root_fd, "fs/cgroup/cpu/batch/cpu.stat",
               "nr_periods 4\nnr_throttled 2\nthrottled_time 12345\n");
    expect_quota(12345, 4, 2);
    tree_remove(root_fd, ".");
}

START_TEST(a_quota_that_was_not_used_up_is_one)
{
    tree_make();
    tree_write(root_fd, "self/cgroup", "0::/user/app\n");
    tree_write(root_fd, "fs/cgroup/user/app/cpu.stat",
               "nr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
    tree_write(root_fd, "fs/cgroup/user/cpu.stat",
               "nr_periods 7\nnr_throttled 0\nthrottled_usec 0\n");
    expect_quota(0, 7, 0);
    tree_remove(root_fd, ".");
}

/* The group of the whole user was throttled for longer, but earlier. */
START_TEST(the_group_that_is_throttled_now_counts)
{
    tree_make();
    tree_write(root_fd, "self/cgroup", "0::/user/app\n");
    tree_write(root_fd, "fs/cgroup/user/cpu.stat",
               "nr_periods 90\nnr_throttled 80\nthrottled_usec 7000\n");
    tree_write(root_fd, "fs/cgroup/user/app/cpu.stat",
               "nr_periods 3\nnr_throttled 1\nthrottled_usec 250\n");
    const struct usage before = usage_of_root();
    tree_write(root_fd, "fs/cgroup/user/app/cpu.stat",
               "nr_periods 13\nnr_throttled 10\nthrottled_usec 950\n");
    const struct usage after = usage_of_root();
    const struct usage_quota quota = usage_quota(&before, &after);
    ck_assert_int_eq(quota.throttled_ns, 700 * NSEC_PER_USEC);
    ck_assert_int_eq(quota.periods_count, 10);
    ck_assert_int_eq(quota.throttled_count, 9);
    tree_remove(root_fd, ".");
}

/* The outermost groups are left out. */
START_TEST(more_groups_than_levels_do_no_harm)
{
    tree_make();
    tree_write(root_fd, "self/cgroup", "0::/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t\n");
    tree_write(root_fd, "fs/cgroup/a/b/c/d/e/f/g/h/i/cpu.stat", "throttled_usec 3\n");
    tree_write(root_fd, "fs/cgroup/a/cpu.stat", "throttled_usec 5\n");
    expect_quota(3 * NSEC_PER_USEC, 0, 0);
    tree_remove(root_fd, ".");
}

START_TEST(what_is_no_such_file_is_an_error)
{
    struct usage usage;

    tree_make();
    tree_write(root_fd, "stat", "cpu0 1 2 three\n");
    ck_assert_int_eq(usage_read(root_fd, -1, NULL, &usage), -EBADMSG);
    unlinkat(root_fd, "stat", 0);
    ck_assert_int_eq(usage_read(root_fd, -1, NULL, &usage), -ENOENT);
    tree_remove(root_fd, ".");
}

START_TEST(counters_never_run_backwards)
{
    const struct cpu_mask first = mask_of("0");
    const struct usage earlier = {{10}, {20}, {{30, 4, 2}, {5, 9, 1}}},
                       later = {{15}, {19}, {{29, 5, 2}, {7, 8, 2}}};

    ck_assert_int_eq(usage_busy_ns(&earlier, &later, &first), 5);
    ck_assert_int_eq(usage_steal_ns(&earlier, &later, &first), 0);
    ck_assert_int_eq(usage_quota(&earlier, &later).throttled_ns, 2);
    ck_assert_int_eq(usage_quota(&earlier, &later).periods_count, 0);
    ck_assert_int_eq(usage_quota(&later, &earlier).throttled_ns, 1);
}

SUITE("usage")
