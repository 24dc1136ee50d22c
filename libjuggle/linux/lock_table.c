/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/lock_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { PATH_SIZE = 32, ROOM_FIRST = 16 };

/* "1: POSIX  ADVISORY  READ 9210 00:15:84482 77 77" */
static bool lock_parse(const char *line, dev_t device, struct kernel_lock *lock)
{
    unsigned major, minor;
    int holder;

    if (sscanf(line, "%*d: POSIX ADVISORY READ %d %x:%x:%lu %ld", &holder, &major, &minor,
               &lock->inode, &lock->mark) != 5)
        return false;
    lock->holder = holder;
    return holder > 0 && makedev(major, minor) == device;
}

static int lock_add(struct lock_table *table, const struct kernel_lock *lock)
{
    if (table->count == table->room) {
        const int larger = table->room ? 2 * table->room : ROOM_FIRST;
        struct kernel_lock *moved = realloc(table->list, (size_t)larger * sizeof(*moved));
        if (!moved)
            return -ENOMEM;
        table->list = moved;
        table->room = larger;
    }
    table->list[table->count++] = *lock;
    return 0;
}

int lock_table_read(int proc_fd, int lines_max, struct lock_table *table)
{
    FILE *file = procfs_lines_open(proc_fd, "locks");
    struct kernel_lock lock;
    struct stat stat;
    char line[256];
    int error = 0;

    table->count = 0;
    if (!file)
        return 0;
    const bool known = !fstat(proc_fd, &stat);
    for (int i = 0; known && !error && i < lines_max && fgets(line, sizeof(line), file); i++)
        if (lock_parse(line, stat.st_dev, &lock))
            error = lock_add(table, &lock);
    fclose(file);
    return error;
}

void lock_table_release(struct lock_table *table)
{
    free(table->list);
    *table = (struct lock_table){0};
}

static const char *bearer_path(pid_t pid, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%d/" LOCK_BEARER, (int)pid);
    return path;
}

bool lock_bearer_inode(int proc_fd, pid_t pid, unsigned long *inode)
{
    char path[PATH_SIZE];
    struct stat stat;

    if (fstatat(proc_fd, bearer_path(pid, path), &stat, 0))
        return false;
    *inode = stat.st_ino;
    return true;
}

pid_t lock_bearer_holder(int proc_fd, pid_t pid)
{
    struct flock others = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char path[PATH_SIZE];
    const int fd = openat(proc_fd, bearer_path(pid, path), O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return 0;
    const bool is_locked = !fcntl(fd, F_GETLK, &others) && others.l_type != F_UNLCK;
    close(fd);
    return is_locked ? others.l_pid : 0;
}
