/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells which file the code at an address of a process comes from. */
#ifndef JUGGLE_LINUX_CODE_MAP_H
#define JUGGLE_LINUX_CODE_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { RUNTIME_PARTS_MAX = 32 };

/* Code in which threads wait for each other, or which code that waits calls. */
enum runtime_kind {
    RUNTIME_WAITS, /* an OpenMP runtime, which does no work of a program */
    RUNTIME_POLLS, /* a library of MPI: there, threads that wait go round long loops of calls */
    RUNTIME_LIBC,  /* the C library: waits only where it calls the kernel */
    /* juggle's objects in the program: threads that traps have caught wait there */
    RUNTIME_OWN,
    RUNTIME_VDSO, /* the kernel's vDSO, which all of these call */
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

/* Returns the part that an address lies in. NULL: its code is the program's, or that of a library
 * that works for it. */
const struct runtime_part *runtime_code_at(const struct runtime_code *code, uint64_t address);

enum { CODE_PLACE_SIZE = 64 };

/* The name of a file without its directories, cut if it is too long. For code that is in no file:
 * the kernel's name for it in brackets, or empty. A type of its own, for the reason of struct
 * comm. */
struct code_place {
    char untrusted[CODE_PLACE_SIZE];
};

/* Names the program or library that an address lies in, for messages to users, who can change how
 * it waits. */
void code_place_find(int proc_fd, pid_t pid, uint64_t address, struct code_place *place);

/* True if an address lies in code that is mapped privately from a file: what is written there
 * reaches no other process, and no compiler writes there at the same time. */
bool code_is_of_private_file(int proc_fd, pid_t pid, uint64_t address);

#endif
