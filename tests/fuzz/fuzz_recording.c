/* SPDX-License-Identifier: BSD-3-Clause */
/* Recordings that anybody could have written: they are read to the end, or refused. */
#include "libjuggle/engine/recording.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What a policy may rely on of each event. */
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct recording_reader *reader;
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
        while (!(error = recording_reader_next(reader, &event, &plan)))
            expect_bounded(reader, &event, &plan);
        if (error != -ENODATA && error != -ENOBUFS && error != -EBADMSG)
            abort();
        recording_reader_destroy(reader);
    }
    fclose(file);
    return 0;
}
