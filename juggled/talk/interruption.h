/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads from sockets of clients and closes them. Descriptors that a client has sent are closed by
 * that, and the last close of a socket waits as long as its owner has set by SO_LINGER: signals end
 * that wait. */
#ifndef JUGGLE_JUGGLED_INTERRUPTION_H
#define JUGGLE_JUGGLED_INTERRUPTION_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct interruption {
    timer_t timer; /* sends the signals to the thread that called interruption_init */
    bool exists;
};

/* Without a timer the functions below do the same, but may wait. */
void interruption_init(struct interruption *interruption);
void interruption_release(struct interruption *interruption);

void interruption_close(const struct interruption *interruption, int fd);

/* As recv, or -errno; does not wait for data. -EBADMSG: descriptors came, too. */
ssize_t interruption_receive(const struct interruption *interruption, int fd, char *space,
                             size_t size);

#endif
