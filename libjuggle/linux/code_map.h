/* SPDX-License-Identifier: BSD-3-Clause */
/* Which file the code at an address of a process comes from. */
#ifndef JUGGLE_LINUX_CODE_MAP_H
#define JUGGLE_LINUX_CODE_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { RUNTIME_PARTS_MAX = 16 };

/* Code in which threads wait for each other, or that they wait with. */
enum runtime_kind {
    RUNTIME_WAITS, /* of OpenMP's runtimes: it does no work of a program */
    RUNTIME_LIBC,  /* waits only where it calls the kernel */
    RUNTIME_OWN,   /* was loaded into the program by juggle, and waits for those who are caught */
    RUNTIME_VDSO,  /* of the kernel, which all of these call */
};

struct runtime_code {
    int parts_count;
    struct runtime_part {
        uint64_t begin, end;
        enum runtime_kind kind;
    } parts[RUNTIME_PARTS_MAX];
};

void runtime_code_read(int proc_fd, pid_t pid, struct runtime_code *code);

bool runtime_code_has(const struct runtime_code *code, enum runtime_kind kind);

/* NULL: it is the program's, or of a library that works for it. */
const struct runtime_part *runtime_code_at(const struct runtime_code *code, uint64_t address);

enum { CODE_PLACE_SIZE = 64 };

/* The name of a file without its folders, cut if need be; for code that is in no file the kernel's
 * name for it in brackets, or empty. A type of its own, as struct comm. */
struct code_place {
    char untrusted[CODE_PLACE_SIZE];
};

/* Names the program or library that an address lies in, for whoever can change how that waits. */
void code_place_find(int proc_fd, pid_t pid, uint64_t address, struct code_place *place);

/* Whether an address lies in code of a file that the process has for itself: what is written there
 * reaches nobody else, and no compiler writes there meanwhile. */
bool code_is_of_private_file(int proc_fd, pid_t pid, uint64_t address);

#endif
