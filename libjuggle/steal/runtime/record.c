/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/record.h"

#include "libjuggle/steal/deque/memory.h"

#include <errno.h>
#include <string.h>

int record_open(struct record *record, size_t size)
{
    record->size = size;
    record->tasks = memory_reserve(size);
    return record->tasks ? 0 : -ENOMEM;
}

void record_close(struct record *record)
{
    memory_release(record->tasks, record->size);
}

void record_clear(struct record *record)
{
    record->count = 0;
    record->full = false;
}

void record_add(struct record *record, const void *tasks, size_t count, size_t stride)
{
    if ((record->count + count) * stride > record->size) {
        record->full = true;
        return;
    }
    memcpy(record->tasks + record->count * stride, tasks, count * stride);
    record->count += count;
}
