/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/scenario.h"

#include "libjuggle/theory/unequal.h"

#include <errno.h>
#include <math.h>
#include <string.h>

const char *const barrier_style_names[] = {"block", "yield", "busy"};
const char *const opponent_names[] = {"none", "reactive", "kernel"};
const char *const telling_names[] = {"nothing", "waits", "units"};
const char *const program_names[] = {"phases", "list", "pipeline"};

bool scenario_unequal(const struct scenario *scenario)
{
    if (scenario->smt_speed < 1)
        return true;
    for (int i = 1; i < scenario->machine.processors_count; i++)
        if (scenario->speeds[i] != scenario->speeds[0])
            return true;
    return false;
}

/* Returns the processor's next sibling, or -1. No simulated core has more than two processors. */
static int sibling_after(const struct scenario *scenario, int processor)
{
    const struct machine *machine = &scenario->machine;

    for (int i = processor + 1; i < machine->processors_count; i++)
        if (machine->processors[i].core == machine->processors[processor].core)
            return i;
    return -1;
}

/* Siblings of different speed count as a core of their mean speed. */
static void machine_of(const struct scenario *scenario, struct unequal_machine *machine)
{
    bool counted[MACHINE_PROCESSORS_MAX] = {false};

    unequal_machine_begin(scenario->smt_speed, machine);
    for (int i = 0; i < scenario->machine.processors_count; i++) {
        const int sibling = counted[i] ? -1 : sibling_after(scenario, i);
        const double other = scenario->speeds[sibling < 0 ? i : sibling];

        if (counted[i])
            continue;
        if (sibling >= 0)
            counted[sibling] = true;
        (void)!unequal_machine_add(machine, (scenario->speeds[i] + other) / 2,
                                   sibling < 0 ? 1 : UNEQUAL_WIDTH_MAX);
    }
}

double scenario_part(const struct scenario *scenario, int64_t index)
{
    const struct scenario_parts *parts = &scenario->parts;

    return parts->count ? parts->values[index % parts->count] : 1;
}

/* Returns the work of all threads in the run, in units of a phase of factor 1. */
static double work_sum(const struct scenario *scenario)
{
    const int64_t each = scenario->phases_count, all = each * scenario->threads_count;
    const bool phases = scenario->program == PROGRAM_PHASES;
    double sum = 0;

    if (scenario->program == PROGRAM_PIPELINE) {
        for (int i = 0; i < scenario->threads_count; i++)
            sum += scenario_part(scenario, i);
        return sum * (double)each;
    }
    if (!scenario->parts.count)
        return (double)all;
    for (int64_t i = 0; i < (phases ? each : all); i++)
        sum += scenario_part(scenario, i);
    return phases ? sum * scenario->threads_count : sum;
}

/* Returns the work of the longest stage of a pipeline, which does one item after the other. */
static double longest_stage(const struct scenario *scenario)
{
    double longest = 0;

    if (scenario->program != PROGRAM_PIPELINE)
        return 0;
    for (int i = 0; i < scenario->threads_count; i++)
        longest = fmax(longest, scenario_part(scenario, i));
    return longest * scenario->phases_count;
}

double scenario_ideal_ns(const struct scenario *scenario)
{
    struct unequal_machine machine;

    machine_of(scenario, &machine);
    const double all = work_sum(scenario) / unequal_rate(&machine, scenario->threads_count);
    const double one = longest_stage(scenario) / unequal_rate(&machine, 1);
    return (double)scenario->phase_ns * fmax(all, one) / (1 - scenario->theft.share);
}
