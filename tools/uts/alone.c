/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces the parallel search in builds without MPI. */
#include "cli/options.h"
#include "tools/uts/parallel.h"

#include <errno.h>

int parallel_search(const struct settings *settings, struct result *result, bool *root)
{
    (void)result;
    (void)root;
    complain(settings->program, "this program was built without MPI: add --seq");
    return -ENOTSUP;
}
