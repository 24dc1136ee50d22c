/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A ledger in a file: what is known of tasks by their keys, for the next run of a program. Numbers
 * are little-endian on all machines.
 *
 *     bytes 0   "JUGGLELG", then the version (4 bytes) and the number of ranks (4)
 *           16  the number of entries (8), the digest of all bytes but these eight (8)
 *           32  the name of the function that executes the tasks, padded with zeros (64)
 *           96  entries: key (8), prediction in nanoseconds (8), runs (4), rank (4)
 */
#ifndef JUGGLE_STEAL_PLACEMENT_ARCHIVE_H
#define JUGGLE_STEAL_PLACEMENT_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARCHIVE_HEADER_SIZE = 96, ARCHIVE_ENTRY_SIZE = 24, ARCHIVE_NAME_SIZE = 64 };

struct archive_entry {
    uint64_t key;
    int64_t predicted_ns;
    uint32_t runs;
    uint32_t rank; /* the rank that executed the task last */
};

struct archive {
    uint32_t ranks;
    uint64_t entries;
    uint64_t digest; /* digest of the entries so far */
};

void archive_entry_put(const struct archive_entry *entry, unsigned char *bytes);
void archive_entry_get(const unsigned char *bytes, struct archive_entry *entry);

/* Adds `entries` entries, in the form of bytes, to the count and the digest. */
void archive_add(struct archive *archive, const unsigned char *bytes, uint64_t entries);

/* Writes the header, after all entries were added. A name that is too long is cut. */
void archive_header_put(const struct archive *archive, const char *name, unsigned char *bytes);

/* True if the file may be a ledger, of whatever tasks and version. The first ARCHIVE_HEADER_SIZE
 * bytes are enough. */
bool archive_begins(const unsigned char *file, size_t size);

/* Returns NULL if the file is a complete ledger of that function, otherwise what is wrong with
 * it. */
const char *archive_check(const unsigned char *file, size_t size, const char *name,
                          struct archive *archive);

#endif
