/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/deque/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Smaller pieces come from the heap, so that thousands of ranks in one process share pages. */
enum { MAPPED_MIN = 1 << 16 };

static bool is_mapped(size_t size)
{
    return size >= MAPPED_MIN;
}

void *memory_reserve(size_t size)
{
    void *memory;

    if (!is_mapped(size))
        return calloc(1, size);
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void memory_release(void *memory, size_t size)
{
    if (!is_mapped(size))
        free(memory);
    else if (memory)
        munmap(memory, size);
}
