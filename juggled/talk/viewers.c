/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/talk/viewers.h"

#include "juggled/cpu_time.h"
#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct viewer {
    struct viewers *viewers;
    struct client *client;
    struct monitor monitor;
    sd_event_source *timer;
};

static void viewer_end(struct viewer *viewer)
{
    viewer->timer = sd_event_source_disable_unref(viewer->timer);
    entries_drop(&viewer->viewers->list, viewer);
}

/* Sets the time of the next picture. */
static void viewer_sleep(struct viewer *viewer, int64_t until_ns)
{
    sd_event_source_set_time(viewer->timer, (uint64_t)(until_ns / NSEC_PER_USEC) + 1);
    sd_event_source_set_enabled(viewer->timer, SD_EVENT_ONESHOT);
}

static int on_viewer(sd_event_source *source, uint64_t usec, void *context)
{
    struct viewer *viewer = context;
    struct client *client = viewer->client;
    const int64_t now_ns = clock_now_ns(), began_ns = cpu_time_process_ns();
    bool ended;

    (void)source;
    (void)usec;
    if (client_due_ns(client) > now_ns) {
        viewer_sleep(viewer, client_due_ns(client));
        return 0;
    }
    if (client_is_behind(client)) {
        viewer_sleep(viewer, now_ns + viewer->monitor.interval_ns);
        return 0;
    }
    json_t *picture = calls_picture(viewer->viewers->calls, client_peer_of(client),
                                    &viewer->monitor, &ended);
    viewer_sleep(viewer, now_ns + viewer->monitor.interval_ns);
    if (ended)
        viewer_end(viewer);
    client_bill(client, cpu_time_process_ns() - began_ns);
    client_send(client, picture, !ended);
    return 0;
}

int viewers_add(struct viewers *viewers, struct client *client, const struct monitor *monitor)
{
    struct viewer *viewer = calloc(1, sizeof(*viewer));

    if (!viewer)
        return -ENOMEM;
    *viewer = (struct viewer){viewers, client, *monitor, NULL};
    int error = sd_event_add_time(viewers->event, &viewer->timer, CLOCK_MONOTONIC, 0,
                                  TIMER_ACCURACY_US, on_viewer, viewer);
    if (error >= 0)
        error = entries_add(&viewers->list, viewer);
    if (error < 0) {
        sd_event_source_disable_unref(viewer->timer);
        free(viewer);
        return error;
    }
    sd_event_source_set_priority(viewer->timer, SD_EVENT_PRIORITY_IDLE);
    viewer_sleep(viewer, clock_now_ns() + monitor->interval_ns);
    return 0;
}

void viewers_drop(struct viewers *viewers, const struct client *client)
{
    struct viewer *viewer;
    int cursor = 0;

    while ((viewer = entries_next(&viewers->list, &cursor)))
        if (viewer->client == client)
            viewer_end(viewer);
}

void viewers_finish(struct viewers *viewers, const struct service_job *job)
{
    struct viewer *viewer;
    int cursor = 0;
    bool ignored;

    while ((viewer = entries_next(&viewers->list, &cursor))) {
        struct client *client = viewer->client;
        if (strcmp(viewer->monitor.job_name, service_job_name(job)) != 0)
            continue;
        json_t *picture = calls_picture(viewers->calls, client_peer_of(client), &viewer->monitor,
                                        &ignored);
        viewer_end(viewer);
        client_send(client, picture, false);
    }
}
