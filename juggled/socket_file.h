/* SPDX-License-Identifier: BSD-3-Clause */
/* The service's socket in the file system. If somebody removes it, it is made anew. */
#ifndef JUGGLE_JUGGLED_SOCKET_FILE_H
#define JUGGLE_JUGGLED_SOCKET_FILE_H

#include "juggled/talk/clients.h"

#include <sys/types.h>

enum { SERVICE_SOCKET_MODE = 0666 };

struct socket_file {
    const char *path; /* NULL or an abstract name: there is no file to keep */
    dev_t device;     /* device and inode of the file that was made, to tell it from a later one */
    ino_t inode;      /* 0: no file was made */
    bool lost;        /* it was removed, and making it anew failed */
};

/* Remembers the file at `path`, which must outlive the result. */
struct socket_file socket_file_at(const char *path);

/* Makes the socket anew if it is gone, because clients could not connect without it. */
void socket_file_renew(struct socket_file *file, struct clients *clients);

/* Removes the file, unless it has been replaced by another one. A socket that systemd has passed
 * is left to systemd. */
void socket_file_remove(const struct socket_file *file);

#endif
