/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/taskstats_record.h"

#include <errno.h>
#include <string.h>

/* Where the fields are, in every version since the first that has them (1 and 2). The header of the
 * build machine is not asked: the kernel may be older or newer. */
enum {
    OFFSET_VERSION = 0,
    OFFSET_CPU_COUNT = 16,
    OFFSET_CPU_DELAY_TOTAL = 24,
    OFFSET_CPU_RUN_VIRTUAL_TOTAL = 72,
    OFFSET_AC_ETIME = 136,
    FIELDS_END = OFFSET_AC_ETIME + (int)sizeof(uint64_t),
};

/* Version 15 put six numbers before the run times; version 16 took them back to the end. */
enum { VERSION_SHIFTED = 15, SHIFT = 6 * (int)sizeof(uint64_t) };

static int64_t field_read(const void *stats, size_t offset)
{
    uint64_t value;

    memcpy(&value, (const char *)stats + offset, sizeof(value));
    return (int64_t)value;
}

int taskstats_record_parse(const void *stats, size_t size, struct taskstats_record *record)
{
    uint16_t version;
    size_t shift;

    if (size < sizeof(version))
        return -EBADMSG;
    memcpy(&version, (const char *)stats + OFFSET_VERSION, sizeof(version));
    shift = version == VERSION_SHIFTED ? SHIFT : 0;
    if (size < FIELDS_END + shift)
        return -EBADMSG;
    record->run_ns = field_read(stats, OFFSET_CPU_RUN_VIRTUAL_TOTAL + shift);
    record->wait_ns = field_read(stats, OFFSET_CPU_DELAY_TOTAL);
    record->slices_count = field_read(stats, OFFSET_CPU_COUNT);
    record->age_ns = field_read(stats, OFFSET_AC_ETIME + shift) * NSEC_PER_USEC;
    return 0;
}
