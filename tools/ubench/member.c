/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/ubench/member.h"

#include "libjuggle/policy/prng.h"
#include "libjuggle/cli/options.h"
#include "tools/ubench/pinning.h"
#include "tools/ubench/work.h"

#include <string.h>
#include <time.h>

static int64_t clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

/* Spread evenly about the mean, so that the total work hardly depends on the share. */
static uint64_t phase_iterations(const struct settings *settings, struct prng *prng)
{
    const double deviation = settings->uneven * (2 * prng_unit(prng) - 1);

    return (uint64_t)((double)settings->iterations * (1 + deviation));
}

static void phases_run(const struct settings *settings, const struct meeting *meeting,
                       struct work *work, struct prng *prng, int64_t *arrived_ns, int64_t *work_ns)
{
    arrived_ns[0] = clock_ns();
    meeting->meet(meeting->context);
    for (int phase = 0; phase < settings->phases_count; phase++) {
        const int64_t start_ns = work_cpu_time_ns();
        work_run(work, phase_iterations(settings, prng));
        work_ns[phase] = work_cpu_time_ns() - start_ns;
        arrived_ns[phase + 1] = clock_ns();
        meeting->meet(meeting->context);
    }
}

int member_run(const struct settings *settings, const struct meeting *meeting, int index,
               int64_t *arrived_ns, int64_t *work_ns)
{
    struct work work;
    struct prng prng;

    int error = settings->static_count ? pinning_cyclic(index, settings->static_count) : 0;
    if (error) {
        complain(settings->program, "--static: member %d cannot be pinned: %s", index,
                 strerror(-error));
        return error;
    }
    error = work_init(&work, (size_t)settings->footprint_size);
    if (error) {
        complain(settings->program, "--footprint: no memory for member %d: %s", index,
                 strerror(-error));
        return error;
    }
    prng_seed(&prng, settings->seed + (uint64_t)index);
    phases_run(settings, meeting, &work, &prng, arrived_ns, work_ns);
    work_destroy(&work);
    return 0;
}
