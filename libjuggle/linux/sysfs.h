/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the small files of /sys, under a root directory, so that a recorded tree can stand in. */
#ifndef JUGGLE_LINUX_SYSFS_H
#define JUGGLE_LINUX_SYSFS_H

#include "libjuggle/linux/cpu_mask.h"

enum { SYSFS_TEXT_SIZE = 4096 }; /* a page, as much as a file with one value has */

/* "/sys" itself; the descriptor is closed on exec. */
int sysfs_open(int *sys_fd) MUST_CHECK;

/* Reads the file's first line without its newline. Errors are those of open(2) and read(2). */
int sysfs_text_read(int sys_fd, const char *path, char text[SYSFS_TEXT_SIZE]) MUST_CHECK;

/* Reads a list of processors, which may be longer than a page where many that are far apart are
 * listed. -ENODATA: there is none, or it may have been cut. */
int sysfs_list_read(int sys_fd, const char *path, struct cpu_mask *mask) MUST_CHECK;

#endif
