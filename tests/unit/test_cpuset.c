/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/cgroup.h"
#include "libjuggle/linux/cpuset.h"

#include <errno.h>
#include <stdio.h>

static int tree; /* stands in for both /proc and /sys */

static int read_list(pid_t pid, pid_t tid, char list[64])
{
    const struct cpuset_files files = {tree, tree};
    const struct thread_id id = {pid, tid, 0};
    struct cpu_mask allowed;
    int error = cpuset_read(&files, &id, &allowed);

    if (!error)
        cpu_mask_format(&allowed, list, 64);
    return error;
}

#define CHECK_ALLOWED(pid, tid, expected)                    \
    do {                                                     \
        char list_[64] = "";                                 \
        ck_assert_int_eq(read_list((pid), (tid), list_), 0); \
        ck_assert_str_eq(list_, (expected));                 \
    } while (0)

/* As systemd lays it out: the controller is enabled for slices, but not for the units in them. */
START_TEST(the_second_version_is_asked_upward)
{
    tree = tree_create();
    tree_write(tree, "7/task/7/cgroup", "0::/batch.slice/job.scope\n");
    tree_write(tree, "7/task/8/cgroup", "0::/batch.slice/own.slice/part\n");
    tree_write(tree, "9/task/9/cgroup", "0::/\n");
    tree_write(tree, "fs/cgroup/cpuset.cpus.effective", "0-63\n");
    tree_write(tree, "fs/cgroup/batch.slice/cpuset.cpus.effective", "8-15,32\n");
    tree_write(tree, "fs/cgroup/batch.slice/own.slice/part/cpuset.cpus.effective", "9\n");
    CHECK_ALLOWED(7, 7, "8-15,32");
    CHECK_ALLOWED(7, 8, "9");
    CHECK_ALLOWED(9, 9, "0-63");
    tree_remove(tree, ".");
}

/* As in a hybrid hierarchy: version 1 has the controller, version 2 has none. */
START_TEST(the_first_version_goes_before_the_second)
{
    tree = tree_create();
    tree_write(tree, "7/task/7/cgroup",
               "9:name=systemd:/a\n4:cpuset:/slurm/job_5\n3:cpu,cpuacct:/x\n0::/a\n");
    tree_write(tree, "8/task/8/cgroup", "4:cpuset,memory:/\n0::/a\n");
    tree_write(tree, "fs/cgroup/cpuset/cpuset.effective_cpus", "0-3\n");
    tree_write(tree, "fs/cgroup/cpuset/slurm/job_5/cpuset.effective_cpus", "2\n");
    tree_write(tree, "fs/cgroup/a/cpuset.cpus.effective", "1\n");
    CHECK_ALLOWED(7, 7, "2");
    CHECK_ALLOWED(8, 8, "0-3");
    tree_remove(tree, ".");
}

START_TEST(a_mask_is_told_with_what_is_offline)
{
    const struct thread_id id = {7, 8, 0};
    struct cpu_mask mask;
    char list[64];

    tree = tree_create();
    ck_assert_int_eq(affinity_get_whole(tree, &id, &mask), -ESRCH);
    tree_write(tree, "7/task/8/status",
               "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7,9\nMems_allowed_list:\t0\n");
    ck_assert_int_eq(affinity_get_whole(tree, &id, &mask), 0);
    cpu_mask_format(&mask, list, sizeof(list));
    ck_assert_str_eq(list, "0-7,9");
    tree_write(tree, "7/task/8/status", "Name:\tCpus_allowed_list:\t3\n");
    ck_assert_int_eq(affinity_get_whole(tree, &id, &mask), -ENODATA);
    tree_write(tree, "7/task/8/status", "Name:\tx\nCpus_allowed_list:\t\n");
    ck_assert_int_eq(affinity_get_whole(tree, &id, &mask), -ENODATA);
    tree_remove(tree, ".");
}

/* A process may be in thousands of groups, and a mask may list every second processor. */
START_TEST(a_mask_is_told_behind_any_number_of_groups)
{
    const struct thread_id id = {7, 7, 0};
    static char status[1 << 17], list[1 << 16];
    struct cpu_mask expected, mask;
    int length = sprintf(status, "Name:\tx\nGroups:\t");

    for (int i = 0; i < 8000; i++)
        length += sprintf(status + length, "%d ", 1000000 + i);
    cpu_mask_clear(&expected);
    for (int cpu = 0; cpu < CPU_MASK_CPUS_MAX; cpu += 2)
        cpu_mask_add(&expected, cpu);
    (void)cpu_mask_format(&expected, list, sizeof(list));
    sprintf(status + length, "\nCpus_allowed_list:\t%s\nMems_allowed_list:\t0\n", list);
    tree = tree_create();
    tree_write(tree, "7/task/7/status", status);
    ck_assert_int_eq(affinity_get_whole(tree, &id, &mask), 0);
    ck_assert(cpu_mask_equal(&mask, &expected));
    tree_remove(tree, ".");
}

/* Otherwise the group above would count, which may have more processors. */
START_TEST(a_long_list_of_a_group_is_read_to_its_end)
{
    const struct thread_id id = {7, 7, 0};
    static char list[1 << 14];
    struct cpu_mask expected, allowed;

    cpu_mask_clear(&expected);
    for (int cpu = 0; cpu < 4096; cpu += 3)
        cpu_mask_add(&expected, cpu);
    ck_assert_int_gt(cpu_mask_format(&expected, list, sizeof(list)), 4096);
    tree = tree_create();
    const struct cpuset_files files = {tree, tree};
    tree_write(tree, "7/task/7/cgroup", "0::/batch\n");
    tree_write(tree, "fs/cgroup/cpuset.cpus.effective", "0-4095\n");
    tree_write(tree, "fs/cgroup/batch/cpuset.cpus.effective", list);
    ck_assert_int_eq(cpuset_read(&files, &id, &allowed), 0);
    ck_assert(cpu_mask_equal(&allowed, &expected));
    tree_remove(tree, ".");
}

START_TEST(what_is_not_seen_is_not_known)
{
    char list[64];

    tree = tree_create();
    tree_write(tree, "fs/cgroup/cpuset.cpus.effective", "0-3\n");
    ck_assert_int_eq(read_list(7, 7, list), -ENOENT);
    /* The path is of another namespace: it must not be looked up from the root of this one. */
    tree_write(tree, "7/task/7/cgroup", "0::/../elsewhere\n");
    ck_assert_int_eq(read_list(7, 7, list), -ENOENT);
    tree_write(tree, "7/task/7/cgroup", "0::/..\n");
    ck_assert_int_eq(read_list(7, 7, list), -ENOENT);
    tree_write(tree, "7/task/7/cgroup", "0::/..odd\n");
    CHECK_ALLOWED(7, 7, "0-3");
    /* The path is cut off, so it may be another group's. */
    tree_write(tree, "7/task/7/cgroup", "0::/batch");
    ck_assert_int_eq(read_list(7, 7, list), -ENOENT);
    tree_write(tree, "7/task/7/cgroup", "0::/batch\n");
    tree_write(tree, "fs/cgroup/batch/cpuset.cpus.effective", "\n");
    tree_write(tree, "fs/cgroup/cpuset.cpus.effective", "x\n");
    ck_assert_int_eq(read_list(7, 7, list), -ENOENT);
    tree_remove(tree, ".");
}

START_TEST(mounts_of_both_versions_are_read_once_for_all_processes)
{
    struct cgroup_mounts mounts;
    struct cgroup group;

    tree = tree_create();
    tree_write(tree, "self/mountinfo",
               "31 23 0:28 / /sys/two rw - cgroup2 cgroup2 rw\n"
               "32 23 0:29 / /sys/one rw - cgroup cgroup rw,cpu,cpuacct\n");
    cgroup_mounts_read(tree, "cpu", &mounts);
    tree_remove(tree, "self/mountinfo");
    tree_write(tree, "7/cgroup", "2:cpu,cpuacct:/a\n0::/b\n");
    tree_write(tree, "8/cgroup", "0::/b\n");
    ck_assert_int_eq(cgroup_find_mounted(tree, "7", &mounts, &group), 0);
    ck_assert_str_eq(group.path, "one/a");
    ck_assert_int_eq(cgroup_find_mounted(tree, "8", &mounts, &group), 0);
    ck_assert_str_eq(group.path, "two/b");
    tree_remove(tree, ".");
}

START_TEST(groups_are_left_upward_to_the_root)
{
    struct cgroup group;

    tree = tree_create();
    tree_write(tree, "self/cgroup", "2:cpu,cpuacct:/a/b\n0::/c\n");
    ck_assert_int_eq(cgroup_find(tree, "self", "cpu", &group), 0);
    ck_assert_str_eq(group.path, "fs/cgroup/cpu/a/b");
    ck_assert(cgroup_rise(&group) && cgroup_rise(&group));
    ck_assert_str_eq(group.path, "fs/cgroup/cpu");
    ck_assert(!cgroup_rise(&group));
    ck_assert_int_eq(cgroup_find(tree, "self", "acct", &group), 0);
    ck_assert_str_eq(group.path, "fs/cgroup/c");
    tree_remove(tree, ".");
}

START_TEST(threads_together_are_left_what_any_of_them_is)
{
    const struct thread_id ids[] = {{7, 7, 0}, {8, 8, 0}, {9, 9, 0}};
    struct cpu_mask allowed, expected;

    tree = tree_create();
    const struct cpuset_files files = {tree, tree};
    ck_assert_int_eq(cpuset_read_all(&files, ids, 0, &allowed), -ENOENT);
    ck_assert_int_eq(cpuset_read_all(&files, ids, 3, &allowed), -ENOENT);
    tree_write(tree, "7/task/7/cgroup", "0::/a\n");
    tree_write(tree, "9/task/9/cgroup", "0::/b\n");
    tree_write(tree, "fs/cgroup/a/cpuset.cpus.effective", "1-2\n");
    tree_write(tree, "fs/cgroup/b/cpuset.cpus.effective", "2,5\n");
    ck_assert_int_eq(cpuset_read_all(&files, ids, 3, &allowed), 0);
    ck_assert_int_eq(cpu_mask_parse("1-2,5", &expected), 0);
    ck_assert(cpu_mask_equal(&allowed, &expected));
    tree_remove(tree, ".");
}

SUITE("cpuset")
