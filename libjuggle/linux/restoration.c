/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/restoration.h"

#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/descent.h"
#include "libjuggle/linux/procfs.h"

#include <stdlib.h>
#include <time.h>

enum {
    QUIET_WALKS = 8, /* in a row, each twice as long after the last */
    WALKS_MAX = 500, /* a program that is born pinned again and again is left then */
};

#define WALK_INTERVAL_NS NSEC_PER_MSEC

/* Of one table. */
struct restoration {
    int proc_fd;
    struct mask_table *table;
    struct descent *descent;        /* NULL: no process that is owed anything lives */
    const struct mask_debt *any;    /* of the processes that live */
    const struct mask_debt *opened; /* what was given back last, and the mask that this became */
    struct cpu_mask whole;
    int opened_count; /* in the walk under way */
};

/* ---- the threads that the table names ---- */

static int debts_restore(const struct restoration *restoration)
{
    const struct mask_table *table = restoration->table;
    int restored = 0;

    for (int row = 0; row < mask_table_limit(table, MASK_ROWS_THREADS); row++) {
        const struct mask_debt *debt = mask_table_debt(table, MASK_ROWS_THREADS, row);
        if (debt && procfs_thread_alive(restoration->proc_fd, &debt->id))
            restored += affinity_set(debt->id.tid, &debt->original) == 0;
    }
    return restored;
}

/* Whoever reads the table later must not undo what the program does from now on. */
static void debts_forget(struct mask_table *table)
{
    for (int kind = 0; kind < MASK_ROWS_KINDS; kind++)
        for (int row = 0; row < mask_table_limit(table, (enum mask_rows)kind); row++)
            mask_table_forget(table, (enum mask_rows)kind, row);
}

/* ---- threads that were born with a pin ---- */

static bool is_named(const struct mask_table *table, enum mask_rows kind,
                     const struct thread_id *id)
{
    for (int row = 0; row < mask_table_limit(table, kind); row++) {
        const struct mask_debt *debt = mask_table_debt(table, kind, row);
        if (debt && thread_id_equal(&debt->id, id))
            return true;
    }
    return false;
}

/* One processor of the machine, or one of its domains. */
static bool is_set(const struct mask_table *table, const struct cpu_mask *mask)
{
    const struct mask_debt *machine = mask_table_debt(table, MASK_ROWS_SET, 0);

    if (machine && cpu_mask_count(mask) == 1)
        return cpu_mask_subset(mask, &machine->original);
    for (int row = 1; row < mask_table_limit(table, MASK_ROWS_SET); row++) {
        const struct mask_debt *domain = mask_table_debt(table, MASK_ROWS_SET, row);
        if (domain && cpu_mask_equal(mask, &domain->original))
            return true;
    }
    return false;
}

static int process_row(const struct mask_table *table, pid_t pid)
{
    for (int row = 0; row < mask_table_limit(table, MASK_ROWS_PROCESSES); row++) {
        const struct mask_debt *debt = mask_table_debt(table, MASK_ROWS_PROCESSES, row);
        if (debt && debt->id.pid == pid)
            return row;
    }
    return -1;
}

/* The nearest of its process and those that this descends from, or -1. */
static int forebear_row(const struct restoration *restoration, const struct thread_info *info)
{
    int row = process_row(restoration->table, info->id.pid);
    pid_t pid = info->parent;
    struct thread_stat stat;

    while (row < 0 && pid > 1) {
        row = process_row(restoration->table, pid);
        pid = procfs_stat_read(restoration->proc_fd, pid, pid, &stat) ? 0 : stat.parent;
    }
    return row;
}

/* What the thread was born without, or NULL: it has its mask from nobody who was pinned. An orphan
 * that descended from a process of the table is owed what any of them is. */
static const struct mask_debt *owed_to(const struct restoration *restoration,
                                       const struct thread_info *info)
{
    const struct mask_table *table = restoration->table;
    const int row = forebear_row(restoration, info);

    if (row < 0)
        return restoration->any;
    const uint64_t since_ticks = mask_table_since(table, MASK_ROWS_PROCESSES, row);
    return since_ticks && since_ticks <= info->id.start_ticks
               ? mask_table_debt(table, MASK_ROWS_PROCESSES, row)
               : NULL;
}

/* A failure means that the thread is gone, or beyond our rights: nothing is left to do for it. */
static void mask_open(struct restoration *restoration, pid_t tid, const struct cpu_mask *mask,
                      const struct mask_debt *debt)
{
    struct cpu_mask whole;

    if (affinity_set(tid, &debt->original) || affinity_get(tid, &whole))
        return;
    restoration->opened_count += !cpu_mask_equal(mask, &whole);
    restoration->opened = debt;
    restoration->whole = whole;
}

static void thread_met(void *context, const struct thread_info *info)
{
    struct restoration *restoration = context;
    const struct mask_table *table = restoration->table;
    const struct mask_debt *debt;
    struct cpu_mask mask;

    /* The cheap questions first: most threads are free. */
    if (affinity_get(info->id.tid, &mask) || !is_set(table, &mask))
        return;
    debt = owed_to(restoration, info);
    if (!debt || (debt == restoration->opened && cpu_mask_equal(&mask, &restoration->whole)))
        return;
    if (!is_named(table, MASK_ROWS_THREADS, &info->id) &&
        !is_named(table, MASK_ROWS_LET_GO, &info->id))
        mask_open(restoration, info->id.tid, &mask, debt);
}

/* ---- looks ---- */

/* The processes that were pinned and live still. */
static int pids_collect(struct restoration *restoration, pid_t *pids)
{
    const struct mask_table *table = restoration->table;
    int count = 0;

    for (int row = 0; row < mask_table_limit(table, MASK_ROWS_PROCESSES); row++) {
        const struct mask_debt *debt = mask_table_debt(table, MASK_ROWS_PROCESSES, row);
        if (!debt || !mask_table_since(table, MASK_ROWS_PROCESSES, row) ||
            !procfs_thread_alive(restoration->proc_fd, &debt->id))
            continue;
        restoration->any = debt;
        pids[count++] = debt->id.pid;
    }
    return count;
}

/* Without memory only those are restored that the table names. */
static void restoration_begin(struct restoration *restoration)
{
    const int limit = mask_table_limit(restoration->table, MASK_ROWS_PROCESSES);
    struct descent_options options = {
        .proc_fd = restoration->proc_fd,
        .roots_included = true,
        .processes_max = mask_table_room(restoration->table, MASK_ROWS_PROCESSES),
    };
    pid_t *pids = calloc((size_t)limit + 1, sizeof(pid_t));

    if (!pids)
        return;
    options.roots = pids;
    options.roots_count = pids_collect(restoration, pids);
    if (options.roots_count && descent_create(&options, &restoration->descent))
        restoration->descent = NULL;
    free(pids);
}

/* True if nobody was found pinned. What it did not reach stays as it is. */
static bool walk_is_quiet(struct restoration *restorations, int count)
{
    bool quiet = true;

    for (int i = 0; i < count; i++) {
        const struct descent_visitor visitor = {thread_met, &restorations[i]};
        restorations[i].opened_count = 0;
        if (restorations[i].descent)
            (void)!descent_walk(restorations[i].descent, &visitor);
        quiet = quiet && restorations[i].opened_count == 0;
    }
    return quiet;
}

static bool are_walked(const struct restoration *restorations, int count)
{
    for (int i = 0; i < count; i++)
        if (restorations[i].descent)
            return true;
    return false;
}

static void newborns_restore(struct restoration *restorations, int count)
{
    int quiet_count = 0;

    for (int walk = 0; walk < WALKS_MAX && quiet_count < QUIET_WALKS; walk++) {
        const struct timespec interval = {.tv_nsec = WALK_INTERVAL_NS << quiet_count};
        if (walk_is_quiet(restorations, count))
            quiet_count++;
        else
            quiet_count = 0;
        nanosleep(&interval, NULL);
    }
}

int restoration_run(int proc_fd, struct mask_table *const *tables, int tables_count)
{
    struct restoration *restorations = calloc((size_t)tables_count + 1, sizeof(*restorations));
    int restored = 0;

    for (int i = 0; i < tables_count; i++) {
        const struct restoration alone = {.proc_fd = proc_fd, .table = tables[i]};
        restored += debts_restore(&alone);
        if (!restorations)
            continue;
        restorations[i] = alone;
        restoration_begin(&restorations[i]);
    }
    if (restorations && are_walked(restorations, tables_count))
        newborns_restore(restorations, tables_count);
    for (int i = 0; i < tables_count; i++) {
        debts_forget(tables[i]);
        if (restorations)
            descent_destroy(restorations[i].descent);
    }
    free(restorations);
    return restored;
}
