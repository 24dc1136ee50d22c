/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/prepare/places.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* "LOW:COUNT:STRIDE" of processors, or ":COUNT:STRIDE" of a place that is repeated. */
struct interval {
    long low, count, stride;
};

static bool take(const char **text, char mark)
{
    while (isspace((unsigned char)**text))
        (*text)++;
    if (**text != mark)
        return false;
    (*text)++;
    return true;
}

static int number_take(const char **text, long low, long *number)
{
    char *end;

    while (isspace((unsigned char)**text))
        (*text)++;
    const long value = strtol(*text, &end, 10);
    if (end == *text || value < low)
        return -EINVAL;
    if (value >= CPU_MASK_CPUS_MAX || value <= -CPU_MASK_CPUS_MAX)
        return -ERANGE;
    *text = end;
    *number = value;
    return 0;
}

/* Parses what may follow a number or a place: ":COUNT" and ":STRIDE". */
static int repeats_take(const char **text, struct interval *interval)
{
    int error = 0;

    interval->count = interval->stride = 1;
    if (take(text, ':'))
        error = number_take(text, 1, &interval->count);
    if (!error && take(text, ':'))
        error = number_take(text, 1 - CPU_MASK_CPUS_MAX, &interval->stride);
    return error;
}

static int add(struct cpu_mask *mask, long cpu)
{
    if (cpu < 0 || cpu >= CPU_MASK_CPUS_MAX)
        return -ERANGE;
    cpu_mask_add(mask, (int)cpu);
    return 0;
}

static int resources_take(const char **text, struct cpu_mask *place)
{
    struct interval interval;
    int error = number_take(text, 0, &interval.low);

    if (!error)
        error = repeats_take(text, &interval);
    for (long i = 0; !error && i < interval.count; i++)
        error = add(place, interval.low + i * interval.stride);
    return error;
}

/* "{0,4:2}" or "3" */
static int place_take(const char **text, struct cpu_mask *place)
{
    int error;

    cpu_mask_clear(place);
    if (!take(text, '{')) {
        long cpu;
        error = number_take(text, 0, &cpu);
        return error ? error : add(place, cpu);
    }
    do
        error = resources_take(text, place);
    while (!error && take(text, ','));
    return error || take(text, '}') ? error : -EINVAL;
}

static int shifted_add(const struct cpu_mask *place, long distance, struct cpu_mask *named)
{
    int error = 0;

    for (int cpu = -1; !error && (cpu = cpu_mask_next(place, cpu)) >= 0;)
        error = add(named, cpu + distance);
    return error;
}

static int places_take(const char *text, struct cpu_mask *named)
{
    struct interval interval;
    struct cpu_mask place;
    int error;

    do {
        error = place_take(&text, &place);
        if (!error)
            error = repeats_take(&text, &interval);
        for (long i = 0; !error && i < interval.count; i++)
            error = shifted_add(&place, i * interval.stride, named);
    } while (!error && take(&text, ','));
    return error || take(&text, '\0') ? error : -EINVAL;
}

/* Parses "0 3 4-7:2" like GNU's runtime: items separated by spaces or commas. */
static int list_take(const char *text, struct cpu_mask *named)
{
    long low, high, stride;
    int error = 0;

    while (!error) {
        error = number_take(&text, 0, &low);
        high = low;
        stride = 1;
        if (!error && take(&text, '-'))
            error = number_take(&text, low, &high);
        if (!error && take(&text, ':'))
            error = number_take(&text, 1, &stride);
        for (long cpu = low; !error && cpu <= high; cpu += stride)
            error = add(named, cpu);
        (void)take(&text, ',');
        if (!error && take(&text, '\0'))
            return 0;
    }
    return error;
}

int places_parse(const char *text, struct cpu_mask *named)
{
    struct cpu_mask found;

    cpu_mask_clear(&found);
    int error = places_take(text, &found);
    if (error == -EINVAL) {
        cpu_mask_clear(&found);
        error = list_take(text, &found);
    }
    if (!error)
        cpu_mask_unite(named, &found);
    return error;
}
