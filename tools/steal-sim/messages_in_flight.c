/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/messages_in_flight.h"

#include <errno.h>
#include <stdlib.h>

enum { CAPACITY_FIRST = 4 };

int64_t messages_in_flight_arrival(struct messages_in_flight *messages, int64_t now_ns, int to,
                                   int64_t arrival_ns)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < messages->count; i++) {
        const struct message_in_flight message = messages->list[i];

        if (message.to == to)
            arrival_ns = max_i64(arrival_ns, message.arrival_ns);
        if (message.arrival_ns >= now_ns)
            messages->list[kept++] = message;
    }
    messages->count = kept;
    return arrival_ns;
}

static int messages_in_flight_grow(struct messages_in_flight *messages)
{
    const uint32_t capacity = messages->capacity ? 2 * messages->capacity : CAPACITY_FIRST;
    struct message_in_flight *list = reallocarray(messages->list, capacity, sizeof(*list));

    if (!list)
        return -ENOMEM;
    messages->list = list;
    messages->capacity = capacity;
    return 0;
}

int messages_in_flight_add(struct messages_in_flight *messages, int to, int64_t arrival_ns)
{
    if (messages->count == messages->capacity && messages_in_flight_grow(messages) < 0)
        return -ENOMEM;
    messages->list[messages->count++] = (struct message_in_flight){arrival_ns, to};
    return 0;
}

void messages_in_flight_close(struct messages_in_flight *messages)
{
    free(messages->list);
}
