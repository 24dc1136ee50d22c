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

/* Opens the connector and subscribes to events. Returns -EPERM, or -ENOTSUP if this kernel or this
 * namespace has none; `fd` is -1 then. */
int connector_open(struct connector *connector) MUST_CHECK;

void connector_close(struct connector *connector);

/* Subscribes or unsubscribes. Without subscribers the kernel sends no events, and a process that
 * forks pays nothing for them. If the kernel refuses, nothing changes. */
void connector_listen(struct connector *connector, bool listens);

/* In ascending order of importance. */
enum connector_news {
    CONNECTOR_SILENT, /* nothing was waiting */
    CONNECTOR_OTHERS,
    CONNECTOR_OURS, /* a process for which `ours` is true was concerned, or something was lost */
};

/* Receives all waiting events, and returns the most important news of them. */
enum connector_news connector_hear(const struct connector *connector,
                                   bool (*ours)(void *context, pid_t pid), void *context);

#endif
