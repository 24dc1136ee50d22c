/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that a container or a missing privilege takes from balancing here, each with its
 * cause. */
#ifndef JUGGLE_CONFINEMENT_H
#define JUGGLE_CONFINEMENT_H

#include <stdio.h>

/* Prints one line for each, or none. Raises the calling thread's priority to see whether that is
 * permitted, so the process should be about to end. */
void confinement_print(FILE *file);

#endif
