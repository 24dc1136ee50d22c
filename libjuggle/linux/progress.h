/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources of thread progress behind one table: run time, run-queue wait and slices of a thread.
 *
 * Threads are indexes in [0, threads_max). Up to readers_max callers may read at once, each its own
 * threads. No other call for a thread may overlap its opening or closing. */
#ifndef JUGGLE_LINUX_PROGRESS_H
#define JUGGLE_LINUX_PROGRESS_H

#include "libjuggle/engine/ports.h"
#include "libjuggle/linux/thread_id.h"

enum progress_kind {
    PROGRESS_AUTO,      /* the best that is permitted */
    PROGRESS_TASKSTATS, /* netlink; needs CAP_NET_ADMIN */
    PROGRESS_SCHEDSTAT, /* /proc/PID/task/TID/schedstat, kept open; needs nothing */
    PROGRESS_PERF, /* task-clock events: exact to the nanosecond; perf_event_paranoid decides */
    PROGRESS_KINDS_COUNT,
};

struct progress_options {
    int proc_fd; /* stays the caller's, and open */
    int threads_max;
    int readers_max; /* callers of progress_read at once */
};

/* One kernel interface; `state` is what its open made. */
struct progress_source {
    const char *name;
    int (*open)(const struct progress_options *options, void **state);
    int (*thread_open)(void *state, int thread, const struct thread_id *id);
    int (*thread_read)(void *state, int thread, struct sample *sample);
    void (*thread_close)(void *state, int thread);
    void (*close)(void *state);
};

extern const struct progress_source progress_taskstats;
extern const struct progress_source progress_schedstat;
extern const struct progress_source progress_perf;

struct progress;

/* Tries the source with the calling thread itself before taking it. -EACCES or -EPERM: not
 * permitted; -ENOTSUP: this kernel or this build has no such source; -EMFILE. */
int progress_open(enum progress_kind kind, const struct progress_options *options,
                  struct progress **progress) MUST_CHECK;
void progress_close(struct progress *progress);

/* "schedstat", and why it was taken. */
const char *progress_name(const struct progress *progress);
const char *progress_reason(const struct progress *progress);

/* -ESRCH: gone, or another thread has its number now; -EMFILE: too many open files. */
int progress_thread_open(struct progress *progress, int thread,
                         const struct thread_id *id) MUST_CHECK;
void progress_thread_close(struct progress *progress, int thread);

/* Fills everything but sample.thread and what the thread itself tells (told_wait_ns and the members
 * after it); sample.processor is the kernel's number. Allocates nothing. -ESRCH: the thread is
 * gone. */
int progress_read(struct progress *progress, int thread, struct sample *sample) MUST_CHECK;

/* 0, or -ESRCH: the thread is gone. May overlap a read of it. */
int progress_alive(const struct progress *progress, int thread) MUST_CHECK;

const char *progress_kind_name(enum progress_kind kind);

#endif
