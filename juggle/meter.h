/* SPDX-License-Identifier: BSD-3-Clause */
/* What others took of the processors while a program ran. */
#ifndef JUGGLE_METER_H
#define JUGGLE_METER_H

#include "juggle/report.h"
#include "libjuggle/linux/usage.h"

struct meter {
    struct cpu_mask processors;
    struct usage began;
    bool running;
};

/* The processors are those of the list, NULL for all, that juggle itself may use. Where nothing can
 * be read nothing is told. */
void meter_begin(struct meter *meter, const char *cpus);

/* `ours_ns` is the processor time of the program and of juggle since then. */
void meter_read(const struct meter *meter, int64_t ours_ns, struct taken *taken);

#endif
