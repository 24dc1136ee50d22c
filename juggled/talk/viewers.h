/* SPDX-License-Identifier: BSD-3-Clause */
/* The clients that watch: each is sent a picture after each interval, and a last one of the end. */
#ifndef JUGGLE_JUGGLED_VIEWERS_H
#define JUGGLE_JUGGLED_VIEWERS_H

#include "juggled/care/entries.h"
#include "juggled/talk/calls.h"
#include "juggled/talk/clients.h"

/* The list's entries are freed by `free`. All is filled in by who owns it, who sweeps the list,
 * too. */
struct viewers {
    sd_event *event;
    const struct calls *calls;
    struct entries list;
};

/* From one interval on: the first picture is the answer of the call. -ENOMEM and others of the
 * event loop. */
int viewers_add(struct viewers *viewers, struct client *client,
                const struct monitor *monitor) MUST_CHECK;

/* The client is gone. */
void viewers_drop(struct viewers *viewers, const struct client *client);

/* The job has ended: those who watch it see it once more. */
void viewers_finish(struct viewers *viewers, const struct service_job *job);

#endif
