/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts for each caller the memory that a program has allocated and not freed. */
#ifndef JUGGLE_TESTS_BLOCKS_H
#define JUGGLE_TESTS_BLOCKS_H

/* NULL is not counted as a block. */
void *blocks_add(void *block, const void *caller);
void blocks_remove(void *block);

/* Taken around a fork, so that the lock is free in the child. */
void blocks_lock(void);
void blocks_unlock(void);

/* Writes the caller of each block, "PROGRAM OR LIBRARY+OFFSET", one a line, into this file. */
void blocks_write(const char *path);

#endif
