/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/debts.h"

#include "libjuggle/ground/fault.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <stdlib.h>

enum { ROW_NONE = -1, ROWS_SEEN_AT_ONCE = 4 };

struct debts {
    int proc_fd;
    struct mask_table *table;
    int let_go_next;  /* row of the next thread that is let go */
    int process_seen; /* row that is checked next for a process that has ended */
    /* By row of the table's processes; 0: none. Searched in place of the table, whose rows are many
     * times as large. */
    pid_t *pids;
    struct fault fault;
    int threads_max;
    int process_rows[]; /* by thread */
};

int debts_create(int proc_fd, struct mask_table *table, struct debts **debts)
{
    const size_t threads_max = (size_t)mask_table_room(table, MASK_ROWS_THREADS);
    struct debts *created = calloc(1, sizeof(*created) + threads_max * sizeof(int));

    if (!created)
        return -ENOMEM;
    created->pids = calloc((size_t)mask_table_room(table, MASK_ROWS_PROCESSES), sizeof(pid_t));
    if (!created->pids) {
        free(created);
        return -ENOMEM;
    }
    created->proc_fd = proc_fd;
    created->table = table;
    created->threads_max = (int)threads_max;
    *debts = created;
    return 0;
}

void debts_destroy(struct debts *debts)
{
    if (!debts)
        return;
    free(debts->pids);
    free(debts);
}

/* ---- what pins are of ---- */

static int masks_keep(struct debts *debts, int row, const struct cpu_mask *mask)
{
    const struct mask_debt debt = {.original = *mask};

    return mask_table_keep(debts->table, MASK_ROWS_SET, row, &debt);
}

static bool is_kept(const struct debts *debts, const struct cpu_mask *mask)
{
    for (int row = 1; row < mask_table_limit(debts->table, MASK_ROWS_SET); row++) {
        const struct mask_debt *debt = mask_table_debt(debts->table, MASK_ROWS_SET, row);
        if (debt && cpu_mask_equal(&debt->original, mask))
            return true;
    }
    return false;
}

int debts_add_pin_masks(struct debts *debts, const struct cpu_mask *domains, int domains_count)
{
    const struct mask_debt *before = mask_table_debt(debts->table, MASK_ROWS_SET, 0);
    const int room = mask_table_room(debts->table, MASK_ROWS_SET);
    int row = (int)max_i64(1, mask_table_limit(debts->table, MASK_ROWS_SET));
    struct cpu_mask machine;
    int error = 0;

    cpu_mask_clear(&machine);
    if (before)
        machine = before->original;
    for (int domain = 0; domain < domains_count; domain++)
        cpu_mask_unite(&machine, &domains[domain]);
    error = masks_keep(debts, 0, &machine);
    for (int domain = 0; !error && domain < domains_count && row < room; domain++)
        if (!is_kept(debts, &domains[domain]))
            error = masks_keep(debts, row++, &domains[domain]);
    return error;
}

/* ---- processes and threads ---- */

static const struct mask_debt *process_debt(const struct debts *debts, int row)
{
    return mask_table_debt(debts->table, MASK_ROWS_PROCESSES, row);
}

/* Returns the next row behind `row` that was kept for a process with this number, or ROW_NONE.
 * Start with ROW_NONE. */
static int row_after(const struct debts *debts, int row, pid_t pid)
{
    const int limit = mask_table_limit(debts->table, MASK_ROWS_PROCESSES);

    while (++row < limit)
        if (debts->pids[row] == pid)
            return row;
    return ROW_NONE;
}

static void process_forget(struct debts *debts, int row)
{
    debts->pids[row] = 0;
    mask_table_forget(debts->table, MASK_ROWS_PROCESSES, row);
}

/* True if the row is empty, or was emptied because its process is gone. */
static bool process_make_room(struct debts *debts, int row)
{
    const struct mask_debt *debt = process_debt(debts, row);

    if (debt && procfs_thread_alive(debts->proc_fd, &debt->id))
        return false;
    process_forget(debts, row);
    return true;
}

/* Returns an empty row, or -ENOSPC. Checks a few rows for processes that have ended whenever a
 * process comes, and all rows if the table is full. */
static int process_room(struct debts *debts)
{
    const int limit = mask_table_limit(debts->table, MASK_ROWS_PROCESSES);
    const bool full = limit == mask_table_room(debts->table, MASK_ROWS_PROCESSES);

    if (!HOLDS(&debts->fault, debts->process_seen >= 0))
        debts->process_seen = 0;
    for (int seen = 0; seen < (full ? limit : (int)min_i64(limit, ROWS_SEEN_AT_ONCE)); seen++) {
        const int row = debts->process_seen % limit;
        debts->process_seen = row + 1;
        if (process_make_room(debts, row))
            return row;
    }
    return full ? -ENOSPC : limit;
}

/* True if the row is kept for this process. The restoration of all that the table names forgets
 * rows. */
static bool is_of(const struct debts *debts, int row, const struct thread_id *leader)
{
    const struct mask_debt *debt = process_debt(debts, row);

    return debt && thread_id_equal(&debt->id, leader);
}

static int process_row(const struct debts *debts, const struct thread_id *leader)
{
    int row = row_after(debts, ROW_NONE, leader->pid);

    while (row != ROW_NONE && !is_of(debts, row, leader))
        row = row_after(debts, row, leader->pid);
    return row;
}

static int process_add(struct debts *debts, const struct mask_debt *debt)
{
    const int row = process_room(debts);
    const int error = row < 0 ? row : mask_table_keep(debts->table, MASK_ROWS_PROCESSES, row, debt);

    if (error)
        return error;
    debts->pids[row] = debt->id.pid;
    return row;
}

static int process_keep(struct debts *debts, int index, const struct thread_id *id,
                        const struct cpu_mask *original)
{
    struct mask_debt debt = {{id->pid, id->pid, id->start_ticks}, *original};
    struct thread_stat stat;

    if (id->tid != id->pid) {
        const int error = procfs_stat_read(debts->proc_fd, id->pid, id->pid, &stat);
        if (error)
            return error;
        debt.id.start_ticks = stat.start_ticks;
    }
    int row = process_row(debts, &debt.id);
    if (row == ROW_NONE)
        row = process_add(debts, &debt);
    if (row < 0)
        return row;
    debts->process_rows[index] = row;
    return 0;
}

/* A mask that could not be given back moves to another row when its index gets another thread. */
static int stuck_move(struct debts *debts, int index, const struct thread_id *id)
{
    struct mask_table *table = debts->table;
    const struct mask_debt *stuck = mask_table_debt(table, MASK_ROWS_THREADS, index);
    const int room = mask_table_room(table, MASK_ROWS_THREADS);
    int row = 0;

    if (!stuck || thread_id_equal(&stuck->id, id))
        return 0;
    while (row < room && mask_table_debt(table, MASK_ROWS_THREADS, row))
        row++;
    return row < room ? mask_table_keep(table, MASK_ROWS_THREADS, row, stuck) : 0;
}

int debts_keep(struct debts *debts, int index, const struct thread_id *id,
               const struct cpu_mask *original)
{
    const struct mask_debt debt = {*id, *original};

    if (!HOLDS(&debts->fault, index >= 0 && index < debts->threads_max) ||
        !HOLDS(&debts->fault, id->pid > 0 && id->tid > 0))
        return -EINVAL;
    int error = process_keep(debts, index, id, original);
    if (!error)
        error = stuck_move(debts, index, id);
    return error ? error : mask_table_keep(debts->table, MASK_ROWS_THREADS, index, &debt);
}

/* If the process of the thread has ended, its row may belong to another process by now, which has
 * no pin yet. */
void debts_note_pin(struct debts *debts, int index)
{
    const struct mask_debt *thread = mask_table_debt(debts->table, MASK_ROWS_THREADS, index);
    const int row = debts->process_rows[index];
    const struct mask_debt *process = thread ? process_debt(debts, row) : NULL;

    if (process && process->id.pid == thread->id.pid)
        mask_table_note_pin(debts->table, MASK_ROWS_PROCESSES, row, clock_boot_ticks());
}

bool debts_has(const struct debts *debts, int index, const struct thread_id *id)
{
    const struct mask_debt *debt = mask_table_debt(debts->table, MASK_ROWS_THREADS, index);

    return debt && thread_id_equal(&debt->id, id);
}

const char *debts_fault(const struct debts *debts)
{
    const char *fault = fault_text(&debts->fault);

    return fault ? fault : mask_table_fault(debts->table);
}

void debts_forget(struct debts *debts, int index)
{
    mask_table_forget(debts->table, MASK_ROWS_THREADS, index);
}

void debts_let_go(struct debts *debts, const struct thread_id *id)
{
    const struct mask_debt debt = {.id = *id};
    const int row = debts->let_go_next;

    debts->let_go_next = (row + 1) % mask_table_room(debts->table, MASK_ROWS_LET_GO);
    /* Without room, the thread is at worst taken for one that was born with its mask. */
    (void)!mask_table_keep(debts->table, MASK_ROWS_LET_GO, row, &debt);
}

const struct cpu_mask *debts_owed(const struct debts *debts, pid_t pid, uint64_t born_ticks)
{
    for (int row = ROW_NONE; (row = row_after(debts, row, pid)) != ROW_NONE;) {
        const struct mask_debt *debt = process_debt(debts, row);
        const uint64_t since_ticks = mask_table_pinned_since(debts->table, MASK_ROWS_PROCESSES,
                                                             row);
        if (debt && debt->id.pid == pid && since_ticks && since_ticks <= born_ticks &&
            procfs_thread_alive(debts->proc_fd, &debt->id))
            return &debt->original;
    }
    return NULL;
}

void debts_release(struct debts *debts, pid_t pid)
{
    for (int row = ROW_NONE; (row = row_after(debts, row, pid)) != ROW_NONE;)
        process_forget(debts, row);
}
