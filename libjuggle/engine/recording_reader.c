/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what recording_writer.c wrote, and takes none of it on trust. */
#include "libjuggle/engine/recording_format.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct recording_reader {
    FILE *file;
    int64_t last_ns;
    struct machine machine;
    struct policy_options options;
    struct sample *samples; /* options.threads_max of each */
    struct move *moves;
};

/* Reads a file: after the first damage every value is zero, or the least that is allowed. */
struct lens {
    FILE *file;
    bool damaged;
};

static int64_t lens_get(struct lens *lens)
{
    uint64_t bits = 0;
    int shift = 0;
    int byte;

    do {
        byte = lens->damaged ? EOF : getc_unlocked(lens->file);
        if (byte == EOF || shift > 63) {
            lens->damaged = true;
            return 0;
        }
        bits |= (uint64_t)(byte & (GROUP_MORE - 1)) << shift;
        shift += GROUP_BITS;
    } while (byte & GROUP_MORE);
    return (int64_t)(bits >> 1 ^ -(bits & 1));
}

/* An integer within [low, high]; anything else is damage. */
static int lens_get_int(struct lens *lens, int low, int high)
{
    const int64_t value = lens_get(lens);

    if (value < low || value > high)
        lens->damaged = true;
    return lens->damaged ? low : (int)value;
}

static int64_t lens_get_total(struct lens *lens)
{
    const int64_t value = lens_get(lens);

    if (value < -RECORDING_TOTAL_MAX || value > RECORDING_TOTAL_MAX)
        lens->damaged = true;
    return lens->damaged ? 0 : value;
}

static int64_t lens_get_after(struct lens *lens, int64_t base_ns)
{
    const int64_t time_ns = base_ns + lens_get_total(lens);

    if (time_ns < -RECORDING_TOTAL_MAX || time_ns > RECORDING_TOTAL_MAX)
        lens->damaged = true;
    return lens->damaged ? 0 : time_ns;
}

static void get_machine(struct lens *lens, struct machine *machine)
{
    machine->processors_count = lens_get_int(lens, 1, MACHINE_PROCESSORS_MAX);
    machine->domains_count = lens_get_int(lens, 1, MACHINE_DOMAINS_MAX);
    for (int i = 0; i < machine->processors_count; i++)
        machine->processors[i] = (struct processor){
            .os_index = lens_get_int(lens, INT_MIN, INT_MAX),
            .core = lens_get_int(lens, INT_MIN, INT_MAX),
            .domain = lens_get_int(lens, 0, MACHINE_DOMAINS_MAX - 1),
        };
    machine->smt_rate = lens_get(lens);
    for (int i = 0; i < machine->processors_count; i++)
        machine->processors[i].rate = lens_get(lens);
    if (machine_check(machine))
        lens->damaged = true;
}

static void get_options(struct lens *lens, struct policy_options *options)
{
    int64_t jitter_bits;

    options->kind = (enum policy_kind)lens_get_int(lens, 0, POLICY_KINDS_COUNT - 1);
    options->period_ns = lens_get_total(lens);
    jitter_bits = lens_get(lens);
    memcpy(&options->jitter, &jitter_bits, sizeof(options->jitter));
    options->margin_ns = lens_get_total(lens);
    options->seed = (uint64_t)lens_get(lens);
    options->threads_max = lens_get_int(lens, 1, POLICY_THREADS_MAX);
}

static int read_header(struct recording_reader *reader)
{
    struct lens lens = {.file = reader->file};
    char magic[sizeof(RECORDING_MAGIC) - 1];

    if (fread(magic, 1, sizeof(magic), reader->file) != sizeof(magic) ||
        memcmp(magic, RECORDING_MAGIC, sizeof(magic)))
        return -EBADMSG;
    if (lens_get(&lens) != RECORDING_VERSION)
        return lens.damaged ? -EBADMSG : -EPROTONOSUPPORT;
    get_machine(&lens, &reader->machine);
    get_options(&lens, &reader->options);
    if (lens.damaged || policy_footprint(&reader->machine, &reader->options) < 0)
        return -EBADMSG;
    return 0;
}

int recording_reader_create(FILE *file, struct recording_reader **reader)
{
    struct recording_reader *made = calloc(1, sizeof(*made));
    int error = -ENOMEM;

    if (!made)
        return -ENOMEM;
    made->file = file;
    error = read_header(made);
    if (error)
        goto fail;
    made->samples = calloc((size_t)made->options.threads_max, sizeof(*made->samples));
    made->moves = calloc((size_t)made->options.threads_max, sizeof(*made->moves));
    if (!made->samples || !made->moves) {
        error = -ENOMEM;
        goto fail;
    }
    *reader = made;
    return 0;
fail:
    recording_reader_destroy(made);
    return error;
}

void recording_reader_destroy(struct recording_reader *reader)
{
    if (!reader)
        return;
    free(reader->moves);
    free(reader->samples);
    free(reader);
}

const struct machine *recording_reader_machine(const struct recording_reader *reader)
{
    return &reader->machine;
}

const struct policy_options *recording_reader_options(const struct recording_reader *reader)
{
    return &reader->options;
}

/* Reads the fields in the order of the file. */
static struct sample get_sample(struct lens *lens, int64_t event_ns)
{
    struct sample sample = {.thread = lens_get_int(lens, INT_MIN, INT_MAX)};

    sample.now_ns = lens_get_after(lens, event_ns);
    sample.run_ns = lens_get_total(lens);
    sample.wait_ns = lens_get_total(lens);
    sample.slices_count = lens_get_total(lens);
    sample.state = (enum sample_state)lens_get_int(lens, SAMPLE_UNKNOWN, SAMPLE_WAITING);
    sample.processor = lens_get_int(lens, INT_MIN, INT_MAX);
    sample.told_wait_ns = lens_get_total(lens);
    sample.work_ns = lens_get_total(lens);
    sample.told_since_ns = lens_get_total(lens);
    sample.told_from_ns = lens_get_total(lens);
    sample.told_until_ns = lens_get_total(lens);
    return sample;
}

static void get_event(struct recording_reader *reader, struct lens *lens, struct event *event)
{
    event->subject = lens_get_int(lens, INT_MIN, INT_MAX);
    event->domain = lens_get_int(lens, INT_MIN, INT_MAX);
    event->now_ns = lens_get_after(lens, reader->last_ns);
    event->samples = reader->samples;
    event->samples_count = lens_get_int(lens, 0, reader->options.threads_max);
    for (int i = 0; i < event->samples_count; i++)
        reader->samples[i] = get_sample(lens, event->now_ns);
}

static void get_plan(struct recording_reader *reader, struct lens *lens, const struct event *event,
                     struct plan *plan)
{
    plan->moves = reader->moves;
    plan->moves_max = reader->options.threads_max;
    plan->moves_count = lens_get_int(lens, 0, plan->moves_max);
    for (int i = 0; i < plan->moves_count; i++)
        plan->moves[i] = (struct move){
            .thread = lens_get_int(lens, INT_MIN, INT_MAX),
            .from = lens_get_int(lens, INT_MIN, INT_MAX),
            .to = lens_get_int(lens, INT_MIN, INT_MAX),
            .scope = (enum move_scope)lens_get_int(lens, SCOPE_PROCESSOR, SCOPE_DOMAIN),
        };
    plan->next_ns = INT64_MAX;
    if (event_is_timed(event->type)) {
        const int64_t wait_ns = lens_get(lens);

        if (wait_ns != NEXT_NEVER)
            plan->next_ns = (int64_t)((uint64_t)event->now_ns + (uint64_t)wait_ns);
    }
}

int recording_reader_next(struct recording_reader *reader, struct event *event, struct plan *plan)
{
    struct lens lens = {.file = reader->file};
    const int mark = lens_get_int(&lens, MARK_END, MARK_EVENT + EVENT_TYPES_COUNT - 1);
    struct event read = {.type = (enum event_type)(mark - MARK_EVENT)};
    struct plan answered;

    if (lens.damaged)
        return -EBADMSG;
    if (mark == MARK_END) {
        const int64_t lost = lens_get(&lens);

        return lens.damaged ? -EBADMSG : lost ? -ENOBUFS : -ENODATA;
    }
    get_event(reader, &lens, &read);
    get_plan(reader, &lens, &read, &answered);
    if (lens.damaged)
        return -EBADMSG;
    reader->last_ns = read.now_ns;
    *event = read;
    *plan = answered;
    return 0;
}
