/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/ubench/member.h"

#include "libjuggle/linux/clock.h"
#include "cli/options.h"
#include "libjuggle/juggle.h"
#include "libjuggle/ground/prng.h"
#include "tools/ubench/pinning.h"
#include "tools/ubench/work.h"

#include <errno.h>
#include <string.h>

struct member {
    const struct settings *settings;
    const struct meeting *meeting;
    struct juggle_thread *wait_reporter; /* tells juggle(1) of waits; NULL: tells nothing */
    struct work work;
    struct prng prng;
};

/* Returns the iterations of a phase, uniformly distributed about the mean, so that the total work
 * hardly depends on settings->uneven. */
static uint64_t phase_iterations(struct member *member)
{
    const double deviation = member->settings->uneven * (2 * prng_unit(&member->prng) - 1);

    return (uint64_t)((double)member->settings->iterations * (1 + deviation));
}

/* Creates the wait reporter if asked. Without a juggle(1) that listens (-ENOENT) it stays NULL. */
static int wait_reporter_create(struct member *member)
{
    const int error = member->settings->tell_waits
                          ? juggle_thread_create(NULL, 0, &member->wait_reporter)
                          : 0;
    return error == -ENOENT ? 0 : error;
}

static void meet(const struct member *member)
{
    if (member->wait_reporter)
        juggle_wait_begin(member->wait_reporter);
    member->meeting->meet(member->meeting->context);
    if (member->wait_reporter)
        juggle_wait_end(member->wait_reporter);
}

static void phases_run(struct member *member, int64_t *arrived_ns, int64_t *work_ns)
{
    arrived_ns[0] = clock_now_ns();
    meet(member);
    for (int phase = 0; phase < member->settings->phases_count; phase++) {
        const int64_t start_ns = clock_spent_ns();
        work_run(&member->work, phase_iterations(member));
        work_ns[phase] = clock_spent_ns() - start_ns;
        arrived_ns[phase + 1] = clock_now_ns();
        meet(member);
    }
}

int member_run(const struct settings *settings, const struct meeting *meeting, int index,
               int64_t *arrived_ns, int64_t *work_ns)
{
    struct member member = {.settings = settings, .meeting = meeting};

    int error = settings->static_count ? pinning_cyclic(index, settings->static_count) : 0;
    if (error) {
        complain(settings->program, "--static: member %d cannot be pinned: %s", index,
                 strerror(-error));
        return error;
    }
    error = wait_reporter_create(&member);
    if (error) {
        complain(settings->program, "--tell-waits: cannot register member %d with juggle: %s",
                 index, strerror(-error));
        return error;
    }
    error = work_init(&member.work, (size_t)settings->footprint_size);
    if (error) {
        complain(settings->program, "--footprint: no memory for member %d: %s", index,
                 strerror(-error));
        goto destroy_wait_reporter;
    }
    prng_seed(&member.prng, settings->seed + (uint64_t)index);
    phases_run(&member, arrived_ns, work_ns);
    work_destroy(&member.work);
destroy_wait_reporter:
    juggle_thread_destroy(member.wait_reporter);
    return error;
}
