/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_FIRST = 1 << 16 };

int spool_open(struct spool *spool, size_t memory_max)
{
    *spool = (struct spool){.memory_max = memory_max};
    spill_init(&spool->spill);
    return -pthread_mutex_init(&spool->lock, NULL);
}

void spool_close(struct spool *spool)
{
    pthread_mutex_destroy(&spool->lock);
    spill_close(&spool->spill);
    free(spool->memory);
}

static bool spilled(const struct spool *spool)
{
    return spool->spill.end > spool->spill_begin;
}

/* Makes room in memory, at its end, for `size` bytes; false if there is none. */
static bool memory_fits(struct spool *spool, size_t size)
{
    size_t grown = spool->memory_size > 0 ? 2 * spool->memory_size : MEMORY_FIRST;
    unsigned char *memory;

    if (spool->begin > spool->memory_size / 2 && spool->end + size > spool->memory_size) {
        memmove(spool->memory, spool->memory + spool->begin, spool->end - spool->begin);
        spool->end -= spool->begin;
        spool->begin = 0;
    }
    if (spool->end + size <= spool->memory_size)
        return true;
    while (grown < spool->end + size)
        grown *= 2;
    if (grown > spool->memory_max)
        return false;
    memory = realloc(spool->memory, grown);
    if (!memory)
        return false;
    spool->memory = memory;
    spool->memory_size = grown;
    return true;
}

static int add_spilled(struct spool *spool, const struct result_head *head, const void *data)
{
    static const unsigned char zeros[8];
    const size_t padding = result_room(head->size) - sizeof(*head) - head->size;
    const off_t end = spool->spill.end;
    off_t at;
    int result = spill_add(&spool->spill, head, sizeof(*head), &at);

    if (result == 0)
        result = spill_add(&spool->spill, data, head->size, &at);
    if (result == 0)
        result = spill_add(&spool->spill, zeros, padding, &at);
    if (result < 0)
        spool->spill.end = end;
    return result;
}

/* Results keep their order: once some went to the file, later ones go there until it is empty. */
static int add_locked(struct spool *spool, const struct result_head *head, const void *data)
{
    const size_t room = result_room(head->size);

    if (spilled(spool) || !memory_fits(spool, room))
        return add_spilled(spool, head, data);
    memcpy(spool->memory + spool->end, head, sizeof(*head));
    if (head->size > 0)
        memcpy(spool->memory + spool->end + sizeof(*head), data, head->size);
    spool->end += room;
    return 0;
}

int spool_add(struct spool *spool, uint64_t id, const void *data, size_t size)
{
    const struct result_head head = {id, size};
    int result;

    pthread_mutex_lock(&spool->lock);
    result = add_locked(spool, &head, data);
    if (result == 0)
        atomic_store_explicit(&spool->occupied, true, memory_order_release);
    pthread_mutex_unlock(&spool->lock);
    return result;
}

/* The size of the whole results in the first `size` bytes. */
static size_t whole(const unsigned char *records, size_t size)
{
    size_t used = 0;

    while (used + sizeof(struct result_head) <= size) {
        struct result_head head;

        memcpy(&head, records + used, sizeof(head));
        if (used + result_room(head.size) > size)
            break;
        used += result_room(head.size);
    }
    return used;
}

static int take_spilled(struct spool *spool, void *out, size_t most, size_t *size)
{
    const off_t left = spool->spill.end - spool->spill_begin;
    const size_t read = (size_t)min_i64((int64_t)most, left);
    int result = spill_read(&spool->spill, spool->spill_begin, out, read);

    if (result < 0)
        return result;
    *size = whole(out, read);
    spool->spill_begin += (off_t)*size;
    if (!spilled(spool)) {
        spill_clear(&spool->spill);
        spool->spill_begin = 0;
    }
    return 0;
}

static int take_locked(struct spool *spool, void *out, size_t most, size_t *size)
{
    if (spool->end == spool->begin)
        return spilled(spool) ? take_spilled(spool, out, most, size) : 0;
    *size = whole(spool->memory + spool->begin,
                  (size_t)min_i64((int64_t)most, (int64_t)(spool->end - spool->begin)));
    memcpy(out, spool->memory + spool->begin, *size);
    spool->begin += *size;
    if (spool->begin == spool->end)
        spool->begin = spool->end = 0;
    return 0;
}

int spool_take(struct spool *spool, void *out, size_t most, size_t *size)
{
    int result;

    *size = 0;
    pthread_mutex_lock(&spool->lock);
    result = take_locked(spool, out, most, size);
    atomic_store_explicit(&spool->occupied, spool->end > spool->begin || spilled(spool),
                          memory_order_release);
    pthread_mutex_unlock(&spool->lock);
    return result;
}

void spool_clear(struct spool *spool)
{
    pthread_mutex_lock(&spool->lock);
    spool->begin = spool->end = 0;
    spill_clear(&spool->spill);
    spool->spill_begin = 0;
    atomic_store_explicit(&spool->occupied, false, memory_order_release);
    pthread_mutex_unlock(&spool->lock);
}
