/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/cgroup.h"

#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHO_SIZE = 64 };

static bool list_has(const char *list, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = list; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
        if (!strncmp(at, name, length) && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

/* Finds the path of the v1 hierarchy with the controller, else that of v2. Lines are
 * "HIERARCHY:CONTROLLERS:PATH"; that of v2 has hierarchy 0 and no controllers. A line without an
 * end was cut off and is ignored. */
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

/* ---- where the hierarchies are mounted ---- */

/* The nth word of a line, or NULL if it has fewer. */
static const char *word_find(const char *line, int index)
{
    while (line && index-- > 0) {
        line = strchr(line, ' ');
        line += line != NULL;
    }
    return line;
}

/* Copies one word, and decodes blanks and backslashes, which are written as octal numbers of three
 * digits. */
static void word_copy(const char *word, char copy[PATH_MAX])
{
    size_t length = 0;

    for (; *word && *word != ' ' && length < PATH_MAX - 1; length++) {
        const bool coded = *word == '\\' && strspn(word + 1, "01234567") >= 3;
        copy[length] = coded ? (char)((word[1] - '0') * 64 + (word[2] - '0') * 8 + word[3] - '0')
                             : *word;
        word += coded ? 4 : 1;
    }
    copy[length] = '\0';
}

/* Parses a line such as "31 23 0:28 ROOT /sys/POINT rw shared:1 - cgroup cgroup rw,cpu,cpuacct",
 * see proc_pid_mountinfo(5). */
static bool mount_parse(const char *line, const char *controller, bool unified,
                        struct cgroup_mount *mount)
{
    enum { ROOT_WORD = 3, TYPE_WORD = 1, OPTIONS_WORD = 3 };
    static const char top[] = "/sys/";
    const char *root = word_find(line, ROOT_WORD), *point = word_find(root, 1);
    const char *tail = strstr(line, " - ");
    const char *type = tail ? word_find(tail + 1, TYPE_WORD) : NULL;
    const char *options = tail ? word_find(tail + 1, OPTIONS_WORD) : NULL;

    if (!point || !options || strncmp(point, top, strlen(top)) != 0)
        return false;
    if (strncmp(type, unified ? "cgroup2 " : "cgroup ", unified ? 8 : 7) != 0)
        return false;
    if (!unified && !list_has(options, controller))
        return false;
    word_copy(root, mount->root);
    word_copy(point + strlen(top), mount->point);
    return true;
}

/* Assumes the place at which systemd and container runtimes mount it. */
static void mount_guess(const char *controller, bool unified, struct cgroup_mount *mount)
{
    snprintf(mount->root, sizeof(mount->root), "/");
    snprintf(mount->point, sizeof(mount->point), "fs/cgroup%s%s", unified ? "" : "/",
             unified ? "" : controller);
}

void cgroup_mounts_read(int proc_fd, const char *controller, struct cgroup_mounts *mounts)
{
    FILE *file = procfs_lines_open(proc_fd, "self/mountinfo");
    size_t size = 0;
    char *line = NULL;
    bool has_v1 = false, has_v2 = false;

    while (file && !(has_v1 && has_v2) && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        has_v1 = has_v1 || mount_parse(line, controller, false, &mounts->v1);
        has_v2 = has_v2 || mount_parse(line, controller, true, &mounts->v2);
    }
    if (!has_v1)
        mount_guess(controller, false, &mounts->v1);
    if (!has_v2)
        mount_guess(controller, true, &mounts->v2);
    mounts->controller = controller;
    free(line);
    if (file)
        fclose(file);
}

/* ---- together ---- */

/* False for a group outside of our cgroup namespace, which is shown as "/../other": it has no
 * directory. */
static bool is_seen(const char *path)
{
    return path[0] == '/' && (strncmp(path, "/..", 3) != 0 || (path[3] && path[3] != '/'));
}

/* Returns the path below the root of the mount, because a container may be shown its own group
 * alone, under the name that it has on the host. Returns NULL if the mount does not show the
 * group. */
static const char *path_below(const char *path, const char *root)
{
    const size_t length = strcmp(root, "/") ? strlen(root) : 0;

    if (!strncmp(path, root, length) && (path[length] == '/' || !path[length]))
        return path + length;
    /* A root such as "/../.." lies above the namespace, which has no name for it: the mount itself
     * is taken for the group. */
    return strspn(root, "/.") == strlen(root) && is_seen(path) ? "" : NULL;
}

static int group_set(const struct cgroup_mount *mount, const char *path, struct cgroup *group)
{
    path = path_below(path, mount->root);
    if (!path || (*path && !is_seen(path)))
        return -ENOENT;
    const int root_length = snprintf(group->path, sizeof(group->path), "%s", mount->point);
    const size_t room = sizeof(group->path) - (size_t)root_length;
    if ((size_t)snprintf(group->path + root_length, room, "%s", strcmp(path, "/") ? path : "") >=
        room)
        return -ENOENT;
    group->root_length = (size_t)root_length;
    return 0;
}

int cgroup_find_mounted(int proc_fd, const char *who, const struct cgroup_mounts *mounts,
                        struct cgroup *group)
{
    char name[WHO_SIZE], *text;
    bool unified;

    snprintf(name, sizeof(name), "%s/cgroup", who);
    if (procfs_whole_read(proc_fd, name, &text))
        return -ENOENT;
    const char *path = path_find(text, mounts->controller, &unified);
    const int error = path ? group_set(unified ? &mounts->v2 : &mounts->v1, path, group) : -ENOENT;
    free(text);
    return error;
}

int cgroup_find(int proc_fd, const char *who, const char *controller, struct cgroup *group)
{
    struct cgroup_mounts *mounts = malloc(sizeof(*mounts)); /* 16 KB */
    int error = -ENOENT;

    if (!mounts)
        return error;
    cgroup_mounts_read(proc_fd, controller, mounts);
    error = cgroup_find_mounted(proc_fd, who, mounts, group);
    free(mounts);
    return error;
}

bool cgroup_rise(struct cgroup *group)
{
    char *last = strrchr(group->path, '/');

    if (last < group->path + group->root_length)
        return false;
    *last = '\0';
    return true;
}
