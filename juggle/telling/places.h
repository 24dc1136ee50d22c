/* SPDX-License-Identifier: BSD-3-Clause */
/* The processors that variables of OpenMP runtimes name. Nothing in them is trusted. Pure. */
#ifndef JUGGLE_PLACES_H
#define JUGGLE_PLACES_H

#include "libjuggle/linux/cpu_mask.h"

/* OMP_PLACES, "{0,1},{2:4:2},{8}:4:8", and GOMP_CPU_AFFINITY, "0 3 4-7:2". Adds what is named to
 * the mask. -EINVAL: neither, or names such as "cores"; -ERANGE: a number is too great. */
int places_parse(const char *text, struct cpu_mask *named) MUST_CHECK;

#endif
