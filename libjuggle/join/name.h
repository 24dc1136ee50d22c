/* SPDX-License-Identifier: BSD-3-Clause */
/* What jobs may be called, and what the launcher of this process calls its own. */
#ifndef JUGGLE_JOIN_NAME_H
#define JUGGLE_JOIN_NAME_H

#include <stdbool.h>

enum { JOIN_NAME_SIZE = 41 };

/* 1 to 40 letters, digits, '.', '_', ':' or '-', the first no '-' and no '.'. */
bool join_name_is_right(const char *name);
#define JOIN_NAME_EXPECTED "1 to 40 letters, digits or any of . _ : -, the first no . or -"

/* The name of the job that the launcher of this process runs, by what it says in the environment;
 * else that of all processes of one parent. */
void join_name(char name[JOIN_NAME_SIZE]);

/* What the user wishes by the variable JUGGLE: false for nothing ("0" or empty); *name is NULL for
 * the launcher's job ("1"). */
bool join_wish(const char **name);

#endif
