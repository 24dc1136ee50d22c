/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a service listens. */
#ifndef JUGGLE_VARLINK_LISTENER_H
#define JUGGLE_VARLINK_LISTENER_H

#include "libjuggle/ground/units.h"

#include <sys/stat.h>

/* Makes a listening socket, replacing one at `path` that nobody listens on; '@' begins an abstract
 * name, which has no mode. -EADDRINUSE: somebody listens; -EINVAL: longer than an address. */
int listener_open(const char *path, mode_t mode, int *fd) MUST_CHECK;

#endif
