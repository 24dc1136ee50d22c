/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interleaving. Counters are opened and closed by any thread under `lock`; whoever samples looks a
 * thread's counter up without it. A counter's units are reset before its tid is published (release,
 * with the acquire of the look-up), so that a sampler never sees a new thread with an old one's
 * units. Units are a relaxed sum: a report that is seen a period late is counted a period late.
 * A slot's state belongs to the one balancer that samples the slot.
 */
#include "libjuggle/job/intrinsic.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { CACHE_LINE_SIZE = 64 };

/* Alone in its line: the thread adds to it while others sample theirs. */
struct counter {
    _Alignas(CACHE_LINE_SIZE) _Atomic pid_t tid; /* 0: free */
    _Atomic int64_t units;
};

/* What was last seen of the thread in a slot. */
struct account {
    pid_t tid;
    int counter; /* where its counter was found last */
    int64_t run_ns;
    int64_t units;
    int64_t progress_ns;
};

struct intrinsic {
    struct ports inner;
    struct intrinsic_threads threads;
    int threads_max;
    pthread_mutex_t lock;
    _Atomic bool used; /* a counter was ever opened: until then samples pass as they are */
    /* What all threads that report have used and done: the price of a unit. */
    _Atomic int64_t run_ns, units;
    struct account *accounts; /* by slot */
    struct counter *counters;
};

int intrinsic_create(int threads_max, const struct intrinsic_threads *threads,
                     struct intrinsic **result)
{
    const size_t count = (size_t)threads_max;
    struct intrinsic *intrinsic = calloc(1, sizeof(*intrinsic));

    if (!intrinsic)
        return -ENOMEM;
    pthread_mutex_init(&intrinsic->lock, NULL);
    intrinsic->threads = *threads;
    intrinsic->threads_max = threads_max;
    intrinsic->accounts = calloc(count, sizeof(*intrinsic->accounts));
    intrinsic->counters = aligned_alloc(CACHE_LINE_SIZE, count * sizeof(*intrinsic->counters));
    if (!intrinsic->accounts || !intrinsic->counters) {
        intrinsic_destroy(intrinsic);
        return -ENOMEM;
    }
    for (int i = 0; i < threads_max; i++)
        atomic_init(&intrinsic->counters[i].tid, 0);
    *result = intrinsic;
    return 0;
}

void intrinsic_destroy(struct intrinsic *intrinsic)
{
    if (!intrinsic)
        return;
    pthread_mutex_destroy(&intrinsic->lock);
    free(intrinsic->accounts);
    free(intrinsic->counters);
    free(intrinsic);
}

/* ---- counters ---- */

static bool counter_is(const struct intrinsic *intrinsic, int counter, pid_t tid)
{
    return atomic_load_explicit(&intrinsic->counters[counter].tid, memory_order_acquire) == tid;
}

/* -1 if there is none. */
static int counter_find(const struct intrinsic *intrinsic, pid_t tid)
{
    for (int i = 0; i < intrinsic->threads_max; i++)
        if (counter_is(intrinsic, i, tid))
            return i;
    return -1;
}

int intrinsic_open(struct intrinsic *intrinsic, pid_t tid, int *counter)
{
    int error = 0;

    pthread_mutex_lock(&intrinsic->lock);
    const int found = counter_find(intrinsic, 0);
    if (counter_find(intrinsic, tid) >= 0) {
        error = -EEXIST;
    } else if (found < 0) {
        error = -ENOSPC;
    } else {
        atomic_store_explicit(&intrinsic->counters[found].units, 0, memory_order_relaxed);
        atomic_store_explicit(&intrinsic->counters[found].tid, tid, memory_order_release);
        intrinsic->used = true;
        *counter = found;
    }
    pthread_mutex_unlock(&intrinsic->lock);
    return error;
}

void intrinsic_close(struct intrinsic *intrinsic, int counter)
{
    pthread_mutex_lock(&intrinsic->lock);
    atomic_store_explicit(&intrinsic->counters[counter].tid, 0, memory_order_release);
    pthread_mutex_unlock(&intrinsic->lock);
}

void intrinsic_add(struct intrinsic *intrinsic, int counter, int64_t units)
{
    atomic_fetch_add_explicit(&intrinsic->counters[counter].units, units, memory_order_relaxed);
}

/* ---- sampling ---- */

/* Progress goes on from the CPU time that was counted until the thread began to report. */
static void account_begin(struct account *account, pid_t tid, int counter, int64_t run_ns)
{
    *account = (struct account){
        .tid = tid,
        .counter = counter,
        .run_ns = run_ns,
        .progress_ns = run_ns,
    };
}

static double unit_price_ns(struct intrinsic *intrinsic, int64_t run_ns, int64_t units)
{
    const int64_t all_run_ns = atomic_fetch_add(&intrinsic->run_ns, run_ns) + run_ns;
    const int64_t all_units = atomic_fetch_add(&intrinsic->units, units) + units;

    return all_units > 0 ? (double)all_run_ns / (double)all_units : 0;
}

static int64_t reported_ns(struct intrinsic *intrinsic, struct account *account, int64_t run_ns)
{
    const int64_t units = atomic_load_explicit(&intrinsic->counters[account->counter].units,
                                               memory_order_relaxed);
    const int64_t more = units - account->units;

    account->units = units;
    return (int64_t)((double)more * unit_price_ns(intrinsic, run_ns, more));
}

/* A thread that reports no more goes on by its CPU time. */
static void account_sample(struct intrinsic *intrinsic, struct account *account,
                           struct sample *sample)
{
    const int64_t run_ns = sample->run_ns - account->run_ns;
    const bool reports = counter_is(intrinsic, account->counter, account->tid);

    account->run_ns = sample->run_ns;
    account->progress_ns += reports ? reported_ns(intrinsic, account, run_ns) : run_ns;
    if (sample->wait_ns >= 0)
        sample->wait_ns = max_i64(0, sample->wait_ns + sample->run_ns - account->progress_ns);
    sample->run_ns = account->progress_ns;
}

static int intrinsic_sample(void *context, int slot, struct sample *sample)
{
    struct intrinsic *intrinsic = context;
    struct account *account = &intrinsic->accounts[slot];
    int error = intrinsic->inner.sample(intrinsic->inner.world, slot, sample);

    if (error || !intrinsic->used)
        return error;
    const pid_t tid = intrinsic->threads.tid(intrinsic->threads.context, slot);
    if (account->tid != tid) {
        const int counter = counter_find(intrinsic, tid);
        if (counter < 0)
            return 0;
        account_begin(account, tid, counter, sample->run_ns);
    }
    account_sample(intrinsic, account, sample);
    return 0;
}

static int intrinsic_place(void *context, int slot, const struct move *move)
{
    struct intrinsic *intrinsic = context;

    return intrinsic->inner.place(intrinsic->inner.world, slot, move);
}

static int64_t intrinsic_now(void *context)
{
    struct intrinsic *intrinsic = context;

    return intrinsic->inner.now(intrinsic->inner.world);
}

void intrinsic_wrap(struct intrinsic *intrinsic, struct ports *ports)
{
    intrinsic->inner = *ports;
    *ports = (struct ports){
        .world = intrinsic,
        .now = intrinsic_now,
        .sample = intrinsic_sample,
        .place = intrinsic_place,
    };
}
