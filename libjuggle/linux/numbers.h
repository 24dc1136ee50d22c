/* SPDX-License-Identifier: BSD-3-Clause */
/* Directories of /proc whose entries are numbers: of processes, of the threads of one, or of open
 * files. */
#ifndef JUGGLE_LINUX_NUMBERS_H
#define JUGGLE_LINUX_NUMBERS_H

#include "libjuggle/ground/units.h"

#include <dirent.h>
#include <sys/types.h>

/* Opens such a directory, to be closed by closedir. -ESRCH: it is gone; -ENOMEM, -EMFILE and
 * others. */
int numbers_open(int proc_fd, const char *path, DIR **directory) MUST_CHECK;

/* The next number above 0, or 0 at the end. */
pid_t numbers_next(DIR *directory);

#endif
