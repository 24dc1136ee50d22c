/* SPDX-License-Identifier: BSD-3-Clause */
/* Interleaving. Threads report on the page; libjuggle/waiting/page.c says how it is read while it
 * is written. Units are a relaxed sum: a report that is seen a period late is counted a period
 * late. A thread's history belongs to the one balancer that samples the thread. The two sums that
 * make the price of a unit are shared by all balancers, and only ever added to. */
#include "libjuggle/job/intrinsic.h"

#include "libjuggle/ground/fault.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* No thread can have done more units than this since its last sample: a higher report is cut off,
 * so that sums do not overflow. */
#define UNITS_MAX (INT64_C(1) << 40)

/* What was last seen of a thread. */
struct unit_history {
    struct thread_id id;
    struct place place; /* on the page */
    bool reports;
    int64_t now_ns;
    int64_t run_ns;
    int64_t units;
    int64_t work_ns; /* the work that its units stand for, by their mean price */
    int64_t told_wait_ns;
};

struct intrinsic {
    struct fault fault;
    int threads_max;
    struct ports inner;
    struct intrinsic_threads threads;
    struct page *page;
    /* Run time and units of all threads that report: their quotient is the price of a unit. */
    _Atomic int64_t run_ns, units;
    struct unit_history histories[]; /* by thread */
};

int intrinsic_create(int threads_max, const struct intrinsic_threads *threads, struct page *page,
                     struct intrinsic **result)
{
    struct intrinsic *intrinsic = calloc(1, sizeof(*intrinsic) +
                                                (size_t)threads_max * sizeof(struct unit_history));

    if (!intrinsic)
        return -ENOMEM;
    intrinsic->threads_max = threads_max;
    intrinsic->threads = *threads;
    intrinsic->page = page;
    *result = intrinsic;
    return 0;
}

void intrinsic_destroy(struct intrinsic *intrinsic)
{
    free(intrinsic);
}

const char *intrinsic_fault(const struct intrinsic *intrinsic)
{
    return fault_text(&intrinsic->fault);
}

/* ---- units ---- */

static double unit_price_ns(struct intrinsic *intrinsic, int64_t run_ns, int64_t units)
{
    const int64_t all_run_ns = atomic_fetch_add(&intrinsic->run_ns, run_ns) + run_ns;
    const int64_t all_units = atomic_fetch_add(&intrinsic->units, units) + units;

    return all_units > 0 ? (double)all_run_ns / (double)all_units : 0;
}

static int64_t reported_ns(struct intrinsic *intrinsic, int64_t units, int64_t run_ns)
{
    return (int64_t)((double)units * unit_price_ns(intrinsic, run_ns, units));
}

static void history_add_units(struct intrinsic *intrinsic, struct unit_history *history,
                              const struct seat_report *report, struct sample *sample)
{
    const int64_t run_ns = sample->run_ns - history->run_ns;
    const bool reports = history->reports && report->reports;
    int64_t units;
    const bool absurd = __builtin_sub_overflow(report->units, history->units, &units);

    units = !report->reports || absurd ? 0 : clamp_i64(units, 0, UNITS_MAX);
    if (reports)
        history->work_ns += reported_ns(intrinsic, units, run_ns);
    history->reports = report->reports;
    history->units = report->units;
    history->run_ns = sample->run_ns;
    sample->work_ns = report->reports ? history->work_ns : 0;
}

/* ---- waiting ---- */

/* A reported wait grows no faster than time goes by: more is cut off. */
static void history_add_wait(struct unit_history *history, const struct seat_report *report,
                             struct sample *sample)
{
    const int64_t latest_ns = history->told_wait_ns + sample->now_ns - history->now_ns;

    history->told_wait_ns = clamp_i64(report->wait_ns, history->told_wait_ns,
                                      max_i64(history->told_wait_ns, latest_ns));
    history->now_ns = sample->now_ns;
    sample->told_wait_ns = history->told_wait_ns;
    sample->told_since_ns = report->since_ns;
    sample->told_from_ns = report->from_ns;
    sample->told_until_ns = report->until_ns;
    if (report->waits && sample->state != SAMPLE_SLEEPING)
        sample->state = SAMPLE_WAITING;
}

/* ---- sampling ---- */

static void history_begin(struct unit_history *history, const struct thread_id *id,
                          const struct sample *sample)
{
    *history = (struct unit_history){
        .id = *id,
        .place = history->place,
        .now_ns = sample->now_ns,
        .run_ns = sample->run_ns,
        .work_ns = 1, /* 0 would mean that it does not report */
    };
}

static int intrinsic_sample(void *context, int index, struct sample *sample)
{
    struct intrinsic *intrinsic = context;
    struct thread_id id;
    struct seat_report report = {0};

    if (!HOLDS(&intrinsic->fault, index >= 0 && index < intrinsic->threads_max))
        return -ESRCH;
    struct unit_history *history = &intrinsic->histories[index];
    /* Sampling moves a thread home if the kernel has taken it elsewhere. */
    page_move_begin(intrinsic->page);
    int error = intrinsic->inner.sample(intrinsic->inner.world, index, sample);
    page_move_end(intrinsic->page);

    if (error || intrinsic->threads.id(intrinsic->threads.context, index, &id))
        return error;
    const bool known = thread_id_equal(&history->id, &id);
    if (page_find(intrinsic->page, id.tid, id.start_ticks, &history->place))
        page_read(intrinsic->page, &history->place, sample->now_ns, &report);
    else if (!known)
        return 0;
    if (!known)
        history_begin(history, &id, sample);
    history_add_units(intrinsic, history, &report, sample);
    history_add_wait(history, &report, sample);
    return 0;
}

static int intrinsic_place(void *context, int index, const struct move *move)
{
    struct intrinsic *intrinsic = context;

    page_move_begin(intrinsic->page);
    const int error = intrinsic->inner.place(intrinsic->inner.world, index, move);
    page_move_end(intrinsic->page);
    return error;
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
