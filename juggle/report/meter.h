/* SPDX-License-Identifier: BSD-3-Clause */
/* What others took of the processors while a program ran. */
#ifndef JUGGLE_METER_H
#define JUGGLE_METER_H

#include "juggle/report/report.h"
#include "libjuggle/linux/usage.h"

struct meter {
    struct cpu_mask processors;
    struct cgroup group; /* the program's */
    bool grouped;
    bool limited;            /* that one, or one above it, has a quota */
    struct usage began, now; /* large: no thread need have a stack for them */
    bool running;
};

/* The processors are those of the machine that is balanced, or with NULL all that juggle itself may
 * use; the quota is that of the process, or with 0 of juggle and what it starts. Where nothing can
 * be read nothing is told. */
void meter_begin(struct meter *meter, const struct machine *machine, pid_t pid);

/* From now on it is another machine. */
void meter_grow(struct meter *meter, const struct machine *machine);

/* Fills in what was taken by others than the program, whose threads the report holds, and juggle;
 * and how long the program was stopped, by samples. */
void meter_read(struct meter *meter, struct report *report);

/* Processor time that juggle used itself, its balancers included. */
int64_t meter_own_ns(void);

#endif
