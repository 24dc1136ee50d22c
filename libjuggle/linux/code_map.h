/* SPDX-License-Identifier: BSD-3-Clause */
/* Which file the code at an address of a process comes from. */
#ifndef JUGGLE_LINUX_CODE_MAP_H
#define JUGGLE_LINUX_CODE_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Calls `see` for each part of a process's memory until that returns false. `file` is the name of
 * what is mapped there, without its folders and to be trusted no more than any of a stranger's
 * names; empty where there is none. Nothing where the process is hidden or has ended. */
typedef bool code_map_see(void *context, uint64_t begin, uint64_t end, const char *file);
void code_map_walk(int proc_fd, pid_t pid, code_map_see *see, void *context);

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

#endif
