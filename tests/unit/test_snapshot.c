/* SPDX-License-Identifier: BSD-3-Clause */
/* The format of checkpoints: a file is read as it was written, by any number of ranks, and each
 * error in a file is found. */
#include "tests/lib/suite.h"

#include "libjuggle/steal/placement/bytes.h"
#include "libjuggle/steal/placement/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct snapshot sample = {
    .layout = {[LAYOUT_TASK_SIZE] = 20,
               [LAYOUT_RETAIN] = 1,
               [LAYOUT_LEVELS] = 1,
               [LAYOUT_STORAGE] = 12,
               [LAYOUT_DATA] = 9},
    .state = {[STATE_BOUND] = UINT64_C(0x8000000000000001),
              [STATE_RESULT] = 7,
              [STATE_RESULTS_LENGTH] = 1000},
    .records = {[PART_TASKS] = 3,
                [PART_KEPT] = 5,
                [PART_COUNTERS] = 1,
                [PART_STORAGES] = 2,
                [PART_SHELF] = 4,
                [PART_DATA] = 2},
    .sum = UINT64_C(0xfedcba9876543210),
};

/* Checks a header as that of a file of this size. */
static const char *check(const unsigned char *header, uint64_t size, struct snapshot *read)
{
    return snapshot_check(header, size, "visit", sample.layout, read);
}

START_TEST(parts_lie_behind_each_other)
{
    ck_assert_uint_eq(snapshot_record_size(&sample, PART_TASKS), 8 + 16 + 24);
    ck_assert_uint_eq(snapshot_record_size(&sample, PART_KEPT), 48);
    ck_assert_uint_eq(snapshot_record_size(&sample, PART_COUNTERS), 24 + 24);
    ck_assert_uint_eq(snapshot_record_size(&sample, PART_STORAGES), 16);
    ck_assert_uint_eq(snapshot_offset(&sample, PART_TASKS, 0), 232);
    ck_assert_uint_eq(snapshot_offset(&sample, PART_KEPT, 1), 232 + 3 * 48 + 48);
    ck_assert_uint_eq(snapshot_offset(&sample, PART_DATA, 0), 232 + 8 * 48 + 48 + 2 * 16 + 4 * 8);
    ck_assert_uint_eq(snapshot_size(&sample), 232 + 8 * 48 + 48 + 2 * 16 + 4 * 8 + 2 * 8);
}

/* Compares the bytes: a file from one machine is readable on another. */
START_TEST(a_header_is_the_same_on_all_machines)
{
    unsigned char header[SNAPSHOT_HEADER_SIZE];

    snapshot_put(&sample, "visit", header);
    ck_assert_mem_eq(header, "JUGGLECP\1\0\0\0", 12);
    ck_assert_mem_eq(header + 16, "\x10\x32\x54\x76\x98\xba\xdc\xfe", 8);
    ck_assert_mem_eq(header + 32, "visit\0\0\0", 8);
    ck_assert_mem_eq(header + 96, "\24\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 16);
    ck_assert_mem_eq(header + 96 + 8 * LAYOUT_COUNT, "\1\0\0\0\0\0\0\x80", 8);
    ck_assert_mem_eq(header + 232 - 8, "\2\0\0\0\0\0\0\0", 8);
}

START_TEST(what_is_written_is_read_again)
{
    unsigned char header[SNAPSHOT_HEADER_SIZE];
    struct snapshot read;

    snapshot_put(&sample, "visit", header);
    ck_assert_ptr_null(check(header, snapshot_size(&sample), &read));
    ck_assert_mem_eq(&read, &sample, sizeof(sample));
}

START_TEST(every_bit_of_a_header_counts)
{
    unsigned char header[SNAPSHOT_HEADER_SIZE];
    struct snapshot read;

    for (size_t bit = 0; bit < 8 * sizeof(header); bit++) {
        snapshot_put(&sample, "visit", header);
        header[bit / 8] ^= (unsigned char)(1 << bit % 8);
        ck_assert_msg(check(header, snapshot_size(&sample), &read), "bit %zu", bit);
    }
}

static void expect_wrong(const char *name, enum snapshot_layout which, const char *wrong)
{
    unsigned char header[SNAPSHOT_HEADER_SIZE];
    struct snapshot written = sample, read;

    written.layout[which]++;
    snapshot_put(&written, name, header);
    ck_assert_str_eq(check(header, snapshot_size(&written), &read), wrong);
}

START_TEST(what_is_of_another_collection_is_told)
{
    unsigned char header[SNAPSHOT_HEADER_SIZE];
    struct snapshot read;

    snapshot_put(&sample, "count", header);
    ck_assert_str_eq(check(header, snapshot_size(&sample), &read),
                     "is the checkpoint of tasks of another function");
    expect_wrong("visit", LAYOUT_TASK_SIZE, "was saved with a different value of task_size");
    expect_wrong("visit", LAYOUT_RETAIN, "was saved with a different value of retain");
    expect_wrong("visit", LAYOUT_LEVELS, "was saved with a different value of levels");
    expect_wrong("visit", LAYOUT_WEIGHTED, "was saved with a different value of weighted");
    expect_wrong("visit", LAYOUT_WAITING, "was saved with a different value of waiting");
    expect_wrong("visit", LAYOUT_STORAGE, "was saved with a different value of storage");
    expect_wrong("visit", LAYOUT_BOUND, "was saved with a different value of bound");
    expect_wrong("visit", LAYOUT_DATA, "was saved with a different value of data_size");
}

/* As a machine of the other byte order writes it: everything but the mark is the same. */
START_TEST(what_another_byte_order_wrote_is_told)
{
    unsigned char header[SNAPSHOT_HEADER_SIZE];
    struct snapshot read;

    snapshot_put(&sample, "visit", header);
    header[12] ^= 3;
    bytes_put(header + 24,
              bytes_digest(bytes_digest(0, header, 24), header + 32, sizeof(header) - 32), 8);
    ck_assert_str_eq(check(header, snapshot_size(&sample), &read),
                     "was written on a machine of another byte order, as are the tasks in it");
}

START_TEST(what_is_no_such_file_is_told)
{
    unsigned char header[SNAPSHOT_HEADER_SIZE];
    struct snapshot read, huge = sample;

    snapshot_put(&sample, "visit", header);
    ck_assert_str_eq(check(header, 0, &read), "is not a checkpoint");
    ck_assert_str_eq(check(header, 7, &read), "is not a checkpoint");
    ck_assert_str_eq(check(header, SNAPSHOT_HEADER_SIZE - 1, &read), "is cut off");
    ck_assert_str_eq(check(header, snapshot_size(&sample) - 1, &read), "is cut off, or has grown");
    ck_assert_str_eq(check(header, snapshot_size(&sample) + 8, &read), "is cut off, or has grown");
    header[8] = 2;
    ck_assert_str_eq(check(header, snapshot_size(&sample), &read),
                     "is a checkpoint of another version");
    header[6] = 'L'; /* "JUGGLELG" */
    header[7] = 'G';
    ck_assert_str_eq(check(header, snapshot_size(&sample), &read), "is not a checkpoint");
    /* Sizes whose sum overflows. */
    huge.records[PART_TASKS] = UINT64_C(1) << 60;
    snapshot_put(&huge, "visit", header);
    ck_assert_str_eq(check(header, snapshot_size(&huge), &read), "is cut off, or has grown");
}

/* The sum does not depend on which rank has which record, but on which record it is, and on each
 * of its bits. */
START_TEST(sums_are_of_records_and_their_places)
{
    unsigned char records[3 * 48], turned[3 * 48];
    uint64_t whole;

    for (size_t i = 0; i < sizeof(records); i++)
        records[i] = (unsigned char)(i * 37);
    whole = snapshot_sum(&sample, PART_TASKS, 10, records, 3);
    ck_assert_uint_eq(whole, snapshot_sum(&sample, PART_TASKS, 11, records + 48, 2) +
                                 snapshot_sum(&sample, PART_TASKS, 10, records, 1));
    ck_assert_uint_ne(whole, snapshot_sum(&sample, PART_KEPT, 10, records, 3));
    ck_assert_uint_ne(whole, snapshot_sum(&sample, PART_TASKS, 9, records, 3));
    memcpy(turned, records + 48, 48);
    memcpy(turned + 48, records, 48);
    memcpy(turned + 96, records + 96, 48);
    ck_assert_uint_ne(whole, snapshot_sum(&sample, PART_TASKS, 10, turned, 3));
    for (size_t bit = 0; bit < 8 * sizeof(records); bit++) {
        records[bit / 8] ^= (unsigned char)(1 << bit % 8);
        ck_assert_uint_ne(whole, snapshot_sum(&sample, PART_TASKS, 10, records, 3));
        records[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

SUITE("snapshot")
