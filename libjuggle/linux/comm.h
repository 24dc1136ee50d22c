/* SPDX-License-Identifier: BSD-3-Clause */
/* The name of a thread, as the kernel keeps it. The program chose its bytes, and some may have an
 * effect on a terminal. */
#ifndef JUGGLE_LINUX_COMM_H
#define JUGGLE_LINUX_COMM_H

enum { COMM_SIZE = 16 }; /* the kernel's TASK_COMM_LEN */

/* A type of its own, so that none is printed by accident: see FOREIGN in
 * cli/foreign.h. Ends with a zero byte. */
struct comm {
    char untrusted[COMM_SIZE];
};

#endif
