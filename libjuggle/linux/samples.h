/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a thread was from time to time while it ran. */
#ifndef JUGGLE_LINUX_SAMPLES_H
#define JUGGLE_LINUX_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

enum { SAMPLES_MAX = 192 };

struct samples {
    int count;
    uint64_t addresses[SAMPLES_MAX];
    /* Some are of moments in the kernel, to whose call the address belongs. */
    bool of_kernel_too;
    int64_t ran_ns; /* the time that the thread ran meanwhile; 0: not known, as samples were lost */
    int64_t each_ns; /* what a sample stands for of that */
};

#endif
