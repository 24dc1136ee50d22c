/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of virtual time: a priority queue for a clock that never goes back, whose next few
 * events can be looked at. */
#ifndef JUGGLE_STEAL_SIM_EVENT_QUEUE_H
#define JUGGLE_STEAL_SIM_EVENT_QUEUE_H

#include "libjuggle/ground/units.h"

#include <stdint.h>

enum {
    EVENT_QUEUE_PILES = 64,
    EVENT_QUEUE_AHEAD = 12, /* how many events can be looked at, unless there are fewer in all */
};

/* An event at a rank; the user defines the meaning of `what`. */
struct rank_event {
    int64_t time_ns;
    int32_t rank;
    uint32_t what;
};

struct event_list {
    struct rank_event *list;
    size_t count;
    size_t capacity;
};

struct event_queue {
    struct event_list near; /* in order, from `at` on */
    size_t at;
    int64_t near_ns; /* events before this time are in `near` */
    int64_t base_ns; /* not later than any event in a pile */
    uint64_t filled; /* bit k: pile k is not empty */
    struct event_list pile[EVENT_QUEUE_PILES];
};

/* A queue that is all zeros is empty. */
void event_queue_free(struct event_queue *queue);

/* Adds an event. Its time must not be negative, nor earlier than that of the one taken last.
 * Events of one time are taken in the order in which they were added. Returns 0 or -ENOMEM. */
int event_queue_add(struct event_queue *queue, struct rank_event event) MUST_CHECK;

/* Takes the next event off the queue. Returns 1, 0 if there is none, or -ENOMEM. */
int event_queue_take(struct event_queue *queue, struct rank_event *event) MUST_CHECK;

/* Returns the event `ahead` places behind the next one, up to EVENT_QUEUE_AHEAD - 1, or NULL if
 * there are fewer. One that is added later may come before it. */
const struct rank_event *event_queue_peek(const struct event_queue *queue, size_t ahead);

#endif
