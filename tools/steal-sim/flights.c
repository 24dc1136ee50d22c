/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/flights.h"

#include <errno.h>
#include <stdlib.h>

enum { FLIGHTS_FIRST = 4 };

int64_t flights_arrival(struct flights *flights, int64_t now_ns, int to, int64_t arrival_ns)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < flights->count; i++) {
        const struct flight flight = flights->list[i];

        if (flight.to == to)
            arrival_ns = max_i64(arrival_ns, flight.arrival_ns);
        if (flight.arrival_ns >= now_ns)
            flights->list[kept++] = flight;
    }
    flights->count = kept;
    return arrival_ns;
}

static int flights_open(struct flights *flights)
{
    const uint32_t capacity = flights->capacity ? 2 * flights->capacity : FLIGHTS_FIRST;
    struct flight *list = reallocarray(flights->list, capacity, sizeof(*list));

    if (!list)
        return -ENOMEM;
    flights->list = list;
    flights->capacity = capacity;
    return 0;
}

int flights_add(struct flights *flights, int to, int64_t arrival_ns)
{
    if (flights->count == flights->capacity && flights_open(flights) < 0)
        return -ENOMEM;
    flights->list[flights->count++] = (struct flight){arrival_ns, to};
    return 0;
}

void flights_close(struct flights *flights)
{
    free(flights->list);
}
