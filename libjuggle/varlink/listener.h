/* SPDX-License-Identifier: BSD-3-Clause */
/* The socket on which a service listens. */
#ifndef JUGGLE_VARLINK_LISTENER_H
#define JUGGLE_VARLINK_LISTENER_H

#include "libjuggle/ground/units.h"

#include <sys/stat.h>

/* Makes a listening socket. Replaces one at `path` on which no process listens. '@' begins an
 * abstract name, which has no mode. -EADDRINUSE: another process listens; -EINVAL: the path is
 * longer than an address. */
int listener_open(const char *path, mode_t mode, int *fd) MUST_CHECK;

#endif
