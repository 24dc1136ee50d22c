/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/cgroup.h"

#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WHO_SIZE = 64, TEXT_SIZE = 2 * PATH_MAX };

static int text_read(int proc_fd, const char *who, char text[TEXT_SIZE])
{
    char name[WHO_SIZE];

    snprintf(name, sizeof(name), "%s/cgroup", who);
    const int fd = openat(proc_fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -ENOENT;
    const int error = procfs_text_read(fd, text, TEXT_SIZE);
    close(fd);
    return error ? -ENOENT : 0;
}

static bool list_has(const char *list, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = list; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
        if (!strncmp(at, name, length) && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

/*
 * Lines are "HIERARCHY:CONTROLLERS:PATH"; the second version's hierarchy is 0 and names none. What
 * has no end was cut off.
 */
static const char *path_find(char *text, const char *controller, bool *unified)
{
    const char *found = NULL;
    char *end;

    for (char *line = text; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        *unified = !*++controllers;
        if (list_has(controllers, controller))
            return path;
        if (*unified)
            found = path;
    }
    *unified = true;
    return found;
}

/* From within a namespace, a group outside of it is shown as "/../other": it has no directory. */
static bool is_seen(const char *path)
{
    return path[0] == '/' && (strncmp(path, "/..", 3) != 0 || (path[3] && path[3] != '/'));
}

int cgroup_find(int proc_fd, const char *who, const char *controller, struct cgroup *group)
{
    char text[TEXT_SIZE];
    bool unified;
    int error = text_read(proc_fd, who, text);
    const char *path = error ? NULL : path_find(text, controller, &unified);

    if (!path || !is_seen(path))
        return -ENOENT;
    const int root_length = snprintf(group->path, sizeof(group->path), "fs/cgroup%s%s",
                                     unified ? "" : "/", unified ? "" : controller);
    const size_t room = sizeof(group->path) - (size_t)root_length;
    if ((size_t)snprintf(group->path + root_length, room, "%s", strcmp(path, "/") ? path : "") >=
        room)
        return -ENOENT;
    group->root_length = (size_t)root_length;
    return 0;
}

bool cgroup_rise(struct cgroup *group)
{
    char *last = strrchr(group->path, '/');

    if (last < group->path + group->root_length)
        return false;
    *last = '\0';
    return true;
}
