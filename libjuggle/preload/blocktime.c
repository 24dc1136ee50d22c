/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each thread has a block time of its own, which it reads at each barrier; a team begins with the
 * block time of the thread that begins the region. As a rule one thread of a process begins all
 * regions. This owner counts regions and barriers, and decides for all threads. Teams within teams
 * are left alone.
 */
#include "libjuggle/preload/blocktime.h"

#include "libjuggle/linux/clock.h"
#include "libjuggle/preload/waiter.h"
#include "libjuggle/waiting/page.h"
#include "libjuggle/waiting/patience.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Spans several windows, because some may be full of time slices of other programs. */
#define SHORT_FOR_NS (300 * NSEC_PER_MSEC)

/* Functions of the runtime that has loaded this object. */
extern void kmp_set_blocktime(int milliseconds) __attribute__((weak));
extern int kmp_get_blocktime(void) __attribute__((weak));
extern int omp_get_level(void) __attribute__((weak));

static _Atomic bool sleeps;
static _Atomic int usual_ms; /* the block time of threads while they poll */

/* Used by the owner alone. */
static struct {
    struct patience patience;
    unsigned threads_count; /* of the owner's team */
    bool changed;           /* the block time that its teams begin with is not the usual one */
    int64_t slept_since_ns;
} process;

/* The calling thread's block time in this region has been changed. */
static __thread __attribute__((tls_model("initial-exec"))) bool changed;

/* The `changed` of the thread that owns `process`; NULL: none does yet. */
static bool *_Atomic owner;

static int64_t process_ran_ns(void)
{
    return clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static bool user_has_chosen(void)
{
    return getenv("KMP_BLOCKTIME") || getenv("KMP_LIBRARY") || getenv("OMP_WAIT_POLICY");
}

bool blocktime_begin(void)
{
    return kmp_set_blocktime && kmp_get_blocktime && omp_get_level && !user_has_chosen();
}

static bool is_owner(void)
{
    return atomic_load_explicit(&owner, memory_order_relaxed) == &changed;
}

static bool becomes_owner(void)
{
    bool *nobody = NULL;

    if (!atomic_compare_exchange_strong(&owner, &nobody, &changed))
        return false;
    patience_begin(&process.patience, page_processors(waiter_page()), clock_now_ns(),
                   process_ran_ns());
    return true;
}

static void window_end(int64_t now_ns)
{
    const bool slept = patience_sleeps(&process.patience);

    patience_step(&process.patience, now_ns, process_ran_ns());
    if (patience_regions_are_short(&process.patience))
        page_phases_short(waiter_page(), now_ns + SHORT_FOR_NS);
    if (slept)
        page_slept(waiter_page(), now_ns - process.slept_since_ns);
    process.slept_since_ns = now_ns;
    if (!slept && patience_sleeps(&process.patience))
        usual_ms = kmp_get_blocktime();
    atomic_store_explicit(&sleeps, patience_sleeps(&process.patience), memory_order_relaxed);
}

static void count(void)
{
    const int64_t now_ns = clock_now_ns();

    if (patience_region(&process.patience, (int)process.threads_count, now_ns))
        window_end(now_ns);
}

static void apply(bool *is_changed)
{
    const bool sleep = atomic_load_explicit(&sleeps, memory_order_relaxed);

    if (!sleep && !*is_changed)
        return;
    /* If the program has set a block time meanwhile, that is the usual one from now on. */
    if (*is_changed && kmp_get_blocktime() != 0)
        usual_ms = kmp_get_blocktime();
    kmp_set_blocktime(sleep ? 0 : usual_ms);
    *is_changed = sleep;
}

void blocktime_region(unsigned threads_count)
{
    if ((!is_owner() && !becomes_owner()) || omp_get_level() > 0)
        return;
    process.threads_count = threads_count;
    count();
    apply(&process.changed);
}

void blocktime_barrier(void)
{
    if (is_owner() && omp_get_level() == 1)
        count();
    apply(&changed);
}
