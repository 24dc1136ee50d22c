/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/stopwatch.h"

#include <stdio.h>
#include <string.h>

/* Two readings of the clock that are this far apart give the length of a tick to one part in ten
 * thousand. */
static const int64_t CALIBRATION_NS = NSEC_PER_MSEC;

/* Whether the kernel keeps time by the processor's ticks. */
static bool kernel_trusts_ticks(void)
{
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    char source[8] = "";
    bool trusts;

    if (!file)
        return false;
    trusts = fgets(source, sizeof(source), file) && strcmp(source, "tsc\n") == 0;
    fclose(file);
    return trusts;
}

void stopwatch_open(struct stopwatch *watch, struct transport *transport)
{
    *watch = (struct stopwatch){
        .suitable = transport->kernel_clock && kernel_trusts_ticks(),
        .opened_ns = transport->ops->now_ns(transport),
        .opened_ticks = stopwatch_ticks(),
    };
}

void stopwatch_set(struct stopwatch *watch, struct transport *transport)
{
    const int64_t elapsed_ns = transport->ops->now_ns(transport) - watch->opened_ns;

    watch->ticking = watch->suitable && elapsed_ns >= CALIBRATION_NS;
    if (watch->ticking)
        watch->ns_per_tick = (double)elapsed_ns / (double)(stopwatch_ticks() - watch->opened_ticks);
}
