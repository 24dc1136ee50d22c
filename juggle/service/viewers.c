/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/service/viewers.h"

#include "juggle/service/effort.h"
#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct viewer {
    struct viewers *viewers;
    struct client *client;
    struct monitor monitor;
    sd_event_source *timer;
    struct viewer *next;
};

static void viewer_end(struct viewer *viewer)
{
    struct viewer **link = &viewer->viewers->first;

    while (*link != viewer)
        link = &(*link)->next;
    *link = viewer->next;
    sd_event_source_disable_unref(viewer->timer);
    free(viewer);
}

/* Looked at again later. */
static void viewer_sleep(struct viewer *viewer, int64_t until_ns)
{
    sd_event_source_set_time(viewer->timer, (uint64_t)(until_ns / NSEC_PER_USEC) + 1);
    sd_event_source_set_enabled(viewer->timer, SD_EVENT_ONESHOT);
}

static int on_viewer(sd_event_source *source, uint64_t usec, void *context)
{
    struct viewer *viewer = context;
    struct client *client = viewer->client;
    const int64_t now_ns = clock_now_ns(), began_ns = effort_ns();
    bool ended;

    (void)source;
    (void)usec;
    if (client_due_ns(client) > now_ns) {
        viewer_sleep(viewer, client_due_ns(client));
        return 0;
    }
    json_t *picture = calls_picture(viewer->viewers->calls, client_peer_of(client),
                                    &viewer->monitor, &ended);
    viewer_sleep(viewer, now_ns + viewer->monitor.interval_ns);
    if (ended)
        viewer_end(viewer);
    client_charge(client, effort_ns() - began_ns);
    client_send(client, picture, !ended);
    return 0;
}

int viewers_add(struct viewers *viewers, struct client *client, const struct monitor *monitor)
{
    struct viewer *viewer = calloc(1, sizeof(*viewer));

    if (!viewer)
        return -ENOMEM;
    *viewer = (struct viewer){viewers, client, *monitor, NULL, NULL};
    int error = sd_event_add_time(viewers->event, &viewer->timer, CLOCK_MONOTONIC, 0, 0, on_viewer,
                                  viewer);
    if (error < 0) {
        free(viewer);
        return error;
    }
    sd_event_source_set_priority(viewer->timer, SD_EVENT_PRIORITY_IDLE);
    viewer->next = viewers->first;
    viewers->first = viewer;
    return 0;
}

void viewers_drop(struct viewers *viewers, const struct client *client)
{
    for (struct viewer *viewer = viewers->first; viewer; viewer = viewer->next)
        if (viewer->client == client) {
            viewer_end(viewer);
            return;
        }
}

void viewers_finish(struct viewers *viewers, const struct charge *charge)
{
    struct viewer *next;
    bool ignored;

    for (struct viewer *viewer = viewers->first; viewer; viewer = next) {
        struct client *client = viewer->client;
        next = viewer->next;
        if (strcmp(viewer->monitor.job, charge_job(charge)) != 0)
            continue;
        json_t *picture = calls_picture(viewers->calls, client_peer_of(client), &viewer->monitor,
                                        &ignored);
        json_object_del(picture, "continues");
        viewer_end(viewer);
        client_send(client, picture, false);
    }
}
