/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in files, the same on all machines: little-endian; and digests of bytes. */
#ifndef JUGGLE_STEAL_PLACEMENT_BYTES_H
#define JUGGLE_STEAL_PLACEMENT_BYTES_H

#include <stddef.h>
#include <stdint.h>

static inline void bytes_put(unsigned char *bytes, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

static inline uint64_t bytes_get(const unsigned char *bytes, int size)
{
    uint64_t value = 0;

    for (int i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* FNV-1a by words of eight bytes, with a rotation after each, so that all bits of a word count. The
 * size is a multiple of 8. */
static inline uint64_t bytes_digest(uint64_t digest, const unsigned char *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += 8) {
        digest = (digest ^ bytes_get(bytes + at, 8)) * UINT64_C(0x100000001b3);
        digest = digest << 29 | digest >> 35;
    }
    return digest;
}

/* Writes a name into a field of `size` bytes, padded with zeros. A name that is too long is cut. */
void bytes_put_name(unsigned char *bytes, const char *name, size_t size);

#endif
