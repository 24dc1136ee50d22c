/* SPDX-License-Identifier: BSD-3-Clause */
/* Records in the layouts of the kernel's versions, built by hand. */
#include "tests/lib/suite.h"

#include "libjuggle/linux/taskstats_record.h"

#include <errno.h>
#include <string.h>

enum { RECORD_SIZE = 512, SIZE_V1 = 80, SIZE_V8 = 328 };

static char record[RECORD_SIZE];

static void put(size_t offset, uint64_t value)
{
    memcpy(record + offset, &value, sizeof(value));
}

static void build(uint16_t version, size_t shift)
{
    memset(record, 0xee, sizeof(record));
    memcpy(record, &version, sizeof(version));
    put(16, 7);
    put(24, 3000);
    put(72 + shift, 5000);
    put(136 + shift, 9);
}

static void expect_read(uint16_t version, size_t size)
{
    struct taskstats_record read;

    ck_assert_msg(taskstats_record_parse(record, size, &read) == 0, "version %d", version);
    ck_assert_int_eq(read.slices_count, 7);
    ck_assert_int_eq(read.wait_ns, 3000);
    ck_assert_int_eq(read.run_ns, 5000);
    ck_assert_int_eq(read.age_ns, 9 * NSEC_PER_USEC);
}

START_TEST(versions_grow_at_the_end)
{
    for (uint16_t version = 8; version <= 20; version++) {
        if (version == 15)
            continue;
        build(version, 0);
        expect_read(version, SIZE_V8);
        expect_read(version, RECORD_SIZE);
    }
}

START_TEST(version_fifteen_did_not)
{
    build(15, 48);
    expect_read(15, RECORD_SIZE);
}

START_TEST(what_is_too_short_is_refused)
{
    struct taskstats_record read = {.run_ns = -5};

    build(8, 0);
    ck_assert_int_eq(taskstats_record_parse(record, 0, &read), -EBADMSG);
    ck_assert_int_eq(taskstats_record_parse(record, SIZE_V1, &read), -EBADMSG);
    build(15, 48);
    ck_assert_int_eq(taskstats_record_parse(record, 144, &read), -EBADMSG);
    ck_assert_int_eq(read.run_ns, -5);
}

SUITE("taskstats_record")
