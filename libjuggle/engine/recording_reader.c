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
struct decoder {
    FILE *file;
    bool damaged;
};

static int64_t decoder_get(struct decoder *decoder)
{
    uint64_t bits = 0;
    int shift = 0;
    int byte;

    do {
        byte = decoder->damaged ? EOF : getc_unlocked(decoder->file);
        if (byte == EOF || shift > 63) {
            decoder->damaged = true;
            return 0;
        }
        bits |= (uint64_t)(byte & (GROUP_MORE - 1)) << shift;
        shift += GROUP_BITS;
    } while (byte & GROUP_MORE);
    return (int64_t)(bits >> 1 ^ -(bits & 1));
}

/* An integer within [low, high]; anything else is damage. */
static int decoder_get_int(struct decoder *decoder, int low, int high)
{
    const int64_t value = decoder_get(decoder);

    if (value < low || value > high)
        decoder->damaged = true;
    return decoder->damaged ? low : (int)value;
}

static int64_t decoder_get_total(struct decoder *decoder)
{
    const int64_t value = decoder_get(decoder);

    if (value < -RECORDING_TOTAL_MAX || value > RECORDING_TOTAL_MAX)
        decoder->damaged = true;
    return decoder->damaged ? 0 : value;
}

static int64_t decoder_get_after(struct decoder *decoder, int64_t base_ns)
{
    const int64_t time_ns = base_ns + decoder_get_total(decoder);

    if (time_ns < -RECORDING_TOTAL_MAX || time_ns > RECORDING_TOTAL_MAX)
        decoder->damaged = true;
    return decoder->damaged ? 0 : time_ns;
}

static void get_machine(struct decoder *decoder, struct machine *machine)
{
    machine->processors_count = decoder_get_int(decoder, 1, MACHINE_PROCESSORS_MAX);
    machine->domains_count = decoder_get_int(decoder, 1, MACHINE_DOMAINS_MAX);
    for (int i = 0; i < machine->processors_count; i++)
        machine->processors[i] = (struct processor){
            .os_index = decoder_get_int(decoder, INT_MIN, INT_MAX),
            .core = decoder_get_int(decoder, INT_MIN, INT_MAX),
            .domain = decoder_get_int(decoder, 0, MACHINE_DOMAINS_MAX - 1),
        };
    machine->smt_rate = decoder_get(decoder);
    for (int i = 0; i < machine->processors_count; i++)
        machine->processors[i].rate = decoder_get(decoder);
    if (machine_check(machine))
        decoder->damaged = true;
}

static void get_options(struct decoder *decoder, struct policy_options *options)
{
    int64_t jitter_bits;

    options->kind = (enum policy_kind)decoder_get_int(decoder, 0, POLICY_KINDS_COUNT - 1);
    options->period_ns = decoder_get_total(decoder);
    jitter_bits = decoder_get(decoder);
    memcpy(&options->jitter, &jitter_bits, sizeof(options->jitter));
    options->margin_ns = decoder_get_total(decoder);
    options->seed = (uint64_t)decoder_get(decoder);
    options->threads_max = decoder_get_int(decoder, 1, POLICY_THREADS_MAX);
}

static int read_header(struct recording_reader *reader)
{
    struct decoder decoder = {.file = reader->file};
    char magic[sizeof(RECORDING_MAGIC) - 1];

    if (fread(magic, 1, sizeof(magic), reader->file) != sizeof(magic))
        return ferror(reader->file) ? -errno : -EBADMSG;
    if (memcmp(magic, RECORDING_MAGIC, sizeof(magic)))
        return -EBADMSG;
    if (decoder_get(&decoder) != RECORDING_VERSION)
        return decoder.damaged ? -EBADMSG : -EPROTONOSUPPORT;
    get_machine(&decoder, &reader->machine);
    get_options(&decoder, &reader->options);
    if (decoder.damaged || policy_footprint(&reader->machine, &reader->options) < 0)
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

int64_t recording_version(FILE *file)
{
    struct decoder decoder = {.file = file};

    return fseek(file, sizeof(RECORDING_MAGIC) - 1, SEEK_SET) ? 0 : decoder_get(&decoder);
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
static struct sample get_sample(struct decoder *decoder, int64_t event_ns)
{
    struct sample sample = {.thread = decoder_get_int(decoder, INT_MIN, INT_MAX)};

    sample.now_ns = decoder_get_after(decoder, event_ns);
    sample.run_ns = decoder_get_total(decoder);
    sample.wait_ns = decoder_get_total(decoder);
    sample.slices_count = decoder_get_total(decoder);
    sample.state = (enum sample_state)decoder_get_int(decoder, SAMPLE_UNKNOWN, SAMPLE_WAITING);
    sample.processor = decoder_get_int(decoder, INT_MIN, INT_MAX);
    sample.told_wait_ns = decoder_get_total(decoder);
    sample.work_ns = decoder_get_total(decoder);
    sample.told_since_ns = decoder_get_total(decoder);
    sample.told_from_ns = decoder_get_total(decoder);
    sample.told_until_ns = decoder_get_total(decoder);
    return sample;
}

static void get_event(struct recording_reader *reader, struct decoder *decoder, struct event *event)
{
    event->subject = decoder_get_int(decoder, INT_MIN, INT_MAX);
    event->domain = decoder_get_int(decoder, INT_MIN, INT_MAX);
    event->now_ns = decoder_get_after(decoder, reader->last_ns);
    event->samples = reader->samples;
    event->samples_count = decoder_get_int(decoder, 0, reader->options.threads_max);
    for (int i = 0; i < event->samples_count; i++)
        reader->samples[i] = get_sample(decoder, event->now_ns);
}

static void get_plan(struct recording_reader *reader, struct decoder *decoder,
                     const struct event *event, struct plan *plan)
{
    plan->moves = reader->moves;
    plan->moves_max = reader->options.threads_max;
    plan->moves_count = decoder_get_int(decoder, 0, plan->moves_max);
    for (int i = 0; i < plan->moves_count; i++)
        plan->moves[i] = (struct move){
            .thread = decoder_get_int(decoder, INT_MIN, INT_MAX),
            .from = decoder_get_int(decoder, INT_MIN, INT_MAX),
            .to = decoder_get_int(decoder, INT_MIN, INT_MAX),
            .scope = (enum move_scope)decoder_get_int(decoder, SCOPE_PROCESSOR, SCOPE_DOMAIN),
        };
    plan->next_ns = INT64_MAX;
    if (event_is_timed(event->type)) {
        const int64_t wait_ns = decoder_get(decoder);

        if (wait_ns != NEXT_NEVER)
            plan->next_ns = (int64_t)((uint64_t)event->now_ns + (uint64_t)wait_ns);
    }
}

int recording_reader_next(struct recording_reader *reader, struct event *event, struct plan *plan)
{
    struct decoder decoder = {.file = reader->file};
    const int mark = decoder_get_int(&decoder, MARK_END, MARK_EVENT + EVENT_TYPES_COUNT - 1);
    struct event read = {.type = (enum event_type)(mark - MARK_EVENT)};
    struct plan answered;

    if (decoder.damaged)
        return -EBADMSG;
    if (mark == MARK_END) {
        const int64_t lost = decoder_get(&decoder);

        return decoder.damaged ? -EBADMSG : lost ? -ENOBUFS : -ENODATA;
    }
    get_event(reader, &decoder, &read);
    get_plan(reader, &decoder, &read, &answered);
    if (decoder.damaged)
        return -EBADMSG;
    reader->last_ns = read.now_ns;
    *event = read;
    *plan = answered;
    return 0;
}
