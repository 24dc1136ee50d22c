/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/placement/archive.h"

#include <string.h>

enum { VERSION = 1, VERSION_AT = 8, RANKS_AT = 12, ENTRIES_AT = 16, DIGEST_AT = 24, NAME_AT = 32 };

static const char magic[8] = "JUGGLELG";

static void put(unsigned char *bytes, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *bytes, int size)
{
    uint64_t value = 0;

    for (int i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

void archive_entry_put(const struct archive_entry *entry, unsigned char *bytes)
{
    put(bytes, entry->key, 8);
    put(bytes + 8, (uint64_t)entry->predicted_ns, 8);
    put(bytes + 16, entry->runs, 4);
    put(bytes + 20, entry->rank, 4);
}

void archive_entry_get(const unsigned char *bytes, struct archive_entry *entry)
{
    *entry = (struct archive_entry){.key = get(bytes, 8),
                                    .predicted_ns = (int64_t)get(bytes + 8, 8),
                                    .runs = (uint32_t)get(bytes + 16, 4),
                                    .rank = (uint32_t)get(bytes + 20, 4)};
}

/* FNV-1a by words of eight bytes, turned so that all bits of a word count. */
static uint64_t digest_of(uint64_t digest, const unsigned char *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += 8) {
        digest = (digest ^ get(bytes + at, 8)) * UINT64_C(0x100000001b3);
        digest = digest << 29 | digest >> 35;
    }
    return digest;
}

void archive_add(struct archive *archive, const unsigned char *bytes, uint64_t entries)
{
    archive->entries += entries;
    archive->digest = digest_of(archive->digest, bytes, entries * ARCHIVE_ENTRY_SIZE);
}

/* Of a header and the entries behind it. */
static uint64_t digest_all(const unsigned char *header, uint64_t entries_digest)
{
    uint64_t digest = digest_of(entries_digest, header, DIGEST_AT);

    return digest_of(digest, header + NAME_AT, ARCHIVE_NAME_SIZE);
}

static void name_put(const char *name, unsigned char *bytes)
{
    const size_t length = strlen(name);

    memset(bytes, 0, ARCHIVE_NAME_SIZE);
    memcpy(bytes, name, length < ARCHIVE_NAME_SIZE ? length : ARCHIVE_NAME_SIZE);
}

void archive_header_put(const struct archive *archive, const char *name, unsigned char *bytes)
{
    memcpy(bytes, magic, sizeof(magic));
    put(bytes + VERSION_AT, VERSION, 4);
    put(bytes + RANKS_AT, archive->ranks, 4);
    put(bytes + ENTRIES_AT, archive->entries, 8);
    name_put(name, bytes + NAME_AT);
    put(bytes + DIGEST_AT, digest_all(bytes, archive->digest), 8);
}

const char *archive_check(const unsigned char *file, size_t size, const char *name,
                          struct archive *archive)
{
    unsigned char own_name[ARCHIVE_NAME_SIZE];
    struct archive read = {0};

    if (size < sizeof(magic) || memcmp(file, magic, sizeof(magic)) != 0)
        return "is no ledger of tasks";
    if (size < ARCHIVE_HEADER_SIZE)
        return "is cut off";
    if (get(file + VERSION_AT, 4) != VERSION)
        return "is a ledger of another version";
    if (get(file + ENTRIES_AT, 8) != (size - ARCHIVE_HEADER_SIZE) / ARCHIVE_ENTRY_SIZE ||
        (size - ARCHIVE_HEADER_SIZE) % ARCHIVE_ENTRY_SIZE != 0)
        return "is cut off, or has grown";
    archive_add(&read, file + ARCHIVE_HEADER_SIZE, get(file + ENTRIES_AT, 8));
    if (get(file + DIGEST_AT, 8) != digest_all(file, read.digest))
        return "is damaged: its digest is wrong";
    name_put(name, own_name);
    if (memcmp(file + NAME_AT, own_name, sizeof(own_name)) != 0)
        return "is the ledger of tasks of another function";
    read.ranks = (uint32_t)get(file + RANKS_AT, 4);
    *archive = read;
    return NULL;
}
