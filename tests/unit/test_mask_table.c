/* SPDX-License-Identifier: BSD-3-Clause */
/* What threads are owed comes back from its file as it was, or not at all, and has its room. */
#include "tests/lib/suite.h"

#include "libjuggle/linux/mask_table.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
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
    const struct mask_debt *debt = mask_table_debt(table, row);

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
    mask_table_keep(table, ROW, &first);
    mask_table_keep(table, ROW, &second);
    mask_table_keep(table, 0, &first);
    mask_table_keep(table, ROWS - 1, &first);
    mask_table_forget(table, 0);
    ck_assert_int_eq(mask_table_read(fd, &again), 0);
    mask_table_destroy(table);
    ck_assert_int_eq(mask_table_rows(again), ROWS);
    for (int row = 0; row < ROWS - 1; row++)
        if (row != ROW)
            ck_assert_ptr_null(mask_table_debt(again, row));
    expect_debt(again, ROW, 5);
    expect_debt(again, ROWS - 1, 3);
    mask_table_forget(again, ROW);
    mask_table_destroy(again);
    ck_assert_int_eq(mask_table_read(fd, &again), 0);
    ck_assert_ptr_null(mask_table_debt(again, ROW));
    expect_debt(again, ROWS - 1, 3);
    mask_table_destroy(again);
    close(fd);
}
END_TEST

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
    /* Whoever writes to it still is told nothing and harmed by nothing. */
    const struct mask_debt debt = debt_make(1);
    mask_table_keep(table, ROWS - 1, &debt);
    expect_debt(table, ROWS - 1, 1);
    ck_assert_int_eq(ftruncate(fd, 0), 0);
    mask_table_keep(table, ROW, &debt);
    ck_assert_int_eq(mask_table_read(fd, &again), -EBADMSG);
    ck_assert_ptr_null(again);
    mask_table_destroy(table);
    close(fd);
}
END_TEST

START_TEST(the_room_is_there_from_the_beginning)
{
    const struct rlimit small = {4096, 4096};
    struct mask_table *table = NULL;
    struct stat stat;
    FILE *file = tmpfile();

    ck_assert_ptr_nonnull(file);
    const int fd = fileno(file);
    ck_assert_int_eq(mask_table_create(ROWS, fd, &table), 0);
    ck_assert_int_eq(fstat(fd, &stat), 0);
    ck_assert_int_ge(stat.st_blocks * 512, stat.st_size);
    mask_table_destroy(table);
    table = NULL;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    ck_assert_int_eq(mask_table_create(ROWS * ROWS, fd, &table), -EFBIG);
    ck_assert_ptr_null(table);
    fclose(file);
}
END_TEST

SUITE("mask_table", what_was_kept_is_read_and_what_was_forgotten_is_not,
      a_table_that_was_cut_or_is_none_is_refused, the_room_is_there_from_the_beginning)
