/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/debts.h"

#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <stdlib.h>

struct debts {
    int proc_fd;
    struct mask_table *table;
    int let_go_next;    /* row of the next thread that is let go */
    int process_rows[]; /* by slot */
};

int debts_create(int proc_fd, struct mask_table *table, struct debts **debts)
{
    const size_t slots_count = (size_t)mask_table_room(table, MASK_ROWS_THREADS);
    struct debts *created = calloc(1, sizeof(*created) + slots_count * sizeof(int));

    if (!created)
        return -ENOMEM;
    created->proc_fd = proc_fd;
    created->table = table;
    *debts = created;
    return 0;
}

void debts_destroy(struct debts *debts)
{
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

int debts_set(struct debts *debts, const struct cpu_mask *domains, int domains_count)
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

/* The row of the process, or an empty one; -ENOSPC. Those of processes that are gone are empty. */
static int process_row(struct debts *debts, const struct thread_id *leader)
{
    struct mask_table *table = debts->table;
    const int limit = mask_table_limit(table, MASK_ROWS_PROCESSES);
    int empty = -1;

    for (int row = 0; row < limit; row++) {
        const struct mask_debt *debt = mask_table_debt(table, MASK_ROWS_PROCESSES, row);
        if (debt && thread_id_equal(&debt->id, leader))
            return row;
        if (!debt && empty < 0)
            empty = row;
    }
    for (int row = 0; empty < 0 && row < limit; row++) {
        const struct mask_debt *debt = mask_table_debt(table, MASK_ROWS_PROCESSES, row);
        if (!procfs_thread_alive(debts->proc_fd, &debt->id)) {
            mask_table_forget(table, MASK_ROWS_PROCESSES, row);
            empty = row;
        }
    }
    if (empty >= 0)
        return empty;
    return limit < mask_table_room(table, MASK_ROWS_PROCESSES) ? limit : -ENOSPC;
}

static int process_keep(struct debts *debts, int slot, const struct thread_id *id,
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
    const int row = process_row(debts, &debt.id);
    if (row < 0)
        return row;
    debts->process_rows[slot] = row;
    if (mask_table_debt(debts->table, MASK_ROWS_PROCESSES, row))
        return 0;
    return mask_table_keep(debts->table, MASK_ROWS_PROCESSES, row, &debt);
}

/* A mask that could not be given back moves to another row when its slot gets another thread. */
static int stuck_move(struct debts *debts, int slot, const struct thread_id *id)
{
    struct mask_table *table = debts->table;
    const struct mask_debt *stuck = mask_table_debt(table, MASK_ROWS_THREADS, slot);
    const int room = mask_table_room(table, MASK_ROWS_THREADS);
    int row = 0;

    if (!stuck || thread_id_equal(&stuck->id, id))
        return 0;
    while (row < room && mask_table_debt(table, MASK_ROWS_THREADS, row))
        row++;
    return row < room ? mask_table_keep(table, MASK_ROWS_THREADS, row, stuck) : 0;
}

int debts_keep(struct debts *debts, int slot, const struct thread_id *id,
               const struct cpu_mask *original)
{
    const struct mask_debt debt = {*id, *original};
    int error = process_keep(debts, slot, id, original);

    if (!error)
        error = stuck_move(debts, slot, id);
    return error ? error : mask_table_keep(debts->table, MASK_ROWS_THREADS, slot, &debt);
}

void debts_begin(struct debts *debts, int slot)
{
    mask_table_begin(debts->table, MASK_ROWS_PROCESSES, debts->process_rows[slot],
                     clock_boot_ticks());
}

bool debts_has(const struct debts *debts, int slot, const struct thread_id *id)
{
    const struct mask_debt *debt = mask_table_debt(debts->table, MASK_ROWS_THREADS, slot);

    return debt && thread_id_equal(&debt->id, id);
}

const char *debts_fault(const struct debts *debts)
{
    return mask_table_fault(debts->table);
}

void debts_forget(struct debts *debts, int slot)
{
    mask_table_forget(debts->table, MASK_ROWS_THREADS, slot);
}

void debts_let_go(struct debts *debts, const struct thread_id *id)
{
    const struct mask_debt debt = {.id = *id};
    const int row = debts->let_go_next;

    debts->let_go_next = (row + 1) % mask_table_room(debts->table, MASK_ROWS_LET_GO);
    /* Without room it is taken for one that was born with its mask, at worst. */
    (void)!mask_table_keep(debts->table, MASK_ROWS_LET_GO, row, &debt);
}

const struct cpu_mask *debts_owed(const struct debts *debts, pid_t pid, uint64_t born_ticks)
{
    const struct mask_table *table = debts->table;

    for (int row = 0; row < mask_table_limit(table, MASK_ROWS_PROCESSES); row++) {
        const struct mask_debt *debt = mask_table_debt(table, MASK_ROWS_PROCESSES, row);
        const uint64_t since_ticks = mask_table_since(table, MASK_ROWS_PROCESSES, row);
        if (debt && debt->id.pid == pid && since_ticks && since_ticks <= born_ticks &&
            procfs_thread_alive(debts->proc_fd, &debt->id))
            return &debt->original;
    }
    return NULL;
}

void debts_release(struct debts *debts, pid_t pid)
{
    struct mask_table *table = debts->table;

    for (int row = 0; row < mask_table_limit(table, MASK_ROWS_PROCESSES); row++) {
        const struct mask_debt *debt = mask_table_debt(table, MASK_ROWS_PROCESSES, row);
        if (debt && debt->id.pid == pid)
            mask_table_forget(table, MASK_ROWS_PROCESSES, row);
    }
}
