/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for files and a time at once, wherever that is refused, too. */
#ifndef JUGGLE_LINUX_AWAIT_H
#define JUGGLE_LINUX_AWAIT_H

#include <poll.h>
#include <stdint.h>

/* Waits until one of them is ready, or a signal comes, or the time does (INT64_MAX: never), and
 * says how many are ready. Where waiting for files is refused, as by a filter of system calls, it
 * lasts for 10 ms at most and none is known to be ready: who waits has to look. */
int await_until(struct pollfd *fds, int count, int64_t until_ns);

#endif
