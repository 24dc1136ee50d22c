/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits for file descriptors and a time at once, even if poll(2) is refused. */
#ifndef JUGGLE_LINUX_AWAIT_H
#define JUGGLE_LINUX_AWAIT_H

#include <poll.h>
#include <stdint.h>

/* Waits until a file descriptor is ready, a signal comes, or the time has come (INT64_MAX: never).
 * Returns how many descriptors are ready. If ppoll(2) is refused, as by a seccomp filter, it sleeps
 * for 10 ms at most and returns 0: the caller has to check its descriptors itself. */
int await_until(struct pollfd *fds, int count, int64_t until_ns);

#endif
