/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/sysfs.h"

#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Fits in the 16 KB of a stack frame, with what a hardened build adds: 3,000 numbers. */
enum { LIST_SIZE = 15 << 10 };

int sysfs_open(int *sys_fd)
{
    const int fd = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    *sys_fd = fd;
    return 0;
}

int sysfs_text_read(int sys_fd, const char *path, char text[SYSFS_TEXT_SIZE])
{
    const int fd = openat(sys_fd, path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    const int error = procfs_text_read(fd, text, SYSFS_TEXT_SIZE);
    close(fd);
    if (!error)
        text[strcspn(text, "\n")] = '\0';
    return error;
}

int sysfs_list_read(int sys_fd, const char *path, struct cpu_mask *mask)
{
    const int fd = openat(sys_fd, path, O_RDONLY | O_CLOEXEC);
    char list[LIST_SIZE];

    if (fd < 0)
        return -ENODATA;
    const int error = procfs_pieces_read(fd, list, sizeof(list));
    close(fd);
    if (error || strlen(list) == sizeof(list) - 1)
        return -ENODATA;
    list[strcspn(list, "\n")] = '\0';
    return cpu_mask_parse(list, mask) ? -ENODATA : 0;
}
