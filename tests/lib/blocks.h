/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that a program has allocated and not freed: how much each caller has. */
#ifndef JUGGLE_TESTS_BLOCKS_H
#define JUGGLE_TESTS_BLOCKS_H

/* NULL is no block. */
void *blocks_add(void *block, const void *caller);
void blocks_remove(void *block);

/* Around a fork, so that the child finds no lock taken. */
void blocks_lock(void);
void blocks_unlock(void);

/* Writes the caller of each block, "PROGRAM OR LIBRARY+OFFSET", a line each, into this file. */
void blocks_write(const char *path);

#endif
