/* SPDX-License-Identifier: BSD-3-Clause */
/* /proc/PID/task/TID/schedstat, kept open. The open file belongs to this thread, never to a later
 * one with its number: once the thread is gone, reading it fails with ESRCH. */
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEXT_SIZE = 80 }; /* three numbers of at most twenty digits */

struct schedstat {
    int proc_fd;
    int threads_max;
    int fds[]; /* -1: free */
};

static void schedstat_close(void *state)
{
    struct schedstat *schedstat = state;

    for (int thread = 0; thread < schedstat->threads_max; thread++)
        if (schedstat->fds[thread] >= 0)
            close(schedstat->fds[thread]);
    free(schedstat);
}

static int schedstat_open(const struct progress_options *options, void **state)
{
    size_t fds_size = sizeof(int) * (size_t)options->threads_max;
    struct schedstat *schedstat = malloc(sizeof(*schedstat) + fds_size);

    if (!schedstat)
        return -ENOMEM;
    schedstat->proc_fd = options->proc_fd;
    schedstat->threads_max = options->threads_max;
    for (int thread = 0; thread < options->threads_max; thread++)
        schedstat->fds[thread] = -1;
    *state = schedstat;
    return 0;
}

static int schedstat_thread_open(void *state, int thread, const struct thread_id *id)
{
    struct schedstat *schedstat = state;
    int fd, error;

    error = procfs_thread_open(schedstat->proc_fd, id->pid, id->tid, "schedstat", &fd);
    if (error)
        return error;
    /* Checked after opening: the open file is that of this thread, or of a dead one. */
    error = procfs_thread_check(schedstat->proc_fd, id);
    if (error) {
        close(fd);
        return error;
    }
    schedstat->fds[thread] = fd;
    return 0;
}

static int schedstat_thread_read(void *state, int thread, struct sample *sample)
{
    struct schedstat *schedstat = state;
    struct thread_schedstat read;
    char text[TEXT_SIZE];
    int64_t now_ns = clock_now_ns();
    int error = procfs_text_read(schedstat->fds[thread], text, sizeof(text));

    if (!error)
        error = procfs_schedstat_parse(text, &read);
    if (error)
        return error;
    sample->now_ns = now_ns;
    sample->run_ns = read.run_ns;
    sample->wait_ns = read.wait_ns;
    sample->slices_count = read.slices_count;
    return 0;
}

static void schedstat_thread_close(void *state, int thread)
{
    struct schedstat *schedstat = state;

    close(schedstat->fds[thread]);
    schedstat->fds[thread] = -1;
}

const struct progress_source progress_schedstat = {
    .name = "schedstat",
    .open = schedstat_open,
    .thread_open = schedstat_thread_open,
    .thread_read = schedstat_thread_read,
    .thread_close = schedstat_thread_close,
    .close = schedstat_close,
};
