/* SPDX-License-Identifier: BSD-3-Clause */
/* The addresses at which a thread was from time to time while it ran. */
#ifndef JUGGLE_LINUX_SAMPLES_H
#define JUGGLE_LINUX_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

enum { SAMPLES_MAX = 192 };

struct samples {
    int count;
    uint64_t addresses[SAMPLES_MAX];
    /* Some samples may be of moments in the kernel; their address is that of the system call. */
    bool of_kernel_too;
    int64_t ran_ns; /* the time that the thread ran meanwhile; 0: not known, as samples were lost */
    int64_t each_ns; /* the part of this time that a sample stands for */
};

#endif
