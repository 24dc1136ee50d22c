/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/files/output.h"

#include "cli/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than is written before an output begins: the head of a recording. */
enum { BUFFER_SIZE = 1 << 18 };

enum { MODE_NEW = 0666, FD_PATH_SIZE = 32, COPY_SIZE = 1 << 30 };

static bool is_stdout(const char *path)
{
    return !strcmp(path, "-");
}

static int tell(const char *path, int error)
{
    if (error && is_stdout(path))
        complain("juggle", "cannot write to standard output: %s", strerror(-error));
    else if (error)
        complain("juggle", "cannot write '%s': %s", path, strerror(-error));
    return error;
}

/* A standard descriptor that was closed at start is open on something unwritable: see main.c. */
static int stdout_open(void)
{
    const int flags = fcntl(STDOUT_FILENO, F_GETFL);

    if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
        return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    errno = EBADF;
    return -1;
}

static int file_open(const char *path, bool *made)
{
    int fd;

    *made = false;
    if (is_stdout(path))
        return stdout_open();
    fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0 || errno != ENOENT)
        return fd;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, MODE_NEW);
    *made = fd >= 0;
    return fd;
}

static int try_open(const char *path, struct output *output)
{
    struct output opened = {.path = path};
    int error;

    const int fd = file_open(path, &opened.made);
    if (fd < 0)
        return -errno;
    opened.buffer = malloc(BUFFER_SIZE);
    opened.file = opened.buffer ? fdopen(fd, "w") : NULL;
    if (!opened.file) {
        error = -errno;
        free(opened.buffer);
        close(fd);
        return error;
    }
    setvbuf(opened.file, opened.buffer, _IOFBF, BUFFER_SIZE);
    *output = opened;
    return 0;
}

int output_open(const char *path, struct output *output)
{
    return path ? tell(path, try_open(path, output)) : 0;
}

/* A terminal, or /dev/null, may be written to by as many as like to. */
bool output_is_same(const struct output *one, const struct output *other)
{
    struct stat of_one, of_other;

    return one->file && other->file && !fstat(fileno(one->file), &of_one) &&
           !fstat(fileno(other->file), &of_other) && !S_ISCHR(of_one.st_mode) &&
           of_one.st_dev == of_other.st_dev && of_one.st_ino == of_other.st_ino;
}

static int try_begin(struct output *output)
{
    struct stat stat;

    if (fstat(fileno(output->file), &stat))
        return -errno;
    if (S_ISREG(stat.st_mode) && !is_stdout(output->path) && ftruncate(fileno(output->file), 0))
        return -errno;
    output->begun = true;
    return 0;
}

int output_begin(struct output *output)
{
    return output->file && !output->begun ? tell(output->path, try_begin(output)) : 0;
}

static int copy(int from_fd, int to_fd)
{
    ssize_t copied;

    do
        copied = sendfile(to_fd, from_fd, NULL, COPY_SIZE);
    while (copied > 0);
    return copied < 0 ? -errno : 0;
}

/* The program may have removed it meanwhile, as those do that clean up their directory: whoever
 * asked for the file finds it there. */
static int removed_restore(const struct output *output)
{
    char own[FD_PATH_SIZE];
    struct stat stat;

    if (fstat(fileno(output->file), &stat) || !S_ISREG(stat.st_mode) || stat.st_nlink > 0 ||
        is_stdout(output->path))
        return 0;
    if (fflush(output->file))
        return -errno;
    snprintf(own, sizeof(own), "/proc/self/fd/%d", fileno(output->file));
    const int from_fd = open(own, O_RDONLY | O_CLOEXEC);
    if (from_fd < 0)
        return -errno;
    const int to_fd = open(output->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, MODE_NEW);
    int error = to_fd < 0 ? -errno : copy(from_fd, to_fd);
    if (to_fd >= 0 && close(to_fd) && !error)
        error = -errno;
    close(from_fd);
    return error;
}

int output_close(struct output *output)
{
    int error = 0;

    if (!output->file)
        return 0;
    if (output->begun)
        error = removed_restore(output);
    else
        __fpurge(output->file);
    if (fclose(output->file) && !error)
        error = -errno;
    free(output->buffer);
    if (output->made && !output->begun)
        unlink(output->path);
    *output = (struct output){0};
    return error;
}

int output_end(struct output *output, int error)
{
    const char *path = output->path;
    const int close_error = output_close(output);

    return tell(path, error ? error : close_error);
}
