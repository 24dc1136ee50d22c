/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/juggle.h"
#include "libjuggle/linux/nproc.h"

#include <errno.h>
#include <stdlib.h>

int juggle_nproc(unsigned what)
{
    struct nproc *nproc; /* 32 KB: too large for the program's stack */

    if (what & ~(unsigned)(JUGGLE_NPROC_CORES | JUGGLE_NPROC_FAST))
        return -EINVAL;
    nproc = malloc(sizeof(*nproc));
    if (!nproc)
        return -ENOMEM;
    nproc_read_own(what & JUGGLE_NPROC_CORES, what & JUGGLE_NPROC_FAST, nproc);
    const int count = nproc->count;
    free(nproc);
    return count;
}
