/* SPDX-License-Identifier: BSD-3-Clause */
/* The service's socket in the file system, which others may remove: it is made anew. */
#ifndef JUGGLE_JUGGLED_SOCKET_FILE_H
#define JUGGLE_JUGGLED_SOCKET_FILE_H

#include "juggled/talk/clients.h"

#include <sys/types.h>

enum { SERVICE_SOCKET_MODE = 0666 };

struct socket_file {
    const char *path; /* NULL, or abstract: nothing is looked after */
    dev_t device;     /* of the file as it was made here, to be told from a later one of its name */
    ino_t inode;      /* 0: none was */
    bool lost;        /* it was removed, and could not be made anew */
};

/* The path outlives it. */
struct socket_file socket_file_at(const char *path);

/* Makes it anew if it is gone: without it nobody can ask for anything. */
void socket_file_renew(struct socket_file *file, struct clients *clients);

/* Unless another's is there by now. One that systemd has passed is systemd's. */
void socket_file_remove(const struct socket_file *file);

#endif
