/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls of the program that a signal of ours has interrupted. */
#ifndef JUGGLE_PRELOAD_CALLS_H
#define JUGGLE_PRELOAD_CALLS_H

#include <ucontext.h>

/* For a handler, which has seen to what it was called for: if the thread slept in a call that the
 * kernel does not begin again by itself, that call begins again as it was, instead of failing with
 * EINTR. */
void call_begin_again(ucontext_t *context);

#endif
