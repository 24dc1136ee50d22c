/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/quota.h"

#include "libjuggle/linux/cgroup.h"
#include "libjuggle/linux/sysfs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel allows periods of up to a second; quotas are bounded so that products of both do not
 * overflow. */
enum { PERIOD_MAX_US = 1000000 };
#define QUOTA_MAX_US (INT64_C(1) << 40)

static int number_take(const char **text, int64_t low, int64_t high, int64_t *number)
{
    char *end;

    errno = 0;
    const long long value = strtoll(*text, &end, 10);
    if (end == *text || errno || value < low || value > high || (*end && *end != ' '))
        return -EBADMSG;
    *text = end;
    *number = value;
    return 0;
}

/* ---- one group: 0 with quota_us zero for one without a quota ---- */

/* "200000 100000", "max 100000" */
static int second_parse(const char *text, struct quota *quota)
{
    if (!strncmp(text, "max", 3) && (!text[3] || text[3] == ' ')) {
        quota->quota_us = 0;
        return 0;
    }
    int error = number_take(&text, 1, QUOTA_MAX_US, &quota->quota_us);
    return error ? error : number_take(&text, 1, PERIOD_MAX_US, &quota->period_us);
}

/* "-1" stands for none. */
static int first_parse(const char *quota_text, const char *period_text, struct quota *quota)
{
    int error = number_take(&quota_text, -1, QUOTA_MAX_US, &quota->quota_us);

    if (!error && quota->quota_us == -1) {
        quota->quota_us = 0;
        return 0;
    }
    if (error || quota->quota_us == 0)
        return -EBADMSG;
    return number_take(&period_text, 1, PERIOD_MAX_US, &quota->period_us);
}

static int text_read(int sys_fd, const struct cgroup *group, const char *name,
                     char path[QUOTA_PATH_SIZE], char text[SYSFS_TEXT_SIZE])
{
    snprintf(path, QUOTA_PATH_SIZE, "%s/%s", group->path, name);
    return sysfs_text_read(sys_fd, path, text) ? -ENOENT : 0;
}

/* -ENOENT: the group has no such file, or has vanished; -EBADMSG: the file holds something else. */
static int group_read(int sys_fd, const struct cgroup *group, struct quota *quota)
{
    char text[SYSFS_TEXT_SIZE], period[SYSFS_TEXT_SIZE];

    if (!text_read(sys_fd, group, "cpu.max", quota->path, text))
        return second_parse(text, quota);
    if (text_read(sys_fd, group, "cpu.cfs_period_us", quota->path, period) ||
        text_read(sys_fd, group, "cpu.cfs_quota_us", quota->path, text))
        return -ENOENT;
    return first_parse(text, period, quota);
}

/* ---- all groups ---- */

static bool is_smaller(const struct quota *a, const struct quota *b)
{
    return !b->quota_us || a->quota_us * b->period_us < b->quota_us * a->period_us;
}

/* Finds the smallest quota of a group and of those above it. `read` has room for one quota. */
static void groups_read(int sys_fd, struct cgroup *group, struct quota *read, struct quota *quota)
{
    do {
        const int error = group_read(sys_fd, group, read);
        if (error == -EBADMSG)
            memcpy(quota->garbage, read->path, sizeof(read->path));
        if (error || !read->quota_us || !is_smaller(read, quota))
            continue;
        quota->quota_us = read->quota_us;
        quota->period_us = read->period_us;
        memcpy(quota->path, read->path, sizeof(read->path));
    } while (cgroup_rise(group));
}

int quota_find(int proc_fd, int sys_fd, const char *who, struct quota *quota)
{
    struct quota *read = calloc(1, sizeof(*read)); /* 8 KB */
    struct cgroup group;

    *quota = (struct quota){0};
    if (read && !cgroup_find(proc_fd, who, "cpu", &group))
        groups_read(sys_fd, &group, read, quota);
    free(read);
    return quota->quota_us ? 0 : -ENOENT;
}

int quota_processors(const struct quota *quota)
{
    const int64_t count = quota->quota_us / quota->period_us;

    return (int)clamp_i64(count, 1, INT_MAX);
}
