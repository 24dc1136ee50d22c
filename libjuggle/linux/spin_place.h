/* SPDX-License-Identifier: BSD-3-Clause */
/* Names the program or library that an address of a process lies in, for whoever can change how
 * that waits. */
#ifndef JUGGLE_LINUX_SPIN_PLACE_H
#define JUGGLE_LINUX_SPIN_PLACE_H

#include <stdint.h>
#include <sys/types.h>

enum { SPIN_PLACE_SIZE = 64 };

/* The name of a file without its folders, cut if need be; empty for code that is in no file. A type
 * of its own, as struct comm. */
struct spin_place {
    char untrusted[SPIN_PLACE_SIZE];
};

void spin_place_find(int proc_fd, pid_t pid, uint64_t address, struct spin_place *place);

#endif
