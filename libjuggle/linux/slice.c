/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/slice.h"

#include "libjuggle/policy/units.h"

#include <linux/sched.h>
#include <linux/sched/types.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLICE_NS (100 * NSEC_PER_USEC)

/* All else stays as it is. Whose policy has no such slices is left alone; where it is refused, too,
 * wake-ups come later and nothing else is lost. */
void slice_shorten(void)
{
    struct sched_attr attributes;

    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) ||
        attributes.sched_policy != SCHED_NORMAL)
        return;
    attributes.sched_runtime = SLICE_NS;
    attributes.sched_flags |= SCHED_FLAG_RESET_ON_FORK;
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}
