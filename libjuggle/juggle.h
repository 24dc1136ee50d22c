/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The balancer of Juggle for programs: makes the threads of this process, or of another with its
 * descendants, progress at the same rate on processors that are fewer.
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
 * functions of one balancer may be called from any thread of the process that created it; in a
 * child that was forked juggle_stop() and juggle_destroy() do nothing, and juggle_start() and what
 * tells what was done are -EPERM.
 *
 * All times are int64_t nanoseconds. In every struct of settings a field that is zero has its
 * default. The first field of each struct, `size`, is set by the program, also where the library
 * fills in the rest: a struct of another size, as of a program that was compiled for another
 * version, or a mirror of it in another language, is -EINVAL.
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

/* Zeroes the struct that `pointer` leads to, and sets its size: where an initializer cannot name a
 * field. */
#define JUGGLE_INIT(pointer) \
    ((void)memset((pointer), 0, sizeof(*(pointer))), (void)((pointer)->size = sizeof(*(pointer))))

struct juggle_options {
    size_t size;         /* of this struct */
    int threads;         /* balance once so many workers are there; 0: what is there */
    const char *cpus;    /* "0-3,8"; NULL: all that are allowed */
    const char *domains; /* "0-3;4-7": balance within these; NULL: the NUMA nodes */
    int inter_domain;    /* balance across all domains */

    const char *policy;    /* "juggle", "paper", "ideal", "static" or "none"; NULL: juggle */
    const char *progress;  /* "auto", "taskstats", "schedstat" or "perf"; NULL: auto */
    const char *balancers; /* "auto", "per-processor" or "single"; NULL: auto */
    int64_t period_ns;     /* the load-balancing period; 0: chosen and adapted */
    int64_t margin_ns;     /* a thread is behind if below the average progress plus this */

    const char *match;     /* balance only threads whose name fits this pattern; NULL: all */
    const char *idle_comm; /* set threads with such a name aside; NULL: none */
    int idle;              /* set so many threads aside, those that hardly run; 0: found by
                              themselves; negative: none */
    int override_pins;     /* balance threads that the program has pinned, too */
    const char *capacity;  /* speeds of the processors: "auto", "equal" or a list such as
                              "1x4,0.6x4,smt=0.62"; NULL: auto */
};

enum { JUGGLE_MESSAGE_MAX = 256 };

struct juggle_error {
    char message[JUGGLE_MESSAGE_MAX];
};

/*
 * A balancer for the process `pid` and all that descend from it, 0 for the caller's own. Nothing is
 * balanced yet. `options` may be NULL. On failure `error`, unless NULL, says why in one line:
 * -EINVAL (an option, or a thread of a process), -ENXIO (a processor that is not there or not
 * allowed), -ENODEV (the options leave one processor only), -ESRCH (no such process), -EALREADY
 * (another balancer has it), -EACCES, -EPERM, -ENOMEM.
 */
JUGGLE_API int juggle_create(pid_t pid, const struct juggle_options *options,
                             struct juggle **juggle, struct juggle_error *error) JUGGLE_MUST_CHECK;

/* Stops. Accepts NULL. */
JUGGLE_API void juggle_destroy(struct juggle *juggle);

/*
 * Looks for the threads from now on, and balances them once they are complete. Threads of the
 * balancer's own do this; all signals are blocked in them. -EALREADY: it was started before,
 * stopped or not; -EAGAIN, -ENOMEM.
 */
JUGGLE_API int juggle_start(struct juggle *juggle) JUGGLE_MUST_CHECK;

/* Ends the balancing and gives all threads the affinity masks back that they had. What there is to
 * read stays. */
JUGGLE_API void juggle_stop(struct juggle *juggle);

/* ---- what it did ---- */

struct juggle_statistics {
    size_t size; /* of this struct */
    int threads; /* as juggle_threads() tells them */
    int processors;
    int domains;
    int64_t elapsed_ns; /* since juggle_start */
    int64_t waited_ns;  /* from juggle_start to the first distribution; -1 before */
    int64_t period_ns;  /* as it is now */
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
    size_t size; /* of this struct; that of the first of several counts */
    pid_t pid, tid;
    char name[16];
    int cpu; /* where it is placed; -1 before the first distribution */
    int ended;
    int64_t progress_ns;
    int64_t run_ns, wait_ns, blocked_ns; /* since it was found */
};

/* Fills up to `threads_max`; returns how many there are, or -EAGAIN: it was never started; -EINVAL:
 * another size; -ENOMEM. */
JUGGLE_API int juggle_threads(struct juggle *juggle, struct juggle_thread_statistics *threads,
                              int threads_max) JUGGLE_MUST_CHECK;

/* ---- what threads tell ---- */

/*
 * A thread that says what the kernel cannot know: its own progress, and when it waits for others.
 *
 * Progress is in units of its choice (cells, particles, rows): from the first report on they take
 * the place of its CPU time, which says nothing about uneven work or about spinning. A unit counts
 * as what units have cost so far, the mean over all threads that report. Units should be small
 * against the period; threads that report and threads that do not can be mixed.
 *
 * Waiting is for runtimes whose threads spin or yield at barriers and in receives: to the kernel
 * they work. Nothing of it asks the kernel; a few tens of nanoseconds for each wait, most of them
 * to read the clock.
 */
struct juggle_thread;

/*
 * For the thread `tid` of the calling process or another that is balanced, 0 for the caller.
 * `juggle` is who balances it; NULL: the juggle(1) that runs this program. -EEXIST: it has one;
 * -ENOENT: no juggle(1) listens; -EACCES, -ENOSPC, -ENOMEM.
 */
JUGGLE_API int juggle_thread_create(struct juggle *juggle, pid_t tid,
                                    struct juggle_thread **thread) JUGGLE_MUST_CHECK;

/* Before the balancer is destroyed. Accepts NULL. In a child that was forked it frees the child's
 * copy alone. */
JUGGLE_API void juggle_thread_destroy(struct juggle_thread *thread);

/* So many units have been done since the last call. Costs a few nanoseconds. */
JUGGLE_API void juggle_progress(struct juggle_thread *thread, int64_t units);

/* The thread waits for others from now on, or no more. By the thread itself; a wait within a wait
 * adds nothing, and the first end ends both. */
JUGGLE_API void juggle_wait_begin(struct juggle_thread *thread);
JUGGLE_API void juggle_wait_end(struct juggle_thread *thread);

/* ---- joining ---- */

/*
 * A process that joins is balanced together with all others of its user on this node that join the
 * same job, such as the ranks of an MPI program: by the node's juggled, else by a coordinator that
 * the first to join starts and that ends with the last.
 */
struct juggle_membership;

/*
 * Adds the calling process, with its descendants, to the job `name` (1 to 40 letters, digits or
 * any of . _ : -, the first no . or -); NULL: the launcher's, told by what it says in the
 * environment. `options` are those of the first to join; NULL: as the service chooses. On failure
 * `error`, unless NULL, says why in one line: -EINVAL (name or option), -ENOTSUP (nobody is there
 * to balance, or the library was built without jansson), -EBUSY (the process is in another job),
 * -EUSERS (too many jobs or processes), -EPERM, -ECANCELED (the job cannot be balanced, as with one
 * processor only), -ENOMEM, or what connecting failed with.
 */
JUGGLE_API int juggle_join(const char *name, const struct juggle_options *options,
                           struct juggle_membership **membership,
                           struct juggle_error *error) JUGGLE_MUST_CHECK;

/* Leaves the job; its threads have their affinity masks back then. The end of the process does so,
 * too. A process that has joined several times leaves with the last. Accepts NULL. */
JUGGLE_API void juggle_leave(struct juggle_membership *membership);

/* ---- how many threads ---- */

/* What juggle_nproc() counts; 0 for every processor that may be used. */
enum {
    JUGGLE_NPROC_CORES = 1, /* siblings on one core count once */
    JUGGLE_NPROC_FAST = 2   /* the fastest kind of processors alone */
};

/*
 * How many threads are of use to the caller now: the processors that its affinity mask and cpuset
 * leave it, without those that are offline or isolated, and no more than the quotas of its control
 * group and all above give, rounded down. At least 1. -EINVAL: `what` has other bits; -ENOMEM.
 */
JUGGLE_API int juggle_nproc(unsigned what) JUGGLE_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
