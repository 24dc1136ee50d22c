/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls that the kernel refuses, as in a container. */
#ifndef JUGGLE_TESTS_LIB_REFUSAL_H
#define JUGGLE_TESTS_LIB_REFUSAL_H

/* From here on with this errno, to this process and its children. */
void refuse_call(int number, int error);

#endif
