/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/processors.h"

#include "libjuggle/ground/prng.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

struct disturbed_processor {
    int64_t phase_ns; /* how much of its period had passed at time 0 */
    double factor;
};

struct processors {
    int64_t period_ns;
    int64_t taken_ns; /* by the operating system, at the beginning of each period */
    struct disturbed_processor processor[];
};

/* Returns the end of the work, which is done in the rest of each period. */
static int64_t finish_disturbed(const struct processors *processors, int64_t phase_ns,
                                int64_t begin_ns, int64_t work_ns)
{
    const int64_t taken_ns = processors->taken_ns, own_ns = processors->period_ns - taken_ns;
    const int64_t into_ns = (begin_ns + phase_ns) % processors->period_ns;
    const int64_t wait_ns = max_i64(taken_ns - into_ns, 0);
    const int64_t used_ns = max_i64(into_ns - taken_ns, 0);

    return begin_ns + wait_ns + work_ns + (used_ns + work_ns - 1) / own_ns * taken_ns;
}

int64_t processors_finish(const struct processors *processors, int rank, int64_t begin_ns,
                          int64_t work_ns)
{
    if (!processors || work_ns == 0)
        return begin_ns + work_ns;
    const struct disturbed_processor *processor = &processors->processor[rank];

    if (processor->factor > 1)
        work_ns = (int64_t)((double)work_ns * processor->factor);
    if (processors->taken_ns == 0)
        return begin_ns + work_ns;
    return finish_disturbed(processors, processor->phase_ns, begin_ns, work_ns);
}

/* ---- life ---------------------------------------------------------------------------------- */

/* Chooses the stragglers, each set of ranks with the same probability. */
static void stragglers_choose(struct processors *processors, const struct stragglers *stragglers,
                              int ranks, struct prng *prng)
{
    int left = (int)(stragglers->share * ranks + 0.5);

    for (int rank = 0; rank < ranks; rank++) {
        const bool slow = (int)prng_below(prng, (uint64_t)(ranks - rank)) < left;

        processors->processor[rank].factor = slow ? stragglers->factor : 1;
        left -= slow;
    }
}

int processors_open(const struct os_noise *noise, const struct stragglers *stragglers, int ranks,
                    uint64_t seed, struct processors **out)
{
    const bool alike = stragglers->share == 0 || stragglers->factor == 1;
    struct processors *processors;
    struct prng prng;

    if (alike && noise->share == 0) {
        *out = NULL;
        return 0;
    }
    processors = calloc(1,
                        sizeof(*processors) + (size_t)ranks * sizeof(struct disturbed_processor));
    if (!processors)
        return -ENOMEM;
    processors->period_ns = noise->period_ns;
    processors->taken_ns = (int64_t)(noise->share * (double)noise->period_ns);
    prng_seed(&prng, seed);
    stragglers_choose(processors, stragglers, ranks, &prng);
    for (int rank = 0; rank < ranks && noise->share > 0; rank++)
        processors->processor[rank].phase_ns = (int64_t)prng_below(&prng,
                                                                   (uint64_t)noise->period_ns);
    *out = processors;
    return 0;
}

void processors_close(struct processors *processors)
{
    free(processors);
}
