/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table with linear probing that allocates nothing itself. Blocks that do not fit in are
 * not counted. */
#include "tests/lib/blocks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PLACES_COUNT = 1 << 18, PLACES_USED_MAX = PLACES_COUNT / 2, LINE_SIZE = 512 };

struct place {
    void *block; /* NULL: free */
    const void *caller;
};

static struct place places[PLACES_COUNT];
static int used;
static atomic_flag locked = ATOMIC_FLAG_INIT;

void blocks_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
        ;
}

void blocks_unlock(void)
{
    atomic_flag_clear_explicit(&locked, memory_order_release);
}

static size_t home(const void *block)
{
    return ((uintptr_t)block >> 4) * 0x9e3779b97f4a7c15u >> 46;
}

static size_t after(size_t at)
{
    return (at + 1) % PLACES_COUNT;
}

/* Returns the place of the block, or the free one where it may be put. */
static size_t find(const void *block)
{
    size_t at = home(block);

    while (places[at].block && places[at].block != block)
        at = after(at);
    return at;
}

void *blocks_add(void *block, const void *caller)
{
    blocks_lock();
    if (block && used < PLACES_USED_MAX) {
        struct place *place = &places[find(block)];
        used += !place->block;
        *place = (struct place){block, caller};
    }
    blocks_unlock();
    return block;
}

/* Moves up the blocks behind the gap, except blocks whose home is behind the gap: a search for a
 * block must not meet a gap before it. */
static void remove_at(size_t gap)
{
    for (size_t at = after(gap); places[at].block; at = after(at)) {
        const size_t wanted = home(places[at].block);
        const size_t distance = (at - wanted) % PLACES_COUNT;
        if (distance >= (at - gap) % PLACES_COUNT) {
            places[gap] = places[at];
            gap = at;
        }
    }
    places[gap].block = NULL;
    used--;
}

void blocks_remove(void *block)
{
    blocks_lock();
    if (block) {
        const size_t at = find(block);
        if (places[at].block)
            remove_at(at);
    }
    blocks_unlock();
}

static void write_caller(int fd, const void *caller)
{
    char line[LINE_SIZE];
    Dl_info info;

    if (!dladdr(caller, &info) || !info.dli_fname)
        return;
    const char *slash = strrchr(info.dli_fname, '/');
    const int size = snprintf(line, sizeof(line), "%s+%#zx\n", slash ? slash + 1 : info.dli_fname,
                              (size_t)((const char *)caller - (const char *)info.dli_fbase));
    if (size > 0 && size < LINE_SIZE)
        (void)!write(fd, line, (size_t)size);
}

void blocks_write(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

    for (size_t at = 0; fd >= 0 && at < PLACES_COUNT; at++)
        if (places[at].block)
            write_caller(fd, places[at].caller);
    close(fd);
}
