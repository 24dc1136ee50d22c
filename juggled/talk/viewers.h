/* SPDX-License-Identifier: BSD-3-Clause */
/* The clients that watch jobs. Each is sent a picture after each interval, and a last one when
 * the job ends. */
#ifndef JUGGLE_JUGGLED_VIEWERS_H
#define JUGGLE_JUGGLED_VIEWERS_H

#include "juggled/care/entries.h"
#include "juggled/talk/calls.h"
#include "juggled/talk/clients.h"

/* The owner fills in all members and sweeps the list. Entries are freed by free(). */
struct viewers {
    sd_event *event;
    const struct calls *calls;
    struct entries list;
};

/* Adds a viewer. Its first picture follows after one interval, because the answer to the call is
 * a picture, too. -ENOMEM and errors of the event loop. */
int viewers_add(struct viewers *viewers, struct client *client,
                const struct monitor *monitor) MUST_CHECK;

/* Removes the client's viewers, when it is gone. */
void viewers_drop(struct viewers *viewers, const struct client *client);

/* Sends a last picture of an ended job to all clients that watch it. */
void viewers_finish(struct viewers *viewers, const struct service_job *job);

#endif
