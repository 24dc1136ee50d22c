/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/files/output.h"

#include "cli/options.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* Larger than anything written before an output begins, such as the head of a recording: the
 * buffer must not be flushed until then. */
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

/* A standard descriptor that was closed at the start has been opened on something unwritable:
 * see options_parse. */
static bool is_writable(int stream)
{
    const int flags = fcntl(stream, F_GETFL);

    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

static int stream_open(int stream)
{
    if (is_writable(stream))
        return fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    errno = EBADF;
    return -1;
}

/* True if both are the same file. A character device, such as a terminal or /dev/null, may be
 * shared by any number of outputs. */
static bool is_same(int fd, int other_fd)
{
    struct stat stat, other;

    return !fstat(fd, &stat) && !fstat(other_fd, &other) && !S_ISCHR(stat.st_mode) &&
           stat.st_dev == other.st_dev && stat.st_ino == other.st_ino;
}

/* If the file is also the program's stdout or stderr, uses that stream instead. So juggle's text
 * comes behind the program's, and neither overwrites the other. */
static int shared_open(int fd, bool *shared)
{
    for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++) {
        if (!is_writable(stream) || !is_same(fd, stream))
            continue;
        close(fd);
        *shared = true;
        return stream_open(stream);
    }
    return fd;
}

static bool is_pipe(const char *path)
{
    struct stat status;

    return !stat(path, &status) && S_ISFIFO(status.st_mode);
}

/* Waits until another process opens the pipe for reading. The program has not been started by
 * then, so signals may end juggle as usual. */
static int pipe_open(const char *path)
{
    sigset_t ending, before;

    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    sigaddset(&ending, SIGQUIT);
    pthread_sigmask(SIG_UNBLOCK, &ending, &before);
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return fd;
}

/* Creates the file. If the path is a dangling symbolic link, creates its target and leaves the
 * link. */
static int file_create(const char *path, bool *made)
{
    struct stat status;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, MODE_NEW);

    *made = fd >= 0;
    if (fd < 0 && errno == EEXIST && stat(path, &status))
        fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, MODE_NEW);
    return fd;
}

static int file_open(const char *path, struct output *output)
{
    int fd;

    output->shared = is_stdout(path);
    if (output->shared)
        return stream_open(STDOUT_FILENO);
    fd = is_pipe(path) ? pipe_open(path) : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0)
        return shared_open(fd, &output->shared);
    return errno == ENOENT ? file_create(path, &output->made) : fd;
}

static int try_open(const char *path, struct output *output)
{
    struct output opened = {.path = path};
    int error;

    const int fd = file_open(path, &opened);
    if (fd < 0)
        return -errno;
    opened.buffer = malloc(BUFFER_SIZE);
    opened.file = opened.buffer ? fdopen(fd, "w") : NULL;
    if (!opened.file) {
        error = -errno;
        free(opened.buffer);
        close(fd);
        if (opened.made)
            unlink(path);
        return error;
    }
    setvbuf(opened.file, opened.buffer, _IOFBF, BUFFER_SIZE);
    *output = opened;
    return 0;
}

static int output_open(const char *path, struct output *output)
{
    const int error = path ? try_open(path, output) : 0;

    return error == -ENOMEM ? error : tell(path, error);
}

static int pair_check(const struct output *one, const struct output *other)
{
    if (!one->file || !other->file || !is_same(fileno(one->file), fileno(other->file)))
        return 0;
    complain("juggle", "'%s' and '%s' are one file: name another one for one of them", one->path,
             other->path);
    return -EEXIST;
}

int outputs_open(const char *const paths[OUTPUTS_COUNT], struct output outputs[OUTPUTS_COUNT])
{
    int error = 0;

    for (int i = 0; i < OUTPUTS_COUNT && !error; i++)
        error = output_open(paths[i], &outputs[i]);
    for (int i = 0; i < OUTPUTS_COUNT; i++)
        for (int j = 0; j < i && !error; j++)
            error = pair_check(&outputs[j], &outputs[i]);
    return error;
}

static int try_begin(struct output *output)
{
    struct stat stat;

    if (fstat(fileno(output->file), &stat))
        return -errno;
    if (S_ISREG(stat.st_mode) && !output->shared && ftruncate(fileno(output->file), 0))
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

/* Writes the file once more if it has been removed, as by a program that cleans up its
 * directory. */
static int removed_restore(const struct output *output)
{
    char own[FD_PATH_SIZE];
    struct stat stat;
    bool made;

    if (fstat(fileno(output->file), &stat) || !S_ISREG(stat.st_mode) || stat.st_nlink > 0 ||
        output->shared)
        return 0;
    snprintf(own, sizeof(own), "/proc/self/fd/%d", fileno(output->file));
    const int from_fd = open(own, O_RDONLY | O_CLOEXEC);
    if (from_fd < 0)
        return -errno;
    const int to_fd = file_create(output->path, &made);
    int error = to_fd < 0 ? -errno : copy(from_fd, to_fd);
    if (to_fd >= 0 && close(to_fd) && !error)
        error = -errno;
    close(from_fd);
    return error;
}

/* -errno of the last write; -EIO if one before it has failed. */
static int written(const struct output *output)
{
    if (fflush(output->file))
        return -errno;
    return ferror(output->file) ? -EIO : 0;
}

static int output_close(struct output *output)
{
    int error = 0;

    if (!output->file)
        return 0;
    if (!output->begun)
        __fpurge(output->file);
    else if (!(error = written(output)))
        error = removed_restore(output);
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

void outputs_close(struct output outputs[OUTPUTS_COUNT])
{
    for (int i = 0; i < OUTPUTS_COUNT; i++)
        (void)output_close(&outputs[i]);
}
