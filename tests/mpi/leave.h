/* SPDX-License-Identifier: BSD-3-Clause */
/* How the programs of these tests end when a call has failed. */
#ifndef JUGGLE_TESTS_MPI_LEAVE_H
#define JUGGLE_TESTS_MPI_LEAVE_H

#include "libjuggle/steal.h"

#include <stdio.h>
#include <stdlib.h>

/* All ranks have failed: none leaves before all have printed that, because a launcher may end
 * the others then. */
static inline void leave_if_failed(int result, const char *what, struct steal_runtime *runtime,
                                   struct steal_collection *collection)
{
    if (result >= 0)
        return;
    printf("%s: %d %s\n", what, result, steal_message(runtime));
    fflush(stdout);
    steal_collection_destroy(collection);
    (void)!steal_runtime_destroy(runtime);
    exit(1);
}

#endif
