/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/slice.h"

#include "libjuggle/ground/units.h"

#include <linux/sched.h>
#include <linux/sched/types.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NICE_BEST = -20 };

#define SLICE_NS (100 * NSEC_PER_USEC)

static int attributes_set(struct sched_attr *attributes, int nice)
{
    attributes->sched_nice = nice;
    return (int)syscall(SYS_sched_setattr, 0, attributes, 0);
}

/* A thread whose policy has no such slices is left alone. If the slice is refused, too, wake-ups
 * come later and nothing else is lost. */
void slice_shorten(void)
{
    struct sched_attr attributes;

    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) ||
        attributes.sched_policy != SCHED_NORMAL)
        return;
    attributes.sched_runtime = SLICE_NS;
    attributes.sched_flags |= SCHED_FLAG_RESET_ON_FORK;
    const int nice = attributes.sched_nice;
    if (attributes_set(&attributes, NICE_BEST))
        (void)attributes_set(&attributes, nice);
}
