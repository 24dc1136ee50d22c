/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

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
    ssize_t length;
    int error = 0;

    if (fd < 0)
        return -errno;
    do
        length = read(fd, text, SYSFS_TEXT_SIZE - 1);
    while (length < 0 && errno == EINTR);
    if (length < 0)
        error = -errno;
    else
        text[length] = '\0';
    close(fd);
    if (!error)
        text[strcspn(text, "\n")] = '\0';
    return error;
}

int sysfs_list_read(int sys_fd, const char *path, struct cpu_mask *mask)
{
    char text[SYSFS_TEXT_SIZE];

    if (sysfs_text_read(sys_fd, path, text) || strlen(text) == sizeof(text) - 1)
        return -ENODATA;
    return cpu_mask_parse(text, mask) ? -ENODATA : 0;
}
