/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "libjuggle/linux/usage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A tree of files that stands in for /proc and /sys at once. */
static char root[64];
static int root_fd;

static void put(const char *path, const char *text)
{
    char directory[128];

    for (size_t i = 0; path[i]; i++) {
        if (path[i] != '/')
            continue;
        snprintf(directory, sizeof(directory), "%.*s", (int)i, path);
        mkdirat(root_fd, directory, 0755);
    }
    FILE *file = fdopen(openat(root_fd, path, O_WRONLY | O_CREAT | O_TRUNC, 0644), "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void tree_make(void)
{
    snprintf(root, sizeof(root), "/tmp/juggle-usage-%d", (int)getpid());
    ck_assert_int_eq(mkdir(root, 0755), 0);
    root_fd = open(root, O_RDONLY | O_DIRECTORY);
    put("stat", "cpu  9 9 9 9 9 9 9 9 9 9\n"
                "cpu0 100 10 20 1000 5 3 7 40 60 6\n"
                "cpu1 1000 1000 1000 0 0 0 0 1000 0 0\n"
                "cpu3 1 0 0 7 7 0 0 2 0 0\n"
                "intr 5 5\n");
}

static void tree_remove(void)
{
    char command[sizeof(root) + 16];

    close(root_fd);
    snprintf(command, sizeof(command), "rm -rf '%s'", root);
    ck_assert_int_eq(system(command), 0);
}

static struct usage usage_of(const char *list)
{
    struct cpu_mask mask;
    struct usage usage;

    ck_assert_int_eq(cpu_mask_parse(list, &mask), 0);
    ck_assert_int_eq(usage_read(root_fd, root_fd, &mask, &usage), 0);
    return usage;
}

START_TEST(processors_that_were_not_asked_for_do_not_count)
{
    const int64_t tick_ns = NSEC_PER_SEC / sysconf(_SC_CLK_TCK);

    tree_make();
    ck_assert_int_eq(usage_of("0,3").busy_ns, 141 * tick_ns);
    ck_assert_int_eq(usage_of("0,3").steal_ns, 42 * tick_ns);
    ck_assert_int_eq(usage_of("5").busy_ns, 0);
    tree_remove();
}
END_TEST

START_TEST(the_quota_of_any_group_above_is_seen)
{
    tree_make();
    ck_assert_int_eq(usage_of("0").throttled_ns, 0);
    put("self/cgroup", "5:memory:/elsewhere\n0::/user/app\n");
    put("fs/cgroup/user/app/cpu.stat", "usage_usec 9\nnr_throttled 1\nthrottled_usec 250\n");
    ck_assert_int_eq(usage_of("0").throttled_ns, 250 * NSEC_PER_USEC);
    put("fs/cgroup/user/cpu.stat", "throttled_usec 700\n");
    ck_assert_int_eq(usage_of("0").throttled_ns, 700 * NSEC_PER_USEC);
    put("self/cgroup", "4:cpuset:/x\n3:cpu,cpuacct:/batch\n0::/\n");
    put("fs/cgroup/cpu/batch/cpu.stat", "nr_periods 4\nthrottled_time 12345\n");
    ck_assert_int_eq(usage_of("0").throttled_ns, 12345);
    tree_remove();
}
END_TEST

START_TEST(what_is_no_such_file_is_an_error)
{
    struct cpu_mask mask;
    struct usage usage;

    tree_make();
    cpu_mask_clear(&mask);
    put("stat", "cpu0 1 2 three\n");
    ck_assert_int_eq(usage_read(root_fd, -1, &mask, &usage), -EBADMSG);
    unlinkat(root_fd, "stat", 0);
    ck_assert_int_eq(usage_read(root_fd, -1, &mask, &usage), -ENOENT);
    tree_remove();
}
END_TEST

START_TEST(counters_never_run_backwards)
{
    const struct usage earlier = {10, 20, 30}, later = {15, 19, 30};
    const struct usage used = usage_between(&earlier, &later);

    ck_assert_int_eq(used.busy_ns, 5);
    ck_assert_int_eq(used.steal_ns, 0);
    ck_assert_int_eq(used.throttled_ns, 0);
}
END_TEST

SUITE("usage", processors_that_were_not_asked_for_do_not_count,
      the_quota_of_any_group_above_is_seen, what_is_no_such_file_is_an_error,
      counters_never_run_backwards)
