/* SPDX-License-Identifier: BSD-3-Clause */
/* Task-clock events, exact to the nanosecond where the counters of /proc move only at ticks and
 * switches. They tell neither waits nor slices, nor that a thread died: schedstat does.
 *
 * Reading an event whose thread is running on another processor interrupts that processor. A
 * balancer that is bound to the processor of its threads has preempted them and pays nothing. */
#include "libjuggle/linux/progress.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct counted_thread {
    int fd;          /* -1: free */
    int64_t past_ns; /* run time before the event was opened */
};

struct perf {
    void *schedstat;
    int threads_max;
    struct counted_thread threads[];
};

static void perf_close(void *state)
{
    struct perf *perf = state;

    for (int thread = 0; thread < perf->threads_max; thread++)
        if (perf->threads[thread].fd >= 0)
            close(perf->threads[thread].fd);
    progress_schedstat.close(perf->schedstat);
    free(perf);
}

static int perf_open(const struct progress_options *options, void **state)
{
    size_t threads_size = sizeof(struct counted_thread) * (size_t)options->threads_max;
    struct perf *perf = malloc(sizeof(*perf) + threads_size);
    int error;

    if (!perf)
        return -ENOMEM;
    error = progress_schedstat.open(options, &perf->schedstat);
    if (error) {
        free(perf);
        return error;
    }
    perf->threads_max = options->threads_max;
    for (int thread = 0; thread < options->threads_max; thread++)
        perf->threads[thread].fd = -1;
    *state = perf;
    return 0;
}

static int event_open(pid_t tid, int *fd)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(attributes),
        .config = PERF_COUNT_SW_TASK_CLOCK,
    };
    long opened = syscall(SYS_perf_event_open, &attributes, tid, -1, -1,
                          (unsigned long)PERF_FLAG_FD_CLOEXEC);

    if (opened < 0)
        return errno == ENOSYS || errno == ENOENT ? -ENOTSUP : -errno;
    *fd = (int)opened;
    return 0;
}

static int count_read(int fd, int64_t *count_ns)
{
    uint64_t count;
    ssize_t length;

    do
        length = read(fd, &count, sizeof(count));
    while (length < 0 && errno == EINTR);
    if (length != sizeof(count))
        return length < 0 ? -errno : -EIO;
    *count_ns = (int64_t)count;
    return 0;
}

static void perf_thread_close(void *state, int thread)
{
    struct perf *perf = state;

    close(perf->threads[thread].fd);
    perf->threads[thread].fd = -1;
    progress_schedstat.thread_close(perf->schedstat, thread);
}

static int perf_thread_open(void *state, int thread, const struct thread_id *id)
{
    struct perf *perf = state;
    struct sample past;
    int fd = -1;
    int error = progress_schedstat.thread_open(perf->schedstat, thread, id);

    if (error)
        return error;
    error = event_open(id->tid, &fd);
    if (error)
        goto close_schedstat;
    error = progress_schedstat.thread_read(perf->schedstat, thread, &past);
    if (error)
        goto close_event;
    perf->threads[thread] = (struct counted_thread){.fd = fd, .past_ns = past.run_ns};
    return 0;

close_event:
    close(fd);
close_schedstat:
    progress_schedstat.thread_close(perf->schedstat, thread);
    return error;
}

static int perf_thread_read(void *state, int thread, struct sample *sample)
{
    struct perf *perf = state;
    struct sample read = *sample;
    int64_t count_ns = 0;
    int error = progress_schedstat.thread_read(perf->schedstat, thread, &read);

    if (!error)
        error = count_read(perf->threads[thread].fd, &count_ns);
    if (error)
        return error;
    read.run_ns = perf->threads[thread].past_ns + count_ns;
    *sample = read;
    return 0;
}

const struct progress_source progress_perf = {
    .name = "perf",
    .open = perf_open,
    .thread_open = perf_thread_open,
    .thread_read = perf_thread_read,
    .thread_close = perf_thread_close,
    .close = perf_close,
};
