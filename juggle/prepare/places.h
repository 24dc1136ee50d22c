/* SPDX-License-Identifier: BSD-3-Clause */
/* The processors that variables of OpenMP runtimes name. Nothing in them is trusted. Pure. */
#ifndef JUGGLE_PLACES_H
#define JUGGLE_PLACES_H

#include "libjuggle/linux/cpu_mask.h"

/* Parses the value of OMP_PLACES, "{0,1},{2:4:2},{8}:4:8", or of GOMP_CPU_AFFINITY, "0 3 4-7:2",
 * and adds the processors to the mask. -EINVAL: it is neither, or an abstract name such as
 * "cores"; -ERANGE: a number is too great. */
int places_parse(const char *text, struct cpu_mask *named) MUST_CHECK;

#endif
