/* SPDX-License-Identifier: BSD-3-Clause */
/* /run/juggle, which systemd makes for its units and the service makes for itself elsewhere. */
#ifndef JUGGLE_JUGGLED_RUNTIME_H
#define JUGGLE_JUGGLED_RUNTIME_H

#define RUNTIME_DIR "/run/juggle"

/* Makes it if `path` lies in it and it is not there. -errno of mkdir. */
int runtime_make(const char *path);

#endif
