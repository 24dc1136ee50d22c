/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/progress.h"

#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* What is kept of a thread to tell a queue wait that goes on from sleep: no source counts either
 * while it lasts. */
struct thread_watch {
    int stat_fd;
    struct sample last;
};

struct progress {
    const struct progress_source *source;
    void *state;
    const char *reason;
    int proc_fd;
    struct thread_watch *watches; /* by thread */
};

enum {
    STAT_TEXT_SIZE = 512,
    SLEEP_SHARE_MIN = 16, /* a gap of less than a sixteenth of the time is ignored */
};

/* All three sources agree on a thread that its balancer has just preempted, or that was refreshed
 * (world.c). schedstat is the cheapest. If it tells nothing, the others tell nothing, either: perf
 * takes waits and slices from it, and taskstats reads the same counters. */
static const struct {
    const char *name, *reason;
    const struct progress_source *source;
} kinds[PROGRESS_KINDS_COUNT] = {
    [PROGRESS_AUTO] = {"auto", "the cheapest source, and it needs no privilege",
                       &progress_schedstat},
    [PROGRESS_TASKSTATS] = {"taskstats", "asked for", &progress_taskstats},
    [PROGRESS_SCHEDSTAT] = {"schedstat", "asked for", &progress_schedstat},
    [PROGRESS_PERF] = {"perf", "asked for", &progress_perf},
};

static int self_id(int proc_fd, struct thread_id *id)
{
    struct thread_stat stat;
    const int error = procfs_stat_read(proc_fd, getpid(), gettid(), &stat);

    if (!error)
        *id = (struct thread_id){getpid(), gettid(), stat.start_ticks};
    return error;
}

/* Reads the calling thread, at index 0: only that shows whether the source works. */
static int source_try(const struct progress_source *source, void *state, int proc_fd)
{
    struct thread_id self;
    struct sample sample;
    int error = self_id(proc_fd, &self);

    if (error)
        return error;
    error = source->thread_open(state, 0, &self);
    if (error)
        return error == -ESRCH ? -ENOTSUP : error;
    error = source->thread_read(state, 0, &sample);
    source->thread_close(state, 0);
    if (error)
        return error;
    /* Kernels built without scheduler statistics have the file, and zeros in it. */
    return sample.slices_count > 0 ? 0 : -ENOTSUP;
}

static int source_open(const struct progress_source *source, const struct progress_options *options,
                       void **state)
{
    void *opened;
    int error = source->open(options, &opened);

    if (error)
        return error;
    error = source_try(source, opened, options->proc_fd);
    if (error)
        source->close(opened);
    else
        *state = opened;
    return error;
}

int progress_open(enum progress_kind kind, const struct progress_options *options,
                  struct progress **progress)
{
    struct progress *opened = calloc(1, sizeof(*opened));
    int error = -ENOMEM;

    if (!opened)
        return -ENOMEM;
    opened->proc_fd = options->proc_fd;
    opened->watches = calloc((size_t)options->threads_max, sizeof(*opened->watches));
    if (!opened->watches)
        goto fail;
    opened->source = kinds[kind].source;
    opened->reason = kinds[kind].reason;
    error = source_open(opened->source, options, &opened->state);
    if (error)
        goto fail;
    *progress = opened;
    return 0;

fail:
    free(opened->watches);
    free(opened);
    return error;
}

void progress_close(struct progress *progress)
{
    if (!progress)
        return;
    progress->source->close(progress->state);
    free(progress->watches);
    free(progress);
}

const char *progress_name(const struct progress *progress)
{
    return progress->source->name;
}

const char *progress_reason(const struct progress *progress)
{
    return progress->reason;
}

int progress_thread_open(struct progress *progress, int thread, const struct thread_id *id)
{
    struct thread_watch *watch = &progress->watches[thread];
    int error = progress->source->thread_open(progress->state, thread, id);

    if (error)
        return error;
    error = procfs_thread_open(progress->proc_fd, id->pid, id->tid, "stat", &watch->stat_fd);
    if (error) {
        progress->source->thread_close(progress->state, thread);
        return error;
    }
    watch->last = (struct sample){0};
    return 0;
}

void progress_thread_close(struct progress *progress, int thread)
{
    progress->source->thread_close(progress->state, thread);
    close(progress->watches[thread].stat_fd);
}

/* By the rule of struct sample: the state may stay unknown if run and wait account for nearly all
 * of the time, because such a thread did not sleep. */
static enum sample_state state_of(const struct thread_watch *watch, const struct sample *sample,
                                  char state)
{
    const int64_t elapsed_ns = sample->now_ns - watch->last.now_ns;
    const int64_t known_ns = sample->run_ns - watch->last.run_ns + sample->wait_ns -
                             watch->last.wait_ns;

    if (elapsed_ns - known_ns < elapsed_ns / SLEEP_SHARE_MIN)
        return SAMPLE_UNKNOWN;
    return state == 'R' ? SAMPLE_RUNNABLE : SAMPLE_SLEEPING;
}

static int stat_look_up(const struct thread_watch *watch, struct sample *sample)
{
    char text[STAT_TEXT_SIZE];
    char state;
    int error = procfs_text_read(watch->stat_fd, text, sizeof(text));

    if (!error)
        error = procfs_stat_brief(text, &state, &sample->processor);
    if (!error)
        sample->state = state_of(watch, sample, state);
    return error;
}

int progress_read(struct progress *progress, int thread, struct sample *sample)
{
    struct thread_watch *watch = &progress->watches[thread];
    int error = progress->source->thread_read(progress->state, thread, sample);

    if (!error)
        error = stat_look_up(watch, sample);
    if (!error)
        watch->last = *sample;
    return error;
}

int progress_alive(const struct progress *progress, int thread)
{
    struct sample unused;

    return progress->source->thread_read(progress->state, thread, &unused);
}

const char *progress_kind_name(enum progress_kind kind)
{
    return kinds[kind].name;
}
