/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tool for LLVM's OpenMP, which loads it when OMP_TOOL_LIBRARIES names it. It does what the
 * balancer asks for on the page: it has threads sleep in their waits beside other programs, and it
 * reports threads that wait at barriers.
 *
 * A thread that waits at a barrier executes tasks there, and then it works. So each explicit task
 * is marked when it is made. A thread that turns to a marked task does not wait until it turns
 * back.
 */
#include "libjuggle/preload/blocktime.h"
#include "libjuggle/preload/next.h"
#include "libjuggle/preload/waiter.h"
#include "libjuggle/waiting/page.h"

#include <omp-tools.h>
#include <stdbool.h>
#include <stddef.h>

enum { TASK_EXPLICIT = 1 };

static __thread __attribute__((tls_model("initial-exec"))) bool at_barrier;

static void region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                        ompt_data_t *parallel, ompt_data_t *task, const void *caller)
{
    (void)kind;
    (void)parallel;
    (void)task;
    (void)caller;
    at_barrier = endpoint == ompt_scope_begin;
    if (at_barrier)
        waiter_wait_begin();
    else
        waiter_wait_end();
}

static void task_made(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                      int has_dependences, const void *caller)
{
    (void)creator;
    (void)frame;
    (void)has_dependences;
    (void)caller;
    if (flags & ompt_task_explicit)
        task->value = TASK_EXPLICIT;
}

static void task_turned_to(ompt_data_t *before, ompt_task_status_t status, ompt_data_t *next)
{
    (void)before;
    (void)status;
    if (!at_barrier)
        return;
    waiter_wait_end();
    if (!next || next->value != TASK_EXPLICIT)
        waiter_wait_begin();
}

static void region_begins(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
                          unsigned threads_count, int flags, const void *caller)
{
    (void)task;
    (void)frame;
    (void)parallel;
    (void)flags;
    (void)caller;
    blocktime_region(threads_count);
}

/* True for barriers within a region, with those that the library adds, and those of its entries for
 * GNU's OpenMP. The barrier at the end of a region has a kind of its own in newer versions, and
 * needs nothing. */
static bool is_barrier_within(ompt_sync_region_t kind)
{
    return kind == ompt_sync_region_barrier_explicit || kind == ompt_sync_region_barrier_implicit ||
           kind == ompt_sync_region_barrier_implicit_workshare ||
           kind == ompt_sync_region_barrier_implementation;
}

static void region_synchronizes(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                                ompt_data_t *parallel, ompt_data_t *task, const void *caller)
{
    (void)parallel;
    (void)task;
    (void)caller;
    if (endpoint == ompt_scope_begin && is_barrier_within(kind))
        blocktime_barrier();
}

static bool block_time_is_changed(ompt_set_callback_t set)
{
    return blocktime_begin() &&
           set(ompt_callback_sync_region, (ompt_callback_t)region_synchronizes) ==
               ompt_set_always &&
           set(ompt_callback_parallel_begin, (ompt_callback_t)region_begins) == ompt_set_always;
}

static bool barriers_are_reported(ompt_set_callback_t set)
{
    return set(ompt_callback_task_create, (ompt_callback_t)task_made) == ompt_set_always &&
           set(ompt_callback_task_schedule, (ompt_callback_t)task_turned_to) == ompt_set_always &&
           set(ompt_callback_sync_region_wait, (ompt_callback_t)region_wait) == ompt_set_always;
}

/* Leaves out what this version of the library does not offer. Returns 0, which unloads the tool, if
 * that is all. */
static int tool_begin(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    const struct page *page = waiter_page();

    (void)device;
    (void)data;
    if (!set)
        return 0;
    const bool sleeps = page_asks(page, PAGE_ASKS_PATIENCE) && block_time_is_changed(set);
    return (page_asks(page, PAGE_ASKS_BARRIERS) && barriers_are_reported(set)) || sleeps;
}

static void tool_end(ompt_data_t *data)
{
    (void)data;
}

/* Programs with ThreadSanitizer need the tool that comes with it, which is looked for last. */
extern void __tsan_init(void) __attribute__((weak));

/* The library looks for it by this name. */
EXPORT ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version);

ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version)
{
    static ompt_start_tool_result_t result = {tool_begin, tool_end, {0}};

    (void)omp_version;
    (void)runtime_version;
    return waiter_page() && !__tsan_init ? &result : NULL;
}
