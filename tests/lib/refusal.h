/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the kernel refuse system calls, as in a container, or resources beyond a limit. */
#ifndef JUGGLE_TESTS_LIB_REFUSAL_H
#define JUGGLE_TESTS_LIB_REFUSAL_H

#include <sys/resource.h>

/* From now on this system call fails with this errno, in this process and its children. */
void refuse_call(int number, int error);

/* Sets the soft limit; returns the previous one. Check also needs files: assert nothing while
 * their number is limited. */
rlim_t limit_set(int resource, rlim_t soft);

#endif
