/* SPDX-License-Identifier: BSD-3-Clause */
/* Ledgers as files: a ledger is read as it was written, and no other file is taken for one. */
#include "tests/lib/suite.h"

#include "libjuggle/steal/placement/archive.h"

#include <string.h>

enum { ENTRIES = 5, SIZE = ARCHIVE_HEADER_SIZE + ENTRIES * ARCHIVE_ENTRY_SIZE };

static unsigned char file[SIZE + 1];

static void write_file(const char *name)
{
    struct archive archive = {.ranks = 7};

    for (uint32_t i = 0; i < ENTRIES; i++) {
        const struct archive_entry entry = {UINT64_MAX - i, INT64_MAX / (i + 1), i, 2 * i};
        unsigned char *bytes = file + ARCHIVE_HEADER_SIZE + i * ARCHIVE_ENTRY_SIZE;

        archive_entry_put(&entry, bytes);
        archive_add(&archive, bytes, 1);
    }
    archive_header_put(&archive, name, file);
}

START_TEST(what_was_put_in_comes_out)
{
    struct archive archive = {0};

    write_file("fock");
    ck_assert_ptr_null(archive_check(file, SIZE, "fock", &archive));
    ck_assert_uint_eq(archive.ranks, 7);
    ck_assert_uint_eq(archive.entries, ENTRIES);
    for (uint32_t i = 0; i < ENTRIES; i++) {
        struct archive_entry entry;

        archive_entry_get(file + ARCHIVE_HEADER_SIZE + i * ARCHIVE_ENTRY_SIZE, &entry);
        ck_assert_uint_eq(entry.key, UINT64_MAX - i);
        ck_assert_int_eq(entry.predicted_ns, INT64_MAX / (i + 1));
        ck_assert_uint_eq(entry.runs, i);
        ck_assert_uint_eq(entry.rank, 2 * i);
    }
}

START_TEST(numbers_are_little_endian_everywhere)
{
    const struct archive_entry entry = {0x0102030405060708, 0x1112131415161718, 0x21222324,
                                        0x31323334};
    static const unsigned char expected[ARCHIVE_ENTRY_SIZE] = {
        8,    7,    6,    5,    4,    3,    2,    1,    0x18, 0x17, 0x16, 0x15,
        0x14, 0x13, 0x12, 0x11, 0x24, 0x23, 0x22, 0x21, 0x34, 0x33, 0x32, 0x31};
    unsigned char bytes[ARCHIVE_ENTRY_SIZE];

    archive_entry_put(&entry, bytes);
    ck_assert_mem_eq(bytes, expected, sizeof(bytes));
}

START_TEST(digests_do_not_depend_on_the_portions)
{
    struct archive whole = {0}, parts = {0};

    write_file("fock");
    archive_add(&whole, file + ARCHIVE_HEADER_SIZE, ENTRIES);
    archive_add(&parts, file + ARCHIVE_HEADER_SIZE, 2);
    archive_add(&parts, file + ARCHIVE_HEADER_SIZE + 2 * ARCHIVE_ENTRY_SIZE, ENTRIES - 2);
    ck_assert_uint_eq(whole.digest, parts.digest);
    ck_assert_uint_eq(whole.entries, parts.entries);
}

START_TEST(every_changed_bit_is_found)
{
    struct archive untouched = {.ranks = 99};

    write_file("fock");
    for (size_t bit = 0; bit < 8 * SIZE; bit++) {
        file[bit / 8] ^= (unsigned char)(1 << bit % 8);
        ck_assert_ptr_nonnull(archive_check(file, SIZE, "fock", &untouched));
        file[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    ck_assert_uint_eq(untouched.ranks, 99);
    ck_assert_ptr_null(archive_check(file, SIZE, "fock", &untouched));
}

START_TEST(every_other_length_is_refused)
{
    struct archive archive;

    write_file("fock");
    for (size_t size = 0; size < SIZE; size++)
        ck_assert_ptr_nonnull(archive_check(file, size, "fock", &archive));
    ck_assert_str_eq(archive_check(file, SIZE + 1, "fock", &archive), "is cut off, or has grown");
    ck_assert_str_eq(archive_check(file, SIZE - 24, "fock", &archive), "is cut off, or has grown");
}

START_TEST(other_files_are_told_what_they_are)
{
    struct archive archive;
    char longer[2 * ARCHIVE_NAME_SIZE];

    write_file("fock");
    ck_assert_str_eq(archive_check(file, SIZE, "contract", &archive),
                     "is the ledger of tasks of another function");
    ck_assert_str_eq(archive_check((const unsigned char *)"root:x:0:0", 10, "fock", &archive),
                     "is not a ledger of tasks");
    file[8] = 2;
    ck_assert_str_eq(archive_check(file, SIZE, "fock", &archive), "is a ledger of another version");
    memset(longer, 'a', sizeof(longer));
    longer[sizeof(longer) - 1] = '\0';
    write_file(longer);
    ck_assert_ptr_null(archive_check(file, SIZE, longer, &archive));
}

SUITE("archive")
