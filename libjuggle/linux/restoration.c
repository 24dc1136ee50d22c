/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - the threads that the table names
 * - threads that were born with a pin
 * - looks: walks over the processes until nothing is owed any more */
#include "libjuggle/linux/restoration.h"

#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/descent.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

enum {
    QUIET_WALKS = 8,  /* in a row, at intervals that double */
    FAILED_WALKS = 8, /* after which a mask that cannot be set counts no more */
    WALKS_MAX = 500,  /* after which a program that still creates pinned threads is left alone */
};

#define WALK_INTERVAL_NS NSEC_PER_MSEC
/* A program is also left alone if walks over its processes took longer than this in all. */
#define WALKING_MAX_NS (5 * NSEC_PER_SEC)

/* The restoration of one table. */
struct part {
    int proc_fd;
    struct mask_table *table;
    struct descent *descent; /* NULL: no process that is owed anything lives, or no memory */
    /* By row of threads: to be tried again. NULL (no memory): all are. */
    bool *failed;
    const struct mask_debt *any; /* the debt of a process that lives */
    /* The debt that was given back last. `whole` is the mask that the kernel made of it. */
    const struct mask_debt *opened;
    struct cpu_mask whole;
    int opened_count; /* in the walk under way */
    bool unseen;      /* the last walk failed */
    int failed_count; /* named threads whose mask could not be set by the last try */
    pid_t stuck;      /* one of them */
};

struct restoration {
    int parts_count;
    int at; /* the part that is walked over */
    int quiet_walks, quiet_count, walks_count;
    int64_t next_ns;
    int64_t walking_ns; /* in all */
    int restored_count;
    struct part parts[];
};

/* ---- the threads that the table names ---- */

/* True if the thread has its mask, or is gone. */
static bool debt_restore(struct part *part, const struct mask_debt *debt, int *restored_count)
{
    int error = procfs_thread_check(part->proc_fd, &debt->id);

    if (!error)
        error = affinity_give(debt->id.tid, &debt->original);
    if (error && error != -ESRCH) {
        part->failed_count++;
        part->stuck = debt->id.tid;
    }
    *restored_count += !error;
    return !error || error == -ESRCH;
}

/* Restores the threads that the table names; later only those that failed before, if that is
 * known. */
static void debts_restore(struct part *part, int *restored_count)
{
    const struct mask_table *table = part->table;
    const int limit = mask_table_limit(table, MASK_ROWS_THREADS);
    const bool again = part->failed_count;

    part->failed_count = 0;
    for (int row = 0; row < limit; row++) {
        const struct mask_debt *debt = mask_table_debt(table, MASK_ROWS_THREADS, row);
        if (!mask_table_owes(table, MASK_ROWS_THREADS, row) ||
            (again && part->failed && !part->failed[row]))
            continue;
        const bool failed = !debt_restore(part, debt, restored_count);
        if (part->failed)
            part->failed[row] = failed;
    }
}

/* A later reader of the table must not undo masks that the program sets from now on. */
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

/* True if the mask is that of a pin: one processor of the machine, or one of its domains. */
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

/* Returns the row of the thread's process, else of its nearest ancestor that has a row; -1 if none
 * has. */
static int forebear_row(const struct part *part, const struct thread_info *info)
{
    int row = process_row(part->table, info->id.pid);
    pid_t pid = info->parent;
    struct thread_stat stat;

    while (row < 0 && pid > 0) {
        row = process_row(part->table, pid);
        pid = procfs_stat_read(part->proc_fd, pid, pid, &stat) ? 0 : stat.parent;
    }
    return row;
}

/* Returns the debt to a thread that was born with a pin; NULL if its creator was not pinned by
 * then. An orphan without a process of the table among its ancestors may descend from any of them,
 * and is owed the mask of one that lives. */
static const struct mask_debt *owed_to(const struct part *part, const struct thread_info *info)
{
    const struct mask_table *table = part->table;
    const int row = forebear_row(part, info);

    if (row < 0)
        return part->any;
    const uint64_t since_ticks = mask_table_pinned_since(table, MASK_ROWS_PROCESSES, row);
    return since_ticks && since_ticks <= info->id.start_ticks
               ? mask_table_debt(table, MASK_ROWS_PROCESSES, row)
               : NULL;
}

/* Gives the mask back. If that fails, the thread is gone, or we may not set its mask: the next walk
 * tries again. */
static void mask_open(struct part *part, pid_t tid, const struct cpu_mask *mask,
                      const struct mask_debt *debt)
{
    struct cpu_mask whole;

    if (affinity_give(tid, &debt->original) || affinity_get(tid, &whole))
        return;
    part->opened_count += !cpu_mask_equal(mask, &whole);
    part->opened = debt;
    part->whole = whole;
}

static void thread_met(void *context, const struct thread_info *info)
{
    struct part *part = context;
    const struct mask_table *table = part->table;
    const struct mask_debt *debt;
    struct cpu_mask mask;

    /* The cheap questions first: most threads have no pin. */
    if (affinity_get(info->id.tid, &mask) || !is_set(table, &mask))
        return;
    debt = owed_to(part, info);
    if (!debt || (debt == part->opened && cpu_mask_equal(&mask, &part->whole)))
        return;
    if (!is_named(table, MASK_ROWS_THREADS, &info->id) &&
        !is_named(table, MASK_ROWS_LET_GO, &info->id))
        mask_open(part, info->id.tid, &mask, debt);
}

/* ---- looks ---- */

/* Collects the processes that had a pinned thread and live still; returns how many. */
static int pids_collect(struct part *part, pid_t *pids)
{
    const struct mask_table *table = part->table;
    int count = 0;

    for (int row = 0; row < mask_table_limit(table, MASK_ROWS_PROCESSES); row++) {
        const struct mask_debt *debt = mask_table_debt(table, MASK_ROWS_PROCESSES, row);
        if (!debt || !mask_table_pinned_since(table, MASK_ROWS_PROCESSES, row) ||
            !procfs_thread_alive(part->proc_fd, &debt->id))
            continue;
        part->any = debt;
        pids[count++] = debt->id.pid;
    }
    return count;
}

/* Prepares the search for other threads. Without memory only the threads that the table names are
 * restored. */
static void part_begin(struct part *part)
{
    const int limit = mask_table_limit(part->table, MASK_ROWS_PROCESSES);
    struct descent_options options = {
        .proc_fd = part->proc_fd,
        .roots_included = true,
        .processes_max = mask_table_room(part->table, MASK_ROWS_PROCESSES),
    };
    pid_t *pids = calloc((size_t)limit + 1, sizeof(pid_t));

    if (!pids)
        return;
    options.roots = pids;
    options.roots_count = pids_collect(part, pids);
    if (options.roots_count && descent_create(&options, &part->descent))
        part->descent = NULL;
    free(pids);
}

/* Walks over the processes of one table, in pieces: false if the walk has not ended yet. */
static bool part_walk(struct part *part, int64_t until_ns)
{
    const struct descent_visitor visitor = {thread_met, part};
    const int error = part->descent ? descent_walk_until(part->descent, &visitor, until_ns) : 0;

    part->unseen = error;
    return error != -EAGAIN;
}

/* As part_walk, over the processes of all tables. */
static bool walk(struct restoration *restoration, int64_t until_ns)
{
    for (; restoration->at < restoration->parts_count; restoration->at++)
        if (!part_walk(&restoration->parts[restoration->at], until_ns))
            return false;
    restoration->at = 0;
    return true;
}

/* Called after a walk: true if it saw all threads and found none pinned. Tries again to set masks
 * that could not be set. */
static bool walk_was_quiet(struct restoration *restoration)
{
    bool quiet = true;

    for (int i = 0; i < restoration->parts_count; i++) {
        struct part *part = &restoration->parts[i];
        quiet = quiet && !part->unseen && !part->opened_count &&
                (!part->failed_count || restoration->walks_count >= FAILED_WALKS);
        part->opened_count = 0;
        if (part->failed_count)
            debts_restore(part, &restoration->restored_count);
    }
    return quiet;
}

/* True if no walk is needed: there are no processes to walk over, and no mask is to be tried
 * again. */
static bool is_needless(const struct restoration *restoration)
{
    for (int i = 0; i < restoration->parts_count; i++)
        if (restoration->parts[i].descent || restoration->parts[i].failed_count)
            return false;
    return true;
}

int restoration_begin(int proc_fd, struct mask_table *const *tables, int tables_count,
                      int quiet_walks, struct restoration **result)
{
    const size_t size = (size_t)tables_count * sizeof(struct part);
    struct restoration *restoration = calloc(1, sizeof(*restoration) + size);

    if (!restoration)
        return -ENOMEM;
    restoration->parts_count = tables_count;
    restoration->quiet_walks = quiet_walks;
    for (int i = 0; i < tables_count; i++) {
        struct part *part = &restoration->parts[i];
        *part = (struct part){.proc_fd = proc_fd, .table = tables[i]};
        part->failed = calloc((size_t)mask_table_limit(part->table, MASK_ROWS_THREADS) + 1,
                              sizeof(*part->failed));
        debts_restore(part, &restoration->restored_count);
        part_begin(part);
    }
    if (is_needless(restoration))
        restoration->quiet_count = quiet_walks;
    *result = restoration;
    return 0;
}

bool restoration_has_ended(const struct restoration *restoration)
{
    return restoration->quiet_count >= restoration->quiet_walks ||
           restoration->walks_count >= WALKS_MAX;
}

void restoration_hurry(struct restoration *restoration)
{
    restoration->walks_count = (int)max_i64(restoration->walks_count, WALKS_MAX - 1);
}

/* True if walks took so long that a thread which is still found with a pin is taken to be pinned
 * for good. */
static bool is_vain(const struct restoration *restoration)
{
    return restoration->walks_count >= QUIET_WALKS && restoration->walking_ns >= WALKING_MAX_NS;
}

void restoration_go_on(struct restoration *restoration, int64_t until_ns)
{
    while (!restoration_has_ended(restoration) && clock_now_ns() >= restoration->next_ns) {
        const int64_t began_ns = clock_now_ns();
        const bool whole = walk(restoration, until_ns);
        restoration->walking_ns += clock_now_ns() - began_ns;
        if (!whole)
            return;
        restoration->walks_count++;
        restoration->next_ns = clock_now_ns() + (WALK_INTERVAL_NS << restoration->quiet_count);
        if (walk_was_quiet(restoration))
            restoration->quiet_count++;
        else
            restoration->quiet_count = 0;
        if (!restoration->quiet_count && is_vain(restoration))
            restoration->walks_count = WALKS_MAX;
    }
}

int64_t restoration_next_ns(const struct restoration *restoration)
{
    return restoration->next_ns;
}

pid_t restoration_stuck(const struct restoration *restoration)
{
    for (int i = 0; i < restoration->parts_count; i++)
        if (restoration->parts[i].failed_count)
            return restoration->parts[i].stuck;
    return 0;
}

int restoration_end(struct restoration *restoration)
{
    const int restored_count = restoration->restored_count;

    for (int i = 0; i < restoration->parts_count; i++) {
        debts_forget(restoration->parts[i].table);
        descent_destroy(restoration->parts[i].descent);
        free(restoration->parts[i].failed);
    }
    free(restoration);
    return restored_count;
}

void restoration_await(struct restoration *restoration, int64_t until_ns)
{
    while (restoration_go_on(restoration, until_ns),
           !restoration_has_ended(restoration) && clock_now_ns() < until_ns) {
        const int64_t wait_ns = max_i64(0, restoration->next_ns - clock_now_ns());
        const struct timespec interval = {wait_ns / NSEC_PER_SEC, wait_ns % NSEC_PER_SEC};
        nanosleep(&interval, NULL);
    }
}

/* Restores only the threads that the tables name, if there is no memory for more. */
static int named_restore(int proc_fd, struct mask_table *const *tables, int tables_count)
{
    int restored_count = 0;

    for (int i = 0; i < tables_count; i++) {
        struct part part = {.proc_fd = proc_fd, .table = tables[i]};
        debts_restore(&part, &restored_count);
        debts_forget(tables[i]);
    }
    return restored_count;
}

int restoration_run(int proc_fd, struct mask_table *const *tables, int tables_count)
{
    struct restoration *restoration;

    if (restoration_begin(proc_fd, tables, tables_count, QUIET_WALKS, &restoration))
        return named_restore(proc_fd, tables, tables_count);
    restoration_await(restoration, INT64_MAX);
    return restoration_end(restoration);
}
