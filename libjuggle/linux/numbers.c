/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/numbers.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int numbers_open(int proc_fd, const char *path, DIR **directory)
{
    int fd = openat(proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return errno == ENOENT || errno == ESRCH ? -ESRCH : -errno;
    *directory = fdopendir(fd);
    if (*directory)
        return 0;
    close(fd);
    return -ENOMEM;
}

pid_t numbers_next(DIR *directory)
{
    const struct dirent *entry;

    while ((entry = readdir(directory)))
        if (isdigit((unsigned char)entry->d_name[0]) && entry->d_name[0] != '0')
            return (pid_t)strtol(entry->d_name, NULL, 10);
    return 0;
}
