/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two processes share the rows, and one of them writes until it dies, which may be in the middle of
 * a change: `kept` is stored with release order after the row is whole, and cleared before the row
 * changes, so that the other's acquiring load sees a whole row or none.
 *
 * In the file a record ends in its own `kept`. A write that is cut short leaves what was behind it,
 * and there the record was forgotten before: it is whole or none, too.
 */
#include "libjuggle/linux/mask_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The first bytes of a file: another version of juggle may read it. */
#define FILE_MAGIC UINT64_C(0x32656c6767756a2e)

enum { ROWS_MAX = 1 << 20 };

struct row {
    atomic_bool kept;
    struct mask_debt debt;
};

struct header {
    uint64_t magic;
    uint32_t rows_count;
    uint32_t mask_size; /* in bytes: no more than this machine's kernel uses */
};

/* Its mask has header.mask_size bytes, and is followed by a uint64_t, 1 if it is kept. */
struct record {
    struct thread_id id;
    struct cpu_mask original;
    uint64_t kept_room;
};

struct mask_table {
    int fd;
    struct header header;
    struct row *rows; /* shared with children */
};

/* ---- the file ---- */

static size_t kept_offset(const struct mask_table *table)
{
    return offsetof(struct record, original) + table->header.mask_size;
}

static size_t record_size(const struct mask_table *table)
{
    return kept_offset(table) + sizeof(uint64_t);
}

static off_t record_offset(const struct mask_table *table, int row)
{
    return (off_t)(sizeof(struct header) + (size_t)row * record_size(table));
}

/* The room is reserved: what a broken disk loses all the same the guardian still has in memory. */
static void kept_write(const struct mask_table *table, int row, uint64_t kept)
{
    (void)!pwrite(table->fd, &kept, sizeof(kept),
                  record_offset(table, row) + (off_t)kept_offset(table));
}

static void record_write(const struct mask_table *table, int row, const struct mask_debt *debt)
{
    const uint64_t kept = 1;
    struct record record = {.id = debt->id, .original = debt->original};

    memcpy((char *)&record + kept_offset(table), &kept, sizeof(kept));
    (void)!pwrite(table->fd, &record, record_size(table), record_offset(table, row));
}

static int record_read(struct mask_table *table, int row)
{
    struct record record = {0};
    uint64_t kept;
    const ssize_t size = pread(table->fd, &record, record_size(table), record_offset(table, row));

    if (size < 0)
        return -errno;
    if (size < (ssize_t)record_size(table))
        return -EBADMSG;
    memcpy(&kept, (char *)&record + kept_offset(table), sizeof(kept));
    memset((char *)&record + kept_offset(table), 0, sizeof(kept));
    table->rows[row].debt = (struct mask_debt){record.id, record.original};
    table->rows[row].kept = kept == 1;
    return 0;
}

/* A signal may interrupt it before it has changed anything. */
static int file_reserve(int fd, off_t size)
{
    int error;

    do
        error = posix_fallocate(fd, 0, size);
    while (error == EINTR);
    return -error;
}

static int file_begin(const struct mask_table *table)
{
    int error = file_reserve(table->fd, record_offset(table, (int)table->header.rows_count));

    if (error)
        return error;
    return pwrite(table->fd, &table->header, sizeof(table->header), 0) < 0 ? -errno : 0;
}

static bool header_is_right(const struct header *header)
{
    return header->magic == FILE_MAGIC && header->rows_count <= ROWS_MAX &&
           header->mask_size <= sizeof(struct cpu_mask) && header->mask_size % sizeof(long) == 0;
}

/* ---- create, destroy ---- */

/* Bytes of a mask of the kernel, which knows how many processors there can ever be. */
static uint32_t mask_size(void)
{
    struct cpu_mask mask;
    const long size = syscall(SYS_sched_getaffinity, 0, sizeof(mask), &mask);

    return size > 0 ? (uint32_t)size : (uint32_t)sizeof(mask);
}

static size_t rows_size(const struct mask_table *table)
{
    return sizeof(struct row) * table->header.rows_count;
}

/* Takes the header, and a descriptor of its own of the file. */
static int table_make(const struct header *header, int fd, struct mask_table **result)
{
    struct mask_table *table = calloc(1, sizeof(*table));

    if (!table)
        return -ENOMEM;
    table->header = *header;
    table->fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    int error = fd >= 0 && table->fd < 0 ? -errno : 0;
    void *rows = mmap(NULL, max_i64(1, (int64_t)rows_size(table)), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    table->rows = rows == MAP_FAILED ? NULL : rows;
    if (!error && !table->rows)
        error = -ENOMEM;
    if (error) {
        mask_table_destroy(table);
        return error;
    }
    *result = table;
    return 0;
}

int mask_table_create(int rows_count, int fd, struct mask_table **result)
{
    const struct header header = {FILE_MAGIC, (uint32_t)rows_count, mask_size()};
    struct mask_table *table;
    int error = table_make(&header, fd, &table);

    if (error)
        return error;
    if (fd >= 0)
        error = file_begin(table);
    if (error) {
        mask_table_destroy(table);
        return error;
    }
    *result = table;
    return 0;
}

int mask_table_read(int fd, struct mask_table **result)
{
    struct header header;
    struct mask_table *table;
    const ssize_t size = pread(fd, &header, sizeof(header), 0);

    if (size < 0)
        return -errno;
    if (size < (ssize_t)sizeof(header) || !header_is_right(&header))
        return -EBADMSG;
    int error = table_make(&header, fd, &table);
    if (error)
        return error;
    for (int row = 0; !error && row < (int)header.rows_count; row++)
        error = record_read(table, row);
    if (error) {
        mask_table_destroy(table);
        return error;
    }
    *result = table;
    return 0;
}

void mask_table_destroy(struct mask_table *table)
{
    if (!table)
        return;
    if (table->rows)
        munmap(table->rows, rows_size(table));
    if (table->fd >= 0)
        close(table->fd);
    free(table);
}

/* ---- rows ---- */

int mask_table_rows(const struct mask_table *table)
{
    return (int)table->header.rows_count;
}

int mask_table_fd(const struct mask_table *table)
{
    return table->fd;
}

const struct mask_debt *mask_table_debt(const struct mask_table *table, int row)
{
    const struct row *looked_at = &table->rows[row];

    return atomic_load_explicit(&looked_at->kept, memory_order_acquire) ? &looked_at->debt : NULL;
}

void mask_table_keep(struct mask_table *table, int row, const struct mask_debt *debt)
{
    if (mask_table_debt(table, row))
        mask_table_forget(table, row);
    table->rows[row].debt = *debt;
    atomic_store_explicit(&table->rows[row].kept, true, memory_order_release);
    if (table->fd >= 0)
        record_write(table, row, debt);
}

void mask_table_forget(struct mask_table *table, int row)
{
    atomic_store_explicit(&table->rows[row].kept, false, memory_order_seq_cst);
    if (table->fd >= 0)
        kept_write(table, row, 0);
}
