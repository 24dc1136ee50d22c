/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/scenario.h"

#include <errno.h>
#include <string.h>

static const char *const barrier_style_names[] = {
    [BARRIER_BLOCK] = "block",
    [BARRIER_YIELD] = "yield",
    [BARRIER_BUSY] = "busy",
};

static const char *const opponent_names[] = {
    [OPPONENT_NONE] = "none",
    [OPPONENT_REACTIVE] = "reactive",
    [OPPONENT_KERNEL] = "kernel",
};

static int name_index(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return (int)i;
    return -EINVAL;
}

const char *barrier_style_name(enum barrier_style barrier)
{
    return barrier_style_names[barrier];
}

const char *opponent_name(enum opponent opponent)
{
    return opponent_names[opponent];
}

int barrier_style_parse(const char *name, enum barrier_style *barrier)
{
    const int index = name_index(barrier_style_names, ARRAY_COUNT(barrier_style_names), name);

    if (index < 0)
        return index;
    *barrier = (enum barrier_style)index;
    return 0;
}

int opponent_parse(const char *name, enum opponent *opponent)
{
    const int index = name_index(opponent_names, ARRAY_COUNT(opponent_names), name);

    if (index < 0)
        return index;
    *opponent = (enum opponent)index;
    return 0;
}

double scenario_ideal_ns(const struct scenario *scenario)
{
    const double work_ns = (double)scenario->phase_ns * scenario->phases_count;
    double speed = 0;
    double fastest = 0;

    for (int i = 0; i < scenario->machine.processors_count; i++) {
        speed += scenario->speeds[i];
        if (scenario->speeds[i] > fastest)
            fastest = scenario->speeds[i];
    }
    const double shared_ns = work_ns * scenario->threads_count / speed;
    const double alone_ns = work_ns / fastest;
    return shared_ns > alone_ns ? shared_ns : alone_ns;
}
