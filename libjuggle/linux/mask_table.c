/* SPDX-License-Identifier: BSD-3-Clause */
/* Two processes share the rows, and one of them writes until it dies, which may be in the middle of
 * a change. So `kept` is stored with release order after the row is whole, and cleared before the
 * row changes; the other process, which loads it with acquire order, sees a whole row or none.
 *
 * In the file a record ends in its own `kept`, which is cleared before the record is written. A
 * write that is cut short does not reach it, so the record is whole or none, too.
 *
 * The parts, in this order:
 * - where rows are
 * - the file
 * - create, destroy
 * - rows: kept, read, forgotten */
#include "libjuggle/linux/mask_table.h"

#include "libjuggle/ground/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The first bytes of a file, by which another version of juggle knows the format. */
#define FILE_MAGIC UINT64_C(0x33656c6767756a2e)

enum {
    THREADS_MAX = 1 << 20,
    SET_ROOM = 129 /* row 0, and the domains of a machine and of its successor */
};

struct shared_row {
    atomic_bool kept;
    _Atomic uint64_t since_ticks;
    struct mask_debt debt;
};

struct header {
    uint64_t magic;
    uint32_t threads_max;
    uint32_t mask_size; /* in bytes: no more than this machine's kernel uses */
};

/* As in the file, where the mask has header.mask_size bytes, and is followed by a uint64_t, 1 if
 * the record is kept. */
struct debt_record {
    struct thread_id id;
    uint64_t since_ticks;
    struct cpu_mask original;
    uint64_t kept_room;
};

struct mask_table {
    int fd;
    struct header header;
    struct shared_rows *shared; /* with child processes */
};

struct shared_rows {
    struct mask_table_notice notice;
    struct fault fault; /* its text has the same address in every process that was forked since */
    atomic_int limits[MASK_ROWS_KINDS];
    struct shared_row rows[];
};

/* ---- where rows are ---- */

int mask_table_room(const struct mask_table *table, enum mask_rows kind)
{
    return kind == MASK_ROWS_SET ? SET_ROOM : (int)table->header.threads_max;
}

/* Returns the place of a row among all rows, one kind after the other. -1: there is no such row. */
static int position_of(const struct mask_table *table, enum mask_rows kind, int row)
{
    if (!HOLDS(&table->shared->fault, kind < MASK_ROWS_KINDS) ||
        !HOLDS(&table->shared->fault, row >= 0 && row < mask_table_room(table, kind)))
        return -1;
    return (int)kind * (int)table->header.threads_max + row;
}

static int rows_count(const struct mask_table *table)
{
    return (int)MASK_ROWS_SET * (int)table->header.threads_max + SET_ROOM;
}

static void limit_note(struct mask_table *table, enum mask_rows kind, int row)
{
    if (row >= table->shared->limits[kind])
        table->shared->limits[kind] = row + 1;
}

/* ---- the file ---- */

static size_t kept_offset(const struct mask_table *table)
{
    return offsetof(struct debt_record, original) + table->header.mask_size;
}

static size_t record_size(const struct mask_table *table)
{
    return kept_offset(table) + sizeof(uint64_t);
}

static off_t record_offset(const struct mask_table *table, int position)
{
    return (off_t)(sizeof(struct header) + (size_t)position * record_size(table));
}

/* The record has its room on the disk already. If a broken disk loses the write all the same, the
 * guardian still has the row in memory. */
static void kept_write(const struct mask_table *table, int position, uint64_t kept)
{
    (void)!pwrite(table->fd, &kept, sizeof(kept),
                  record_offset(table, position) + (off_t)kept_offset(table));
}

/* A record whose write is cut short does not count. */
static int record_write(const struct mask_table *table, int position, const struct mask_debt *debt)
{
    const uint64_t kept = 1;
    struct debt_record record = {debt->id, 0, debt->original, 0};
    ssize_t written;

    memcpy((char *)&record + kept_offset(table), &kept, sizeof(kept));
    written = pwrite(table->fd, &record, record_size(table), record_offset(table, position));
    if (written < 0)
        return -errno;
    return written < (ssize_t)record_size(table) ? -ENOSPC : 0;
}

static int record_read(struct mask_table *table, int position)
{
    struct debt_record record = {0};
    uint64_t kept;

    if (!HOLDS(&table->shared->fault, position >= 0 && position < rows_count(table)))
        return -EBADMSG;
    const ssize_t size = pread(table->fd, &record, record_size(table),
                               record_offset(table, position));

    if (size < 0)
        return -errno;
    if (size < (ssize_t)record_size(table))
        return -EBADMSG;
    memcpy(&kept, (char *)&record + kept_offset(table), sizeof(kept));
    memset((char *)&record + kept_offset(table), 0, sizeof(kept));
    if (kept != 1)
        return 0;
    const int threads_max = max_i64(1, table->header.threads_max);
    const int kind = min_i64(position / threads_max, MASK_ROWS_SET);
    struct shared_row *row = &table->shared->rows[position];
    row->debt = (struct mask_debt){record.id, record.original};
    row->since_ticks = record.since_ticks;
    row->kept = true;
    limit_note(table, (enum mask_rows)kind, position - kind * threads_max);
    return 0;
}

/* Returns the position of the first record at or behind this one that is not in a hole. */
static int position_next(const struct mask_table *table, int position)
{
    const off_t offset = lseek(table->fd, record_offset(table, position), SEEK_DATA);

    if (offset < 0)
        return errno == ENXIO ? rows_count(table) : position;
    return max_i64(position, (offset - (off_t)sizeof(struct header)) / (off_t)record_size(table));
}

static int records_read(struct mask_table *table)
{
    const off_t size = lseek(table->fd, 0, SEEK_END);
    int error = size < record_offset(table, rows_count(table)) ? -EBADMSG : 0;
    int position = 0;

    while (!error && (position = position_next(table, position)) < rows_count(table))
        error = record_read(table, position++);
    return error;
}

static int file_begin(const struct mask_table *table)
{
    if (ftruncate(table->fd, record_offset(table, rows_count(table))))
        return -errno;
    return pwrite(table->fd, &table->header, sizeof(table->header), 0) < 0 ? -errno : 0;
}

static bool header_is_right(const struct header *header)
{
    return header->magic == FILE_MAGIC && header->threads_max > 0 &&
           header->threads_max <= THREADS_MAX && header->mask_size <= sizeof(struct cpu_mask) &&
           header->mask_size % sizeof(long) == 0;
}

/* ---- create, destroy ---- */

/* Returns the bytes of a mask of the kernel, which knows how many processors there can ever be. */
static uint32_t mask_size(void)
{
    struct cpu_mask mask;
    const long size = syscall(SYS_sched_getaffinity, 0, sizeof(mask), &mask);

    return size > 0 ? (uint32_t)size : (uint32_t)sizeof(mask);
}

static size_t shared_size(const struct mask_table *table)
{
    return sizeof(struct shared_rows) + sizeof(struct shared_row) * (size_t)rows_count(table);
}

/* Makes a table with this header and a duplicate of the file descriptor. */
static int table_make(const struct header *header, int fd, struct mask_table **result)
{
    struct mask_table *table = calloc(1, sizeof(*table));

    if (!table)
        return -ENOMEM;
    table->header = *header;
    table->fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    int error = fd >= 0 && table->fd < 0 ? -errno : 0;
    void *shared = mmap(NULL, shared_size(table), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    table->shared = shared == MAP_FAILED ? NULL : shared;
    if (!error && !table->shared)
        error = -ENOMEM;
    if (error) {
        mask_table_destroy(table);
        return error;
    }
    *result = table;
    return 0;
}

int mask_table_create(int threads_max, int fd, struct mask_table **result)
{
    const struct header header = {FILE_MAGIC, (uint32_t)threads_max, mask_size()};
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
    error = records_read(table);
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
    if (table->shared)
        munmap(table->shared, shared_size(table));
    if (table->fd >= 0)
        close(table->fd);
    free(table);
}

/* ---- rows ---- */

/* Another process shares the memory and may have damaged it: a wrong limit must not lead beyond the
 * rows. */
int mask_table_limit(const struct mask_table *table, enum mask_rows kind)
{
    const int limit = table->shared->limits[kind];

    return HOLDS(&table->shared->fault, limit >= 0 && limit <= mask_table_room(table, kind))
               ? limit
               : mask_table_room(table, kind);
}

const char *mask_table_fault(const struct mask_table *table)
{
    return fault_text(&table->shared->fault);
}

struct mask_table_notice *mask_table_notice(struct mask_table *table)
{
    return &table->shared->notice;
}

const struct mask_debt *mask_table_debt(const struct mask_table *table, enum mask_rows kind,
                                        int row)
{
    const int position = position_of(table, kind, row);

    if (position < 0)
        return NULL;
    const struct shared_row *looked_at = &table->shared->rows[position];
    return atomic_load_explicit(&looked_at->kept, memory_order_acquire) ? &looked_at->debt : NULL;
}

/* True if a thread is named, and its mask has processors, because no thread can be given an empty
 * one. A process is named by its first thread, which tells it from a later one with its number. */
static bool debt_is_whole(const struct mask_table *table, enum mask_rows kind,
                          const struct mask_debt *debt)
{
    struct fault *fault = &table->shared->fault;

    return HOLDS(fault, kind == MASK_ROWS_SET || debt->id.tid > 0) &&
           HOLDS(fault, kind == MASK_ROWS_SET || debt->id.pid > 0) &&
           HOLDS(fault, kind != MASK_ROWS_PROCESSES || debt->id.tid == debt->id.pid) &&
           HOLDS(fault, kind == MASK_ROWS_LET_GO || cpu_mask_count(&debt->original) > 0);
}

bool mask_table_owes(const struct mask_table *table, enum mask_rows kind, int row)
{
    const struct mask_debt *debt = mask_table_debt(table, kind, row);

    return debt && debt_is_whole(table, kind, debt);
}

int mask_table_keep(struct mask_table *table, enum mask_rows kind, int row,
                    const struct mask_debt *debt)
{
    const int position = position_of(table, kind, row);
    int error = 0;

    if (position < 0 || !debt_is_whole(table, kind, debt))
        return -EINVAL;
    struct shared_row *changed = &table->shared->rows[position];
    mask_table_forget(table, kind, row);
    if (table->fd >= 0)
        error = record_write(table, position, debt);
    if (error)
        return error;
    changed->debt = *debt;
    changed->since_ticks = 0;
    atomic_store_explicit(&changed->kept, true, memory_order_release);
    limit_note(table, kind, row);
    return 0;
}

void mask_table_forget(struct mask_table *table, enum mask_rows kind, int row)
{
    const int position = position_of(table, kind, row);

    if (position < 0)
        return;
    struct shared_row *forgotten = &table->shared->rows[position];
    /* An empty row needs no write, for which the disk may have no room. */
    if (!atomic_load_explicit(&forgotten->kept, memory_order_relaxed))
        return;
    atomic_store_explicit(&forgotten->kept, false, memory_order_seq_cst);
    if (table->fd >= 0)
        kept_write(table, position, 0);
}

void mask_table_note_pin(struct mask_table *table, enum mask_rows kind, int row, uint64_t ticks)
{
    const int position = position_of(table, kind, row);
    uint64_t never = 0;

    /* 0 would mean never: threads that are born with the pin would keep it. */
    if (position >= 0 && HOLDS(&table->shared->fault, ticks > 0) &&
        atomic_compare_exchange_strong(&table->shared->rows[position].since_ticks, &never, ticks) &&
        table->fd >= 0)
        (void)!pwrite(table->fd, &ticks, sizeof(ticks),
                      record_offset(table, position) +
                          (off_t)offsetof(struct debt_record, since_ticks));
}

uint64_t mask_table_pinned_since(const struct mask_table *table, enum mask_rows kind, int row)
{
    const int position = position_of(table, kind, row);

    return position < 0 ? 0 : table->shared->rows[position].since_ticks;
}
