/* SPDX-License-Identifier: BSD-3-Clause */
/* What a container, or missing privilege, takes from balancing here: each loss with its cause. */
#ifndef JUGGLE_CONFINEMENT_H
#define JUGGLE_CONFINEMENT_H

#include <stdio.h>

/* A line each, or none. It raises the calling thread's priority, to see whether that is permitted:
 * for a process that is about to end. */
void confinement_print(FILE *file);

#endif
