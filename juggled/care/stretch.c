/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/stretch.h"

#include "juggled/care/worth.h"

#include <errno.h>
#include <stdlib.h>

struct runner {
    pid_t pid, tid;
};

struct stretch {
    int proc_fd;
    int64_t began_ns;
    int count;
    struct runner *runners;
    int64_t *run_ns; /* as of the beginning; after the end: within the stretch */
};

int stretch_create(const struct balancing *balancing, struct stretch **result)
{
    int count, error = -ENOMEM;
    struct job_thread *threads = balancing_threads(balancing, &count);
    struct stretch *stretch = calloc(1, sizeof(*stretch));

    if (!threads || !stretch)
        goto fail;
    stretch->proc_fd = balancing->shared->proc_fd;
    stretch->runners = calloc((size_t)count + 1, sizeof(*stretch->runners));
    stretch->run_ns = calloc((size_t)count + 1, sizeof(*stretch->run_ns));
    if (!stretch->runners || !stretch->run_ns)
        goto fail;
    for (int i = 0; i < count; i++)
        if (!threads[i].ended)
            stretch->runners[stretch->count++] = (struct runner){threads[i].pid, threads[i].tid};
    error = stretch->count ? 0 : -ESRCH;
    if (error)
        goto fail;
    free(threads);
    *result = stretch;
    return 0;

fail:
    free(threads);
    stretch_destroy(stretch);
    return error;
}

void stretch_destroy(struct stretch *stretch)
{
    if (!stretch)
        return;
    free(stretch->runners);
    free(stretch->run_ns);
    free(stretch);
}

static int runner_read(const struct stretch *stretch, int index, int64_t *run_ns)
{
    const struct runner *runner = &stretch->runners[index];
    struct thread_schedstat stat;
    int error = procfs_schedstat_read(stretch->proc_fd, runner->pid, runner->tid, &stat);

    if (!error)
        *run_ns = stat.run_ns;
    return error;
}

int stretch_begin(struct stretch *stretch, int64_t now_ns)
{
    for (int i = 0; i < stretch->count; i++) {
        int error = runner_read(stretch, i, &stretch->run_ns[i]);
        if (error)
            return error;
    }
    stretch->began_ns = now_ns;
    return 0;
}

int stretch_end(struct stretch *stretch, int64_t now_ns, double *rate)
{
    int64_t run_ns;

    for (int i = 0; i < stretch->count; i++) {
        int error = runner_read(stretch, i, &run_ns);
        if (error)
            return error;
        stretch->run_ns[i] = run_ns - stretch->run_ns[i];
    }
    const int64_t slowest_ns = worth_slowest(stretch->run_ns, stretch->count);
    if (!slowest_ns)
        return -ENODATA;
    *rate = (double)slowest_ns / (double)(now_ns - stretch->began_ns);
    return 0;
}
