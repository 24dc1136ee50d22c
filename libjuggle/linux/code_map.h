/* SPDX-License-Identifier: BSD-3-Clause */
/* Which file the code at an address of a process comes from. */
#ifndef JUGGLE_LINUX_CODE_MAP_H
#define JUGGLE_LINUX_CODE_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { RUNTIME_PARTS_MAX = 16 };

/* Where threads wait for each other: code of OpenMP's runtimes, which does no work of a program,
 * and of the C library, which waits only where it calls the kernel. */
struct runtime_code {
    int parts_count;
    struct runtime_part {
        uint64_t begin, end;
        bool libc;
    } parts[RUNTIME_PARTS_MAX];
};

void runtime_code_read(int proc_fd, pid_t pid, struct runtime_code *code);

/* NULL: it is the program's, or of a library that works for it. */
const struct runtime_part *runtime_code_at(const struct runtime_code *code, uint64_t address);

enum { CODE_PLACE_SIZE = 64 };

/* The name of a file without its folders, cut if need be; empty for code that is in no file. A type
 * of its own, as struct comm. */
struct code_place {
    char untrusted[CODE_PLACE_SIZE];
};

/* Names the program or library that an address lies in, for whoever can change how that waits. */
void code_place_find(int proc_fd, pid_t pid, uint64_t address, struct code_place *place);

#endif
