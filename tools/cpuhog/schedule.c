/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/cpuhog/schedule.h"

#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { DURATION_TEXT_SIZE = 32 };

int duration_range_parse(const char *text, struct duration_range *range)
{
    char low[DURATION_TEXT_SIZE];
    const char *dash = strchr(text, '-');
    const size_t length = dash ? (size_t)(dash - text) : strlen(text);
    struct duration_range parsed;

    if (length >= sizeof(low))
        return -EINVAL;
    memcpy(low, text, length);
    low[length] = '\0';
    int error = duration_parse(low, &parsed.low_ns);
    if (!error)
        error = duration_parse(dash ? dash + 1 : low, &parsed.high_ns);
    if (error)
        return error;
    if (parsed.high_ns < parsed.low_ns)
        return -ERANGE;
    *range = parsed;
    return 0;
}

bool cycle_is_possible(struct duration_range sleep, struct duration_range compute, double scale)
{
    const double sleep_ns = (double)sleep.high_ns * scale;
    const double compute_ns = (double)compute.high_ns * scale;

    return fmax(sleep_ns, compute_ns) >= 1 && sleep_ns + compute_ns <= (double)NSEC_PER_YEAR;
}

struct duration_range duration_range_scaled(struct duration_range range, double scale)
{
    return (struct duration_range){(int64_t)((double)range.low_ns * scale),
                                   (int64_t)((double)range.high_ns * scale)};
}

static int64_t draw_ns(struct prng *prng, struct duration_range range)
{
    return range.low_ns + (int64_t)prng_below(prng, (uint64_t)(range.high_ns - range.low_ns) + 1);
}

void schedule_init(struct schedule *schedule, struct duration_range sleep,
                   struct duration_range compute, uint64_t seed)
{
    *schedule = (struct schedule){.sleep = sleep, .compute = compute};
    prng_seed(&schedule->prng, seed);
}

struct cycle schedule_next(struct schedule *schedule)
{
    struct cycle cycle;

    cycle.compute_from_ns = schedule->end_ns + draw_ns(&schedule->prng, schedule->sleep);
    cycle.end_ns = cycle.compute_from_ns + draw_ns(&schedule->prng, schedule->compute);
    schedule->end_ns = cycle.end_ns;
    return cycle;
}
