/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that is reserved at once and occupied as it is used. */
#ifndef JUGGLE_STEAL_DEQUE_MEMORY_H
#define JUGGLE_STEAL_DEQUE_MEMORY_H

#include <stddef.h>

/* Zeroed, aligned to a page; NULL if there is no room for it. */
void *memory_reserve(size_t size);

/* Gives back the whole pages between the two addresses: they read as zero from now on. */
void memory_forget(unsigned char *first, unsigned char *end);

/* Accepts NULL. */
void memory_release(void *memory, size_t size);

#endif
