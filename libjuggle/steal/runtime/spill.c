/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/spill.h"

#include "libjuggle/steal/runtime/replacement_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* If the file system knows no files without names, makes one with a name and unlinks it at once. */
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
    int result;

    if (spill->fd < 0)
        spill->fd = open_nameless();
    if (spill->fd < 0)
        return -errno;
    result = file_write_at(spill->fd, spill->end, data, size);
    if (result < 0)
        return result;
    *at = spill->end;
    spill->end += (off_t)size;
    return 0;
}

int spill_read(const struct spill *spill, off_t at, void *data, size_t size)
{
    return file_read_at(spill->fd, at, data, size);
}

/* If the file cannot be truncated, its bytes are written over later. */
void spill_clear(struct spill *spill)
{
    spill->end = 0;
    if (spill->fd >= 0)
        (void)!ftruncate(spill->fd, 0);
}
