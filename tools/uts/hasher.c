/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/uts/hasher.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

extern const struct hasher hasher_c, hasher_avx2, hasher_avx512;

static bool always_usable(void)
{
    return true;
}

#ifdef __x86_64__
static bool avx2_usable(void)
{
    return __builtin_cpu_supports("avx2");
}

static bool avx512_usable(void)
{
    return __builtin_cpu_supports("avx512f");
}
#endif

/* In rising order of speed. */
static const struct {
    const struct hasher *hasher;
    bool (*usable)(void);
} hashers[] = {
    {&hasher_c, always_usable},
#ifdef __x86_64__
    {&hasher_avx2, avx2_usable},
    {&hasher_avx512, avx512_usable},
#endif
};

static const struct hasher *hasher_best(void)
{
    size_t best = ARRAY_COUNT(hashers) - 1;

    while (!hashers[best].usable())
        best--;
    return hashers[best].hasher;
}

int hasher_find(const char *name, const struct hasher **hasher)
{
    if (!strcmp(name, "auto")) {
        *hasher = hasher_best();
        return 0;
    }
    for (size_t i = 0; i < ARRAY_COUNT(hashers); i++) {
        if (strcmp(name, hashers[i].hasher->name))
            continue;
        if (!hashers[i].usable())
            return -ENOTSUP;
        *hasher = hashers[i].hasher;
        return 0;
    }
    return -ENOENT;
}

void hash_index_fill(struct hash_index *index, uint32_t child)
{
    memset(index, 0, sizeof(*index));
    index->words[SHA1_INDEX] = child;
    sha1_schedule(index->words);
}
