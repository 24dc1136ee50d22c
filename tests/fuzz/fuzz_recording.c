/* SPDX-License-Identifier: BSD-3-Clause */
/* Recordings that anybody could have written: they are read to the end and replayed, or refused. */
#include "libjuggle/engine/recording.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Checks what a policy may rely on in each event. */
static void expect_bounded(const struct recording_reader *reader, const struct event *event,
                           const struct plan *plan)
{
    const struct policy_options *options = recording_reader_options(reader);

    if (event->samples_count < 0 || event->samples_count > options->threads_max ||
        plan->moves_count < 0 || plan->moves_count > options->threads_max)
        abort();
    for (int i = 0; i < event->samples_count; i++)
        if (event->samples[i].state < SAMPLE_UNKNOWN || event->samples[i].state > SAMPLE_WAITING)
            abort();
}

/* The number of threads with which a replay begins quickly, because the tables of a policy are
 * cleared. */
enum { THREADS_QUICK = 256 };

struct replayed {
    struct policy *policy;
    struct plan plan;
    void *memory;
};

static void replay_begin(const struct recording_reader *reader, struct replayed *replayed)
{
    const struct machine *machine = recording_reader_machine(reader);
    const struct policy_options *options = recording_reader_options(reader);

    *replayed = (struct replayed){0};
    if (options->threads_max > THREADS_QUICK)
        return;
    replayed->memory = malloc((size_t)policy_footprint(machine, options));
    replayed->plan.moves_max = options->threads_max;
    replayed->plan.moves = calloc((size_t)options->threads_max, sizeof(struct move));
    if (!replayed->memory || !replayed->plan.moves)
        abort();
    replayed->policy = policy_init(replayed->memory, machine, options);
}

/* Whatever the events say, the policy stays consistent. */
static void replay_step(struct replayed *replayed, const struct event *event)
{
    struct fault fault = {0};

    if (!replayed->policy)
        return;
    policy_step(replayed->policy, event, &replayed->plan);
    policy_check(replayed->policy, event, &replayed->plan, &fault);
    if (fault_text(&fault))
        abort();
}

static void replay_end(struct replayed *replayed)
{
    free(replayed->plan.moves);
    free(replayed->memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct recording_reader *reader;
    struct replayed replayed;
    struct event event;
    struct plan plan;
    int error;

    if (!size)
        return -1;
    FILE *file = fmemopen((void *)bytes, size, "r");
    if (!file)
        abort();
    if (recording_reader_create(file, &reader) == 0) {
        if (machine_check(recording_reader_machine(reader)))
            abort();
        replay_begin(reader, &replayed);
        while (!(error = recording_reader_next(reader, &event, &plan))) {
            expect_bounded(reader, &event, &plan);
            replay_step(&replayed, &event);
        }
        replay_end(&replayed);
        if (error != -ENODATA && error != -ENOBUFS && error != -EBADMSG)
            abort();
        recording_reader_destroy(reader);
    }
    fclose(file);
    return 0;
}
