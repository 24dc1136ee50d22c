/* SPDX-License-Identifier: BSD-3-Clause */
/* The masks that threads are owed are read from the file as they were written, or not at all;
 * the table takes only the memory that it needs. */
#include "tests/lib/live.h"
#include "tests/lib/refusal.h"
#include "tests/lib/suite.h"

#include "libjuggle/linux/debts.h"
#include "libjuggle/linux/mask_table.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 100, ROW = 7 };

static int file_make(void)
{
    int fd = memfd_create("table", MFD_CLOEXEC);

    ck_assert_int_ge(fd, 0);
    return fd;
}

static struct mask_debt debt_make(int seed)
{
    struct mask_debt debt = {.id = {seed, seed + 1, (uint64_t)seed + 2}};

    cpu_mask_clear(&debt.original);
    cpu_mask_add(&debt.original, seed % 8);
    return debt;
}

static void expect_debt(const struct mask_table *table, int row, int seed)
{
    const struct mask_debt expected = debt_make(seed);
    const struct mask_debt *debt = mask_table_debt(table, MASK_ROWS_THREADS, row);

    ck_assert_ptr_nonnull(debt);
    ck_assert(thread_id_equal(&debt->id, &expected.id));
    ck_assert(cpu_mask_equal(&debt->original, &expected.original));
}

START_TEST(what_was_kept_is_read_and_what_was_forgotten_is_not)
{
    const struct mask_debt first = debt_make(3), second = debt_make(5);
    struct mask_table *table, *again;
    const int fd = file_make();

    ck_assert_int_eq(mask_table_create(ROWS, fd, &table), 0);
    ck_assert_int_eq(mask_table_keep(table, MASK_ROWS_THREADS, ROW, &first), 0);
    ck_assert_int_eq(mask_table_keep(table, MASK_ROWS_THREADS, ROW, &second), 0);
    ck_assert_int_eq(mask_table_keep(table, MASK_ROWS_THREADS, 0, &first), 0);
    ck_assert_int_eq(mask_table_keep(table, MASK_ROWS_THREADS, ROWS - 1, &first), 0);
    mask_table_forget(table, MASK_ROWS_THREADS, 0);
    ck_assert_int_eq(mask_table_read(fd, &again), 0);
    mask_table_destroy(table);
    ck_assert_int_eq(mask_table_room(again, MASK_ROWS_THREADS), ROWS);
    for (int row = 0; row < ROWS - 1; row++)
        if (row != ROW)
            ck_assert_ptr_null(mask_table_debt(again, MASK_ROWS_THREADS, row));
    expect_debt(again, ROW, 5);
    expect_debt(again, ROWS - 1, 3);
    mask_table_forget(again, MASK_ROWS_THREADS, ROW);
    mask_table_destroy(again);
    ck_assert_int_eq(mask_table_read(fd, &again), 0);
    ck_assert_ptr_null(mask_table_debt(again, MASK_ROWS_THREADS, ROW));
    expect_debt(again, ROWS - 1, 3);
    mask_table_destroy(again);
    close(fd);
}

START_TEST(a_table_that_was_cut_or_is_none_is_refused)
{
    struct mask_table *table, *again = NULL;
    struct stat stat;
    const int fd = file_make();

    ck_assert_int_eq(mask_table_read(fd, &again), -EBADMSG);
    ck_assert_int_eq(mask_table_create(ROWS, fd, &table), 0);
    ck_assert_int_eq(fstat(fd, &stat), 0);
    ck_assert_int_eq(ftruncate(fd, stat.st_size - 1), 0);
    ck_assert_int_eq(mask_table_read(fd, &again), -EBADMSG);
    /* A process that still writes to the table gets no error and no signal. */
    const struct mask_debt debt = debt_make(1);
    ck_assert_int_eq(mask_table_keep(table, MASK_ROWS_THREADS, ROWS - 1, &debt), 0);
    expect_debt(table, ROWS - 1, 1);
    ck_assert_int_eq(ftruncate(fd, 0), 0);
    ck_assert_int_eq(mask_table_keep(table, MASK_ROWS_THREADS, ROW, &debt), 0);
    ck_assert_int_eq(mask_table_read(fd, &again), -EBADMSG);
    ck_assert_ptr_null(again);
    mask_table_destroy(table);
    close(fd);
}

START_TEST(kinds_of_rows_are_apart_and_the_first_beginning_counts)
{
    const struct mask_debt first = debt_make(3);
    struct mask_debt second = debt_make(5);
    struct mask_table *table, *again;
    const int fd = file_make();

    second.id.tid = second.id.pid; /* a process is named by its first thread */
    ck_assert_int_eq(mask_table_create(ROWS, fd, &table), 0);
    ck_assert_int_eq(mask_table_keep(table, MASK_ROWS_THREADS, ROW, &first), 0);
    ck_assert_int_eq(mask_table_keep(table, MASK_ROWS_PROCESSES, ROW, &second), 0);
    ck_assert_int_eq(mask_table_keep(table, MASK_ROWS_SET, ROW, &second), 0);
    ck_assert_uint_eq(mask_table_pinned_since(table, MASK_ROWS_PROCESSES, ROW), 0);
    mask_table_note_pin(table, MASK_ROWS_PROCESSES, ROW, 1234);
    mask_table_note_pin(table, MASK_ROWS_PROCESSES, ROW, 1235);
    ck_assert_int_eq(mask_table_read(fd, &again), 0);
    for (int kind = 0; kind < MASK_ROWS_KINDS; kind++)
        ck_assert_int_eq(mask_table_limit(again, (enum mask_rows)kind),
                         kind == MASK_ROWS_LET_GO ? 0 : ROW + 1);
    expect_debt(again, ROW, 3);
    ck_assert_int_eq(mask_table_debt(again, MASK_ROWS_PROCESSES, ROW)->id.pid, second.id.pid);
    ck_assert_int_eq(mask_table_debt(again, MASK_ROWS_SET, ROW)->id.pid, second.id.pid);
    ck_assert_uint_eq(mask_table_pinned_since(again, MASK_ROWS_PROCESSES, ROW), 1234);
    ck_assert_uint_eq(mask_table_pinned_since(again, MASK_ROWS_THREADS, ROW), 0);
    mask_table_destroy(again);
    mask_table_destroy(table);
    close(fd);
}

/* A job may ask for many more threads than it has: unused rows take no memory. */
START_TEST(it_takes_the_room_of_what_is_in_it)
{
    const struct mask_debt debt = debt_make(1);
    struct mask_table *table = NULL, *again;
    struct stat stat;
    const int fd = file_make();

    ck_assert_int_eq(mask_table_create(ROWS * ROWS, fd, &table), 0);
    ck_assert_int_eq(mask_table_keep(table, MASK_ROWS_THREADS, 0, &debt), 0);
    ck_assert_int_eq(mask_table_keep(table, MASK_ROWS_LET_GO, ROWS * ROWS - 1, &debt), 0);
    ck_assert_int_eq(fstat(fd, &stat), 0);
    ck_assert_int_lt(stat.st_blocks * 512, stat.st_size / 4);
    ck_assert_int_eq(mask_table_read(fd, &again), 0);
    ck_assert_ptr_nonnull(mask_table_debt(again, MASK_ROWS_LET_GO, ROWS * ROWS - 1));
    mask_table_destroy(again);
    mask_table_destroy(table);
    table = NULL;
    signal(SIGXFSZ, SIG_IGN);
    limit_set(RLIMIT_FSIZE, 4096);
    ck_assert_int_eq(ftruncate(fd, 0), 0);
    ck_assert_int_eq(mask_table_create(ROWS * ROWS, fd, &table), -EFBIG);
    ck_assert_ptr_null(table);
    close(fd);
}

START_TEST(a_row_that_cannot_be_written_is_empty)
{
    const struct mask_debt debt = debt_make(1);
    struct mask_table *table;
    const int fd = memfd_create("table", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    ck_assert_int_eq(mask_table_create(ROWS, fd, &table), 0);
    ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
    ck_assert_int_eq(mask_table_keep(table, MASK_ROWS_THREADS, ROW, &debt), -EPERM);
    ck_assert_ptr_null(mask_table_debt(table, MASK_ROWS_THREADS, ROW));
    mask_table_destroy(table);
    close(fd);
}

static void child_keep(struct debts *debts, int slot, pid_t pid)
{
    const struct mask_debt debt = debt_make(slot + 1);
    const struct thread_id id = id_of(pid, pid);

    ck_assert_int_eq(debts_keep(debts, slot, &id, &debt.original), 0);
    debts_note_pin(debts, slot);
}

/* The table has as many rows for processes as for threads. */
START_TEST(processes_take_the_rows_of_those_that_have_ended)
{
    struct mask_table *table;
    struct debts *debts;
    pid_t pids[ROWS];
    int proc_fd;

    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(mask_table_create(ROWS, -1, &table), 0);
    ck_assert_int_eq(debts_create(proc_fd, table, &debts), 0);
    for (int i = 0; i < mask_table_room(table, MASK_ROWS_PROCESSES); i++) {
        pids[i % ROWS] = child_start(live_forever, NULL);
        child_keep(debts, i % ROWS, pids[i % ROWS]);
        child_end(pids[i % ROWS]);
    }
    for (int i = 0; i < ROWS; i++) {
        pids[i] = child_start(live_forever, NULL);
        child_keep(debts, i, pids[i]);
    }
    for (int i = 0; i < ROWS; i++) {
        const struct mask_debt debt = debt_make(i + 1);
        const struct cpu_mask *owed = debts_owed(debts, pids[i], UINT64_MAX);
        ck_assert_ptr_nonnull(owed);
        ck_assert(cpu_mask_equal(owed, &debt.original));
        debts_release(debts, pids[i]);
        ck_assert_ptr_null(debts_owed(debts, pids[i], UINT64_MAX));
        child_end(pids[i]);
    }
    debts_destroy(debts);
    mask_table_destroy(table);
    close(proc_fd);
}

/* A thread could not be given back its mask, and its slot is another thread's now. */
START_TEST(a_debt_that_is_stuck_outlives_its_slot)
{
    const struct mask_debt stuck = debt_make(3), next = debt_make(5);
    const struct thread_id own = id_of(getpid(), getpid());
    struct mask_table *table;
    struct debts *debts;
    int proc_fd, found = 0;

    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(mask_table_create(ROWS, -1, &table), 0);
    ck_assert_int_eq(debts_create(proc_fd, table, &debts), 0);
    ck_assert_int_eq(mask_table_keep(table, MASK_ROWS_THREADS, 0, &stuck), 0);
    ck_assert_int_eq(debts_keep(debts, 0, &own, &next.original), 0);
    for (int row = 0; row < mask_table_limit(table, MASK_ROWS_THREADS); row++) {
        const struct mask_debt *debt = mask_table_debt(table, MASK_ROWS_THREADS, row);
        found += debt && thread_id_equal(&debt->id, &stuck.id) &&
                 cpu_mask_equal(&debt->original, &stuck.original);
    }
    ck_assert_int_eq(found, 1);
    ck_assert(thread_id_equal(&mask_table_debt(table, MASK_ROWS_THREADS, 0)->id, &own));
    debts_destroy(debts);
    mask_table_destroy(table);
    close(proc_fd);
}

static const struct {
    const char *check;
    enum mask_rows kind;
    int row;
    pid_t pid, tid;
    bool has_processors;
} mistakes[] = {
    {"row >= 0", MASK_ROWS_THREADS, -1, 5, 5, true},
    {"row < mask_table_room", MASK_ROWS_THREADS, ROWS, 5, 5, true},
    {"kind < MASK_ROWS_KINDS", MASK_ROWS_KINDS, ROW, 5, 5, true},
    {"debt->id.tid > 0", MASK_ROWS_THREADS, ROW, 5, 0, true},
    {"debt->id.pid > 0", MASK_ROWS_LET_GO, ROW, 0, 5, false},
    {"debt->id.tid == debt->id.pid", MASK_ROWS_PROCESSES, ROW, 5, 6, true},
    {"cpu_mask_count(&debt->original) > 0", MASK_ROWS_THREADS, ROW, 5, 5, false},
    {"cpu_mask_count(&debt->original) > 0", MASK_ROWS_PROCESSES, ROW, 5, 5, false},
    {"cpu_mask_count(&debt->original) > 0", MASK_ROWS_SET, ROW, 0, 0, false},
};

START_TEST(what_nobody_can_be_owed_is_found_out)
{
    for (size_t i = 0; i < ARRAY_COUNT(mistakes); i++) {
        struct mask_debt debt = {.id = {mistakes[i].pid, mistakes[i].tid, 1}};
        struct mask_table *table;

        cpu_mask_clear(&debt.original);
        if (mistakes[i].has_processors)
            cpu_mask_add(&debt.original, 0);
        ck_assert_int_eq(mask_table_create(ROWS, -1, &table), 0);
        expect_fault(mask_table_fault(table), NULL);
        ck_assert_int_eq(mask_table_keep(table, mistakes[i].kind, mistakes[i].row, &debt), -EINVAL);
        expect_fault(mask_table_fault(table), mistakes[i].check);
        for (int kind = 0; kind < MASK_ROWS_KINDS; kind++)
            ck_assert_int_eq(mask_table_limit(table, (enum mask_rows)kind), 0);
        mask_table_destroy(table);
    }
}

START_TEST(rows_that_are_not_there_are_empty)
{
    struct mask_table *table;

    ck_assert_int_eq(mask_table_create(ROWS, -1, &table), 0);
    ck_assert_ptr_null(mask_table_debt(table, MASK_ROWS_THREADS, ROWS));
    ck_assert_uint_eq(mask_table_pinned_since(table, MASK_ROWS_THREADS, -1), 0);
    mask_table_forget(table, MASK_ROWS_THREADS, ROWS);
    mask_table_note_pin(table, MASK_ROWS_THREADS, ROWS, 7);
    /* This row would be the first one of the next kind. */
    ck_assert_uint_eq(mask_table_pinned_since(table, MASK_ROWS_PROCESSES, 0), 0);
    ck_assert_ptr_nonnull(mask_table_fault(table));
    mask_table_destroy(table);
}

SUITE("mask_table")
