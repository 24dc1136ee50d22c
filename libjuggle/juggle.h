/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interface of Juggle's balancer for programs. The balancer makes the threads of this process,
 * or of another process and its descendants, progress at the same rate on processors that are fewer
 * than the threads.
 *
 *     struct juggle *juggle;
 *     struct juggle_options options = {.size = sizeof(struct juggle_options), .threads = 3};
 *
 *     juggle_create(0, &options, &juggle, NULL);
 *     juggle_start(juggle);
 *     ...                                             the threads work
 *     juggle_stop(juggle);
 *     juggle_destroy(juggle);
 *
 * Functions that can fail return 0 or -errno and leave their outputs untouched on failure. Nothing
 * here prints, exits or keeps global state, so that a process can have several balancers. The
 * functions of one balancer may be called from any thread of the process that created it. In a
 * forked child juggle_stop() and juggle_destroy() do nothing; juggle_start(), juggle_statistics(),
 * juggle_threads() and juggle_thread_create() return -EPERM.
 *
 * All times are int64_t nanoseconds. A field that is zero in a struct of settings has its default.
 * The program sets the first field of each struct, `size`, also if the library fills in the rest. A
 * struct of another size is -EINVAL: the program was compiled for another version, or declares the
 * struct differently in another language.
 */
#ifndef JUGGLE_JUGGLE_H
#define JUGGLE_JUGGLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JUGGLE_API        __attribute__((visibility("default")))
#define JUGGLE_MUST_CHECK __attribute__((warn_unused_result))

struct juggle;

/* Zeroes the struct that `pointer` points to and sets its size, for code whose initializers cannot
 * name a field. */
#define JUGGLE_INIT(pointer) \
    ((void)memset((pointer), 0, sizeof(*(pointer))), (void)((pointer)->size = sizeof(*(pointer))))

struct juggle_options {
    size_t size;         /* of this struct */
    int threads;         /* start when this many workers exist; 0: with those that exist */
    const char *cpus;    /* "0-3,8"; NULL: all that are allowed */
    const char *domains; /* "0-3;4-7": balance within these; NULL: the NUMA nodes */
    int inter_domain;    /* balance across all domains */

    const char *policy;    /* "juggle", "paper", "ideal", "static" or "none"; NULL: juggle */
    const char *progress;  /* "auto", "taskstats", "schedstat" or "perf"; NULL: auto */
    const char *balancers; /* "auto", "per-processor" or "single"; NULL: auto */
    int64_t period_ns;     /* the load-balancing period; 0: chosen and adapted */
    int64_t margin_ns;     /* a thread is behind if below the average progress plus this */

    const char *match;     /* balance only threads whose name fits this pattern; NULL: all */
    const char *idle_comm; /* set threads aside whose name fits this pattern; NULL: none */
    int idle; /* set this many threads aside, the ones that run least; 0: the balancer finds them;
                 negative: none */
    int override_pins;    /* balance threads that the program has pinned, too */
    const char *capacity; /* speeds of the processors: "auto", "equal" or a list such as
                             "1x4,0.6x4,smt=0.62"; NULL: auto */
};

enum { JUGGLE_MESSAGE_MAX = 256 };

struct juggle_error {
    char message[JUGGLE_MESSAGE_MAX];
};

/*
 * Creates a balancer for the process `pid` and its descendants; 0 is the calling process. It does
 * not balance yet. `options` may be NULL. On failure `error`, unless NULL, says why in one line:
 * -EINVAL (an option is not usable, or `pid` is negative or a thread's), -ENXIO (a processor that
 * is not there or not allowed), -ENODEV (the options leave only one processor), -ESRCH (no such
 * process), -EALREADY (another balancer has it), -EACCES, -EPERM, -ENOMEM.
 */
JUGGLE_API int juggle_create(pid_t pid, const struct juggle_options *options,
                             struct juggle **juggle, struct juggle_error *error) JUGGLE_MUST_CHECK;

/* Stops the balancer and frees it. Accepts NULL. */
JUGGLE_API void juggle_destroy(struct juggle *juggle);

/*
 * From now on looks for the threads, and balances them once they are complete. The balancer does
 * this in threads of its own, which block all signals. -EALREADY: it was started before, even if it
 * was stopped since; -EAGAIN, -ENOMEM.
 */
JUGGLE_API int juggle_start(struct juggle *juggle) JUGGLE_MUST_CHECK;

/* Stops balancing and gives all threads back the affinity masks that they had. juggle_statistics()
 * and juggle_threads() go on working. */
JUGGLE_API void juggle_stop(struct juggle *juggle);

/* ---- statistics ---- */

struct juggle_statistics {
    size_t size; /* of this struct */
    int threads; /* the number that juggle_threads() returns */
    int processors;
    int domains;
    int64_t elapsed_ns; /* since juggle_start */
    int64_t waited_ns;  /* from juggle_start to the first placement of the threads; -1 before */
    int64_t period_ns;  /* the current one */
    int64_t rounds;     /* turns of balancing */
    int64_t migrations;
    int64_t moves_failed;
    int64_t own_cpu_ns; /* used by the balancer threads */
};

/* -EAGAIN: it was never started; -EINVAL: another size. */
JUGGLE_API int juggle_statistics(struct juggle *juggle,
                                 struct juggle_statistics *statistics) JUGGLE_MUST_CHECK;

/* A thread that is balanced, or was until it ended. */
struct juggle_thread_statistics {
    size_t size; /* of this struct; in an array only that of the first element is read */
    pid_t pid, tid;
    char name[16];
    int cpu; /* where it is placed; -1 before its first placement */
    int ended;
    int64_t progress_ns;
    int64_t run_ns, wait_ns, blocked_ns; /* since it was found */
};

/* Fills up to `threads_max`; returns how many there are, or -EAGAIN: it was never started; -EINVAL:
 * another size; -ENOMEM. */
JUGGLE_API int juggle_threads(struct juggle *juggle, struct juggle_thread_statistics *threads,
                              int threads_max) JUGGLE_MUST_CHECK;

/* ---- what threads report ---- */

/*
 * A handle by which a thread reports what the kernel cannot know: its own progress, and when it
 * waits for other threads.
 *
 * Progress is counted in units of the program's choice (cells, particles, rows). From the first
 * report on, units replace the thread's CPU time, which says nothing about uneven work or about
 * spinning. A unit counts as the CPU time that a unit has cost so far, on average over all threads
 * that report. Units should be small against the period; threads that report and threads that do
 * not can be mixed.
 *
 * Waits are reported by runtimes whose threads spin or yield at barriers and in receives, because
 * the kernel takes such threads for working ones. A report makes no system call that enters the
 * kernel. A wait costs a few tens of nanoseconds, most of them for reading the clock.
 */
struct juggle_thread;

/*
 * Creates a handle for the thread `tid` of the calling process or of another balanced process; 0 is
 * the calling thread. `juggle` is the balancer of the thread; NULL: the juggle(1) that runs this
 * program. -EEXIST: the thread has a handle; -ENOENT: no juggle(1) listens; -ESRCH: no such thread;
 * -EPERM: another process created the balancer; -EACCES, -ENOSPC, -ENOMEM.
 */
JUGGLE_API int juggle_thread_create(struct juggle *juggle, pid_t tid,
                                    struct juggle_thread **thread) JUGGLE_MUST_CHECK;

/* Frees the handle. Call it before the balancer is destroyed. Accepts NULL. In a forked child it
 * only frees the child's copy. */
JUGGLE_API void juggle_thread_destroy(struct juggle_thread *thread);

/* Reports that `units` units have been done since the last call. Costs a few nanoseconds. */
JUGGLE_API void juggle_progress(struct juggle_thread *thread, int64_t units);

/* Report that the thread begins to wait for other threads, and that it has stopped. Only the thread
 * itself may call these. A wait within a wait adds nothing, and the first end ends both. */
JUGGLE_API void juggle_wait_begin(struct juggle_thread *thread);
JUGGLE_API void juggle_wait_end(struct juggle_thread *thread);

/* ---- joining ---- */

/*
 * A process that joins a job is balanced together with all other processes of its user on this node
 * that join the same job, such as the ranks of an MPI program. The node's juggled balances them. If
 * there is none, a coordinator does; the first process that joins starts it, and it ends with the
 * last.
 */
struct juggle_membership;

/*
 * Adds the calling process, with its descendants, to the job `name` (1 to 40 letters, digits or any
 * of . _ : -, the first no . or -). NULL: the job of the launcher, which is read from the
 * environment. `options` count for the first process that joins; NULL: the service chooses. On
 * failure `error`, unless NULL, says why in one line: -EINVAL (name or option), -ENOTSUP (there is
 * no juggled to balance the job, or the library was built without jansson), -EBUSY (the process is
 * in another job), -EUSERS (too many jobs or processes), -EPERM, -ECANCELED (the job cannot be
 * balanced, as with only one processor), -ENOMEM, or the error of connecting.
 */
JUGGLE_API int juggle_join(const char *name, const struct juggle_options *options,
                           struct juggle_membership **membership,
                           struct juggle_error *error) JUGGLE_MUST_CHECK;

/* Leaves the job and frees the membership. When it returns, the threads of the process have their
 * affinity masks back; those of a large program have them soon after. The end of the process leaves
 * the job, too. A process that has joined several times leaves with the last call. Accepts NULL. */
JUGGLE_API void juggle_leave(struct juggle_membership *membership);

/* ---- how many threads ---- */

/* What juggle_nproc() counts; 0 for every processor that may be used. */
enum {
    JUGGLE_NPROC_CORES = 1, /* siblings on one core count once */
    JUGGLE_NPROC_FAST = 2   /* the fastest kind of processors alone */
};

/*
 * Returns how many threads are of use to the caller now: the number of processors in its affinity
 * mask and cpuset that are online and not isolated, but no more than the quotas of its control
 * group and of all groups above it give, rounded down. At least 1. -EINVAL: `what` has other bits;
 * -ENOMEM.
 */
JUGGLE_API int juggle_nproc(unsigned what) JUGGLE_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
