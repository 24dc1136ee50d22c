/* SPDX-License-Identifier: BSD-3-Clause */
/* How the threads of each runtime will wait, by its variables and its defaults. Pure. */
#ifndef JUGGLE_POLICIES_H
#define JUGGLE_POLICIES_H

#include "libjuggle/waiting/crowd.h"

enum runtime { RUNTIME_GOMP, RUNTIME_LIBOMP, RUNTIME_OPENMPI, RUNTIME_MPICH, RUNTIMES_COUNT };

enum { POLICY_TEXT_SIZE = 256 };

struct runtimes {
    bool used[RUNTIMES_COUNT];
    bool shared; /* there are more threads and ranks than processors, as far as that is told */
    crowd_variable *variable;
};

/* "GNU OpenMP" */
const char *runtime_name(enum runtime runtime);

/* How it waits, and where that burns processors that are shared, the remedy. */
void policy_describe(const struct runtimes *runtimes, enum runtime runtime,
                     char text[POLICY_TEXT_SIZE]);

#endif
