/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Where the file system knows no files without names, one loses its name at once. */
static int open_nameless(void)
{
    const char *directory = getenv("TMPDIR");
    char path[4096];
    int fd;

    if (!directory || !*directory)
        directory = "/tmp";
    fd = open(directory, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    if (snprintf(path, sizeof(path), "%s/steal.XXXXXXtmp", directory) >= (int)sizeof(path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemps(path, sizeof("tmp") - 1, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

void spill_close(struct spill *spill)
{
    if (spill->fd >= 0)
        close(spill->fd);
    spill_init(spill);
}

int spill_add(struct spill *spill, const void *data, size_t size, off_t *at)
{
    if (spill->fd < 0)
        spill->fd = open_nameless();
    if (spill->fd < 0)
        return -errno;
    for (size_t done = 0; done < size;) {
        const ssize_t written = pwrite(spill->fd, (const char *)data + done, size - done,
                                       spill->end + (off_t)done);

        if (written < 0 && errno != EINTR)
            return -errno;
        done += written > 0 ? (size_t)written : 0;
    }
    *at = spill->end;
    spill->end += (off_t)size;
    return 0;
}

int spill_read(const struct spill *spill, off_t at, void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(spill->fd, (char *)data + done, size - done, at + (off_t)done);

        if (got < 0 && errno != EINTR)
            return -errno;
        if (got == 0)
            return -EIO;
        done += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

/* What cannot be cut off is written over. */
void spill_clear(struct spill *spill)
{
    spill->end = 0;
    if (spill->fd >= 0)
        (void)!ftruncate(spill->fd, 0);
}
