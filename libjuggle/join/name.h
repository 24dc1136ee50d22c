/* SPDX-License-Identifier: BSD-3-Clause */
/* Which names a job may have, and which name the launcher's job has. */
#ifndef JUGGLE_JOIN_NAME_H
#define JUGGLE_JOIN_NAME_H

#include <stdbool.h>

enum { JOIN_NAME_SIZE = 41 };

/* 1 to 40 letters, digits, '.', '_', ':' or '-', the first no '-' and no '.'. */
bool join_name_is_right(const char *name);
#define JOIN_NAME_EXPECTED "1 to 40 letters, digits or any of . _ : -, the first no . or -"

/* Writes the name of the launcher's job, by the variables that the launcher sets in the
 * environment. If there are none, writes a name that all children of the launcher share, or else
 * all children of the parent process. */
void join_name(char name[JOIN_NAME_SIZE]);

/* Reads the environment variable JUGGLE. False if it is "0", empty or not set. Sets *name to NULL
 * for the launcher's job ("1"), else to the value. */
bool join_wish(const char **name);

#endif
