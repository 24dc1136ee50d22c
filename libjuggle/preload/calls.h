/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls of the program that a signal of ours has interrupted. */
#ifndef JUGGLE_PRELOAD_CALLS_H
#define JUGGLE_PRELOAD_CALLS_H

#include <ucontext.h>

/* Called by a handler of our signals: if the thread slept in a call that the kernel does not
 * restart by itself, restarts the call as it was, instead of letting it fail with EINTR. */
void call_begin_again(ucontext_t *context);

#endif
