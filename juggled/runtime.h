/* SPDX-License-Identifier: BSD-3-Clause */
/* /run/juggle. systemd makes it for its units; without systemd the service makes it itself. */
#ifndef JUGGLE_JUGGLED_RUNTIME_H
#define JUGGLE_JUGGLED_RUNTIME_H

#define RUNTIME_DIR "/run/juggle"

/* Makes the directory if `path` lies in it and it does not exist. -errno of mkdir. */
int runtime_make(const char *path);

#endif
