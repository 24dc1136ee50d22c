/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures the processor time that others took while a program ran. */
#ifndef JUGGLE_METER_H
#define JUGGLE_METER_H

#include "juggle/report/report.h"
#include "libjuggle/linux/usage.h"

struct meter {
    struct cpu_mask processors;
    struct cgroup group; /* the program's */
    bool grouped;
    bool limited;            /* this group or one above it has a quota */
    struct usage began, now; /* large, so they are not kept on a stack */
    bool running;
};

/* Starts measuring. The processors are those of `machine`, or if that is NULL all that juggle
 * may use. The control group is that of process `pid`, or if that is 0 juggle's, which its
 * children share. If usage cannot be read, nothing is reported. */
void meter_begin(struct meter *meter, const struct machine *machine, pid_t pid);

/* Call it when the machine has got further processors. */
void meter_grow(struct meter *meter, const struct machine *machine);

/* Fills in the time of the program (from the threads in the report and from rusage), the time
 * that others took, without juggle's own, and for how long the program was stopped, by samples. */
void meter_read(struct meter *meter, struct report *report);

/* Processor time that juggle used itself, its balancers included. */
int64_t meter_own_ns(void);

#endif
