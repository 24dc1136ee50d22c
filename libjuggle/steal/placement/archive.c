/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/placement/archive.h"

#include "libjuggle/steal/placement/bytes.h"

#include <string.h>

enum { VERSION = 1, VERSION_AT = 8, RANKS_AT = 12, ENTRIES_AT = 16, DIGEST_AT = 24, NAME_AT = 32 };

static const char magic[8] = "JUGGLELG";

void archive_entry_put(const struct archive_entry *entry, unsigned char *bytes)
{
    bytes_put(bytes, entry->key, 8);
    bytes_put(bytes + 8, (uint64_t)entry->predicted_ns, 8);
    bytes_put(bytes + 16, entry->runs, 4);
    bytes_put(bytes + 20, entry->rank, 4);
}

void archive_entry_get(const unsigned char *bytes, struct archive_entry *entry)
{
    *entry = (struct archive_entry){.key = bytes_get(bytes, 8),
                                    .predicted_ns = (int64_t)bytes_get(bytes + 8, 8),
                                    .runs = (uint32_t)bytes_get(bytes + 16, 4),
                                    .rank = (uint32_t)bytes_get(bytes + 20, 4)};
}

void archive_add(struct archive *archive, const unsigned char *bytes, uint64_t entries)
{
    archive->entries += entries;
    archive->digest = bytes_digest(archive->digest, bytes, entries * ARCHIVE_ENTRY_SIZE);
}

/* Digest of a header and of the entries behind it. */
static uint64_t digest_all(const unsigned char *header, uint64_t entries_digest)
{
    uint64_t digest = bytes_digest(entries_digest, header, DIGEST_AT);

    return bytes_digest(digest, header + NAME_AT, ARCHIVE_NAME_SIZE);
}

void archive_header_put(const struct archive *archive, const char *name, unsigned char *bytes)
{
    memcpy(bytes, magic, sizeof(magic));
    bytes_put(bytes + VERSION_AT, VERSION, 4);
    bytes_put(bytes + RANKS_AT, archive->ranks, 4);
    bytes_put(bytes + ENTRIES_AT, archive->entries, 8);
    bytes_put_name(bytes + NAME_AT, name, ARCHIVE_NAME_SIZE);
    bytes_put(bytes + DIGEST_AT, digest_all(bytes, archive->digest), 8);
}

bool archive_begins(const unsigned char *file, size_t size)
{
    return size >= sizeof(magic) && memcmp(file, magic, sizeof(magic)) == 0;
}

const char *archive_check(const unsigned char *file, size_t size, const char *name,
                          struct archive *archive)
{
    unsigned char own_name[ARCHIVE_NAME_SIZE];
    struct archive read = {0};

    if (!archive_begins(file, size))
        return "is not a ledger of tasks";
    if (size < ARCHIVE_HEADER_SIZE)
        return "is cut off";
    if (bytes_get(file + VERSION_AT, 4) != VERSION)
        return "is a ledger of another version";
    if (bytes_get(file + ENTRIES_AT, 8) != (size - ARCHIVE_HEADER_SIZE) / ARCHIVE_ENTRY_SIZE ||
        (size - ARCHIVE_HEADER_SIZE) % ARCHIVE_ENTRY_SIZE != 0)
        return "is cut off, or has grown";
    archive_add(&read, file + ARCHIVE_HEADER_SIZE, bytes_get(file + ENTRIES_AT, 8));
    if (bytes_get(file + DIGEST_AT, 8) != digest_all(file, read.digest))
        return "is damaged: its digest is wrong";
    bytes_put_name(own_name, name, sizeof(own_name));
    if (memcmp(file + NAME_AT, own_name, sizeof(own_name)) != 0)
        return "is the ledger of tasks of another function";
    read.ranks = (uint32_t)bytes_get(file + RANKS_AT, 4);
    *archive = read;
    return NULL;
}
