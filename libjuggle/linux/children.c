/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/children.h"

#include "libjuggle/linux/numbers.h"
#include "libjuggle/linux/procfs.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    CHUNK_SIZE = 4096,
    PARENTS_MAX = 65536, /* processes of the whole node */
};

static bool children_file_exists(int proc_fd, pid_t pid)
{
    int fd;

    if (procfs_thread_open(proc_fd, pid, pid, "children", &fd))
        return false;
    close(fd);
    return true;
}

int children_init(int proc_fd, const pid_t *pids, int count, struct children *children)
{
    *children = (struct children){.proc_fd = proc_fd};
    for (int i = 0; i < count; i++)
        if (children_file_exists(proc_fd, pids[i]))
            return 0;
    children->parents = malloc(sizeof(struct kinship) * PARENTS_MAX);
    return children->parents ? 0 : -ENOMEM;
}

void children_release(struct children *children)
{
    free(children->parents);
}

int children_begin(struct children *children)
{
    struct thread_stat stat;
    DIR *directory;
    pid_t pid;

    if (!children->parents)
        return 0;
    int error = numbers_open(children->proc_fd, ".", &directory);
    if (error)
        return error;
    children->parents_count = 0;
    while ((pid = numbers_next(directory)) && children->parents_count < PARENTS_MAX)
        if (procfs_stat_read(children->proc_fd, pid, pid, &stat) == 0)
            children->parents[children->parents_count++] = (struct kinship){.pid = pid,
                                                                            .parent = stat.parent};
    closedir(directory);
    return 0;
}

void children_of_thread(const struct children *children, pid_t pid, pid_t tid,
                        const struct children_visitor *visitor)
{
    char chunk[CHUNK_SIZE];
    pid_t child = 0;
    ssize_t length;
    int fd;

    if (children->parents || procfs_thread_open(children->proc_fd, pid, tid, "children", &fd))
        return;
    while ((length = read(fd, chunk, sizeof(chunk))) > 0) {
        for (ssize_t i = 0; i < length; i++) {
            if (isdigit((unsigned char)chunk[i])) {
                child = child * 10 + (chunk[i] - '0');
            } else if (child > 0) {
                visitor->found(visitor->context, child);
                child = 0;
            }
        }
    }
    close(fd);
}

void children_of_process(const struct children *children, pid_t pid,
                         const struct children_visitor *visitor)
{
    for (int i = 0; i < children->parents_count; i++)
        if (children->parents[i].parent == pid)
            visitor->found(visitor->context, children->parents[i].pid);
}
