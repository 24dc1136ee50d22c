/* SPDX-License-Identifier: BSD-3-Clause */
/* How the threads of each runtime will wait, by its variables and its defaults. Pure. */
#ifndef JUGGLE_POLICIES_H
#define JUGGLE_POLICIES_H

#include "libjuggle/waiting/crowd.h"

enum runtime { RUNTIME_GOMP, RUNTIME_LIBOMP, RUNTIME_OPENMPI, RUNTIME_MPICH, RUNTIMES_COUNT };

enum { POLICY_TEXT_SIZE = 256 };

/* "GNU OpenMP" */
const char *runtime_name(enum runtime runtime);

/* Writes how the runtime's threads wait, by its variables. If they spin and `shared` is true
 * (there are more threads and ranks than processors), adds the remedy. */
void policy_describe(enum runtime runtime, bool shared, crowd_variable *variable,
                     char text[POLICY_TEXT_SIZE]);

#endif
