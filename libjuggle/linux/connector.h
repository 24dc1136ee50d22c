/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's proc connector: says at once when a process forks, executes, is renamed or exits. */
#ifndef JUGGLE_LINUX_CONNECTOR_H
#define JUGGLE_LINUX_CONNECTOR_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <sys/types.h>

struct connector {
    int fd; /* never blocks, is closed on exec; -1: there is none */
    bool listens;
};

/* -EPERM, or -ENOTSUP: not in this kernel, or not in this namespace; then it is none. */
int connector_open(struct connector *connector) MUST_CHECK;

void connector_close(struct connector *connector);

/* Without listeners the kernel tells nothing, and who forks pays nothing for it. Refused, all stays
 * as it is. */
void connector_listen(struct connector *connector, bool listens);

/* Each outranks those before it. */
enum connector_news {
    CONNECTOR_SILENT, /* nothing was waiting */
    CONNECTOR_OTHERS,
    CONNECTOR_OURS, /* a process for which `ours` is true was concerned, or something was lost */
};

/* Takes all that is waiting. */
enum connector_news connector_hear(const struct connector *connector,
                                   bool (*ours)(void *context, pid_t pid), void *context);

#endif
