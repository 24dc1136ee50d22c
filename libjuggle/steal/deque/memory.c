/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/deque/memory.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void *memory_reserve(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

void memory_forget(unsigned char *first, unsigned char *end)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char *const from = first + (page - (uintptr_t)first % page) % page;
    unsigned char *const to = end - (uintptr_t)end % page;

    if (from < to)
        (void)madvise(from, (size_t)(to - from), MADV_DONTNEED);
}

void memory_release(void *memory, size_t size)
{
    if (memory)
        munmap(memory, size);
}
