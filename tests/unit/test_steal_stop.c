/* SPDX-License-Identifier: BSD-3-Clause */
/* Stopping before all tasks are done, and continuing in the same run. */
#include "tests/lib/checkpointed.h"
#include "tests/lib/suite.h"

#include "libjuggle/steal/runtime/image.h"
#include "tools/steal-sim/network.h"

#include <errno.h>
#include <unistd.h>

START_TEST(what_is_stopped_goes_on)
{
    for (int mode = 0; mode < 2; mode++)
        for (int stop_at = 1; stop_at < 2 * CHECKPOINTED_TASKS; stop_at += 7) {
            int stops = 0, result;

            checkpointed_begin_anew((struct steal_properties){.batch = 1 + (size_t)stop_at % 3},
                                    mode ? &lone_threads : NULL, checkpointed_note);
            checkpointed_seed();
            checkpointed.stop_at = stop_at;
            while ((result = steal_process(lone.collection)) == STEAL_STOPPED) {
                ck_assert_int_ge(checkpointed.executed, checkpointed.stop_at);
                checkpointed.stop_at += 9;
                stops++;
            }
            ck_assert_int_eq(result, 0);
            /* Threads may have taken all tasks before the thread that stops them has said so. */
            ck_assert_int_ge(stops, mode ? 0 : 1);
            ck_assert_int_eq(checkpointed.executed, 2 * CHECKPOINTED_TASKS);
            checkpointed_expect_all_once(2 * CHECKPOINTED_TASKS);
            ck_assert_int_eq(lone_statistics().tasks_executed, 2 * CHECKPOINTED_TASKS);
            lone_close();
        }
}

START_TEST(a_deadline_stops_before_the_first_task)
{
    checkpointed_begin_anew((struct steal_properties){0}, NULL, checkpointed_note);
    checkpointed_seed();
    ck_assert_int_eq(steal_process_for(lone.collection, 0), STEAL_STOPPED);
    ck_assert_int_eq(checkpointed.executed, 0);
    ck_assert_int_eq(steal_process_for(lone.collection, -1), -EINVAL);
    lone_expect_message("a time must not be negative: -1");
    ck_assert_int_eq(steal_process_for(NULL, 0), -EINVAL);
    ck_assert_int_eq(steal_process_for(lone.collection, INT64_MAX), 0);
    checkpointed_expect_all_once(2 * CHECKPOINTED_TASKS);
    lone_close();
}

START_TEST(a_stop_between_processes_stops_the_next_one)
{
    checkpointed_begin_anew((struct steal_properties){0}, NULL, checkpointed_note);
    checkpointed_seed();
    ck_assert_int_eq(steal_stop(lone.collection), 0);
    ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
    ck_assert_int_eq(checkpointed.executed, 0);
    /* After the last task there is nothing left to stop. */
    checkpointed.stop_at = 2 * CHECKPOINTED_TASKS;
    ck_assert_int_eq(steal_process(lone.collection), 0);
    lone_add(3);
    ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(steal_stop(NULL), -EINVAL);
    ck_assert_int_eq(steal_checkpoint_now(lone.collection), -EINVAL);
    lone_close();
}

START_TEST(until_it_is_done_nothing_is_restored_or_balanced)
{
    checkpointed_begin_anew(
        (struct steal_properties){.retain = STEAL_RETENTION_SEEDED, .key = lone_key}, NULL,
        checkpointed_note);
    checkpointed_seed();
    checkpointed.stop_at = 5;
    ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
    ck_assert_int_eq(steal_restore(lone.collection), -EBUSY);
    lone_expect_message(
        "of 'play' was stopped before all was done: call steal_process() to finish it first");
    ck_assert_int_eq(steal_rebalance(lone.collection, NULL), -EBUSY);
    ck_assert_int_eq(steal_ledger_save(lone.collection, "/tmp/x"), -EBUSY);
    ck_assert_int_eq(steal_ledger_load(lone.collection, "/tmp/x"), -EBUSY);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(steal_restore(lone.collection), 0);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    for (int task = 0; task < 2 * CHECKPOINTED_TASKS; task++)
        ck_assert_int_eq(checkpointed.visits[task], 2);
    lone_close();
}

static void cancel(struct steal_worker *worker, void *local, const void *tasks, size_t number)
{
    (void)local, (void)number;
    checkpointed_count(worker, *(const uint64_t *)tasks);
    ck_assert_int_eq(steal_stop(lone.collection), 0);
    usleep(1000); /* other threads only see the stop, and leave */
    ck_assert_int_eq(steal_cancel(lone.collection), 0);
}

START_TEST(canceling_drops_what_a_stop_would_keep)
{
    for (int mode = 0; mode < 2; mode++) {
        checkpointed_begin_anew((struct steal_properties){.levels = 2}, mode ? &lone_threads : NULL,
                                cancel);
        checkpointed_seed();
        ck_assert_int_eq(steal_process(lone.collection), -ECANCELED);
        ck_assert(!image_has_tasks(lone.collection));
        lone_close();
    }
}

START_TEST(a_stop_that_a_cancellation_overtakes_is_for_the_next_process)
{
    for (int mode = 0; mode < 2; mode++) {
        checkpointed_begin_anew((struct steal_properties){.levels = 2}, mode ? &lone_threads : NULL,
                                cancel);
        checkpointed_seed();
        ck_assert_int_eq(steal_process(lone.collection), -ECANCELED);
        ck_assert_int_eq(steal_process(lone.collection), 0); /* nothing is left to stop */
        checkpointed_seed();
        ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
        ck_assert(image_has_tasks(lone.collection));
        lone_close();
    }
}

/* Each task takes 1000 ns, and the one that is executed first stops. */
static void take_time(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local;
    network_compute(lone.network, 0, 1000 * (int64_t)count);
    if (*(const uint64_t *)tasks == CHECKPOINTED_TASKS - 1)
        ck_assert_int_eq(steal_stop(lone.collection), 0);
}

START_TEST(what_went_on_is_reported_as_one)
{
    const struct steal_options asked = {.size = sizeof(struct steal_options), .report = 1};
    struct steal_report report = {.size = sizeof(struct steal_report)};

    checkpointed_begin_anew((struct steal_properties){.poll_tasks = 1}, &asked, take_time);
    checkpointed_seed();
    ck_assert_int_eq(steal_process(lone.collection), STEAL_STOPPED);
    network_compute(lone.network, 0, NSEC_PER_SEC); /* time outside of the collection */
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(lone_statistics().elapsed_ns, 1000 * CHECKPOINTED_TASKS);
    ck_assert_int_eq(lone.runtime->account[0].elapsed_ns, 1000 * CHECKPOINTED_TASKS);
    ck_assert_int_eq(lone.runtime->account[0].working_ns, 1000 * CHECKPOINTED_TASKS);
    /* But the report of the course of events covers the latest part only. */
    ck_assert_int_eq(steal_report(lone.collection, &report), 0);
    ck_assert_int_eq(report.elapsed_ns, 1000 * (CHECKPOINTED_TASKS - 1));
    ck_assert_double_ge(report.occupancy[STEAL_REPORT_PARTS / 2], 0.9);
    lone_close();
}

/* ---- a stop from outside, as by a signal ---- */

static struct {
    const struct transport_ops *ops;
    struct transport_ops with_stop;
    int reads_left;
} watch;

static int64_t stop_at_a_read(struct transport *transport)
{
    if (--watch.reads_left == 0)
        ck_assert_int_eq(steal_stop(lone.collection), 0);
    return watch.ops->now_ns(transport);
}

/* A deadline that is far away makes the runtime read the clock once a turn, between the check
 * for a stop and the work. */
START_TEST(a_stop_at_any_moment_loses_nothing)
{
    for (int reads = 1; reads < 3 * CHECKPOINTED_TASKS; reads++) {
        int result;

        checkpointed_begin_anew((struct steal_properties){.batch = 1, .poll_tasks = 1}, NULL,
                                checkpointed_note);
        checkpointed_seed();
        watch.ops = lone.runtime->transport->ops;
        watch.with_stop = *watch.ops;
        watch.with_stop.now_ns = stop_at_a_read;
        watch.reads_left = reads;
        lone.runtime->transport->ops = &watch.with_stop;
        while ((result = steal_process_for(lone.collection, NSEC_PER_SEC * 3600)) == STEAL_STOPPED)
            continue;
        ck_assert_msg(result == 0, "stopped at read %d: %d", reads, result);
        checkpointed_expect_all_once(2 * CHECKPOINTED_TASKS);
        lone_close();
    }
}

SUITE("steal stop")
