/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for tasks: much of it is occupied only as it is used, and goes back to the kernel. */
#ifndef JUGGLE_STEAL_DEQUE_MEMORY_H
#define JUGGLE_STEAL_DEQUE_MEMORY_H

#include <stddef.h>

/* Zeroed, aligned as by malloc() at least; NULL if there is no room for it. */
void *memory_reserve(size_t size);

/* Of that size. Accepts NULL. */
void memory_release(void *memory, size_t size);

#endif
