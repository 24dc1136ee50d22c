/* SPDX-License-Identifier: BSD-3-Clause */
/* How it is said that somebody has reached a limit of the configuration. */
#ifndef JUGGLE_JUGGLED_LIMIT_H
#define JUGGLE_JUGGLED_LIMIT_H

enum { LIMIT_TOLD_SIZE = 128 };

/* "more than 8 jobs of this user, see jobs-per-user in juggle.conf" */
void limit_tell(int limit, const char *what, const char *key, char told[LIMIT_TOLD_SIZE]);

#endif
