/* SPDX-License-Identifier: BSD-3-Clause */
/* The clients that watch: each is sent a picture after each interval, and a last one of the end. */
#ifndef JUGGLE_SERVICE_VIEWERS_H
#define JUGGLE_SERVICE_VIEWERS_H

#include "juggle/service/calls.h"
#include "juggle/service/clients.h"

struct viewer;

/* The first two are filled in by who owns it. */
struct viewers {
    sd_event *event;
    const struct calls *calls;
    struct viewer *first;
};

/* The first picture comes at once. -ENOMEM and others of the event loop. */
int viewers_add(struct viewers *viewers, struct client *client,
                const struct monitor *monitor) MUST_CHECK;

/* The client is gone. */
void viewers_drop(struct viewers *viewers, const struct client *client);

/* The job has ended: those who watch it see it once more. */
void viewers_finish(struct viewers *viewers, const struct charge *charge);

#endif
