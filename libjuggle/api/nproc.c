/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/juggle.h"
#include "libjuggle/linux/nproc.h"

#include <errno.h>

int juggle_nproc(unsigned what)
{
    struct nproc nproc;

    if (what & ~(unsigned)(JUGGLE_NPROC_CORES | JUGGLE_NPROC_FAST))
        return -EINVAL;
    nproc_read_own(what & JUGGLE_NPROC_CORES, what & JUGGLE_NPROC_FAST, &nproc);
    return nproc.count;
}
