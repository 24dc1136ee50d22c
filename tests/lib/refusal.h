/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel refuses: system calls, as in a container, and what is beyond a limit. */
#ifndef JUGGLE_TESTS_LIB_REFUSAL_H
#define JUGGLE_TESTS_LIB_REFUSAL_H

#include <sys/resource.h>

/* From here on with this errno, to this process and its children. */
void refuse_call(int number, int error);

/* From here on, up to the hard limit; returns what it was before. Check, too, needs files: under a
 * limit of them nothing is asserted. */
rlim_t limit_set(int resource, rlim_t soft);

#endif
