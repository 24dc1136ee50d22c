/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for tasks, possibly much more than is used: large pieces occupy pages only as they are
 * used, and are returned to the kernel when they are freed. */
#ifndef JUGGLE_STEAL_DEQUE_MEMORY_H
#define JUGGLE_STEAL_DEQUE_MEMORY_H

#include <stddef.h>

/* Returns `size` bytes, zeroed, aligned as by malloc() at least; NULL if there is no memory. */
void *memory_reserve(size_t size);

/* Frees memory of that size. Accepts NULL. */
void memory_release(void *memory, size_t size);

#endif
