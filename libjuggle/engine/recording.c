/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The writer's buffer is a ring with one producer, the thread that records (the engine lets in one
 * at a time), and one consumer, the thread that flushes. Positions only grow; the ring's index is
 * the position modulo its size.
 *
 *   produced: stored (release) after a whole record was copied, loaded (acquire) by the consumer:
 *             so the consumer sees no half-written record.
 *   consumed: stored (release) after the bytes went to the file, loaded (acquire) by the producer:
 *             so the producer overwrites nothing that is still to be written.
 *   lost:     counts up once a record did not fit; nothing is recorded after that, as a recording
 *             with a hole cannot be replayed. The consumer only reads it.
 */
#include "libjuggle/engine/recording.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    MARK_END = 0,
    MARK_EVENT = 1, /* plus the event's type */
    GROUP_BITS = 7,
    GROUP_MORE = 0x80,
    BUFFER_MIN = 256, /* holds any single processor of the header and its options */
};

#define NEXT_NEVER (-1)

static bool event_is_timed(enum event_type type)
{
    return type == EVENT_START || type == EVENT_PERIOD;
}

/* ---- writer ---- */

struct recording_writer {
    FILE *file;
    int64_t last_ns; /* of the last record; the producer's own */
    size_t size;
    _Atomic size_t produced;
    _Atomic size_t consumed;
    _Atomic int64_t lost;
    unsigned char bytes[];
};

/* A record in the making: published as a whole, or not at all. */
struct pen {
    struct recording_writer *writer;
    size_t position;
    size_t limit;
    bool fits;
};

static struct pen pen_take(struct recording_writer *writer)
{
    const size_t consumed = atomic_load_explicit(&writer->consumed, memory_order_acquire);

    return (struct pen){
        .writer = writer,
        .position = atomic_load_explicit(&writer->produced, memory_order_relaxed),
        .limit = consumed + writer->size,
        .fits = true,
    };
}

static void pen_put(struct pen *pen, int64_t value)
{
    const size_t mask = pen->writer->size - 1;
    uint64_t bits = (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);

    do {
        const unsigned char group = bits & (GROUP_MORE - 1);

        bits >>= GROUP_BITS;
        if (pen->position == pen->limit) {
            pen->fits = false;
            return;
        }
        pen->writer->bytes[pen->position++ & mask] = group | (bits ? GROUP_MORE : 0);
    } while (bits);
}

static bool pen_publish(struct pen *pen)
{
    if (pen->fits)
        atomic_store_explicit(&pen->writer->produced, pen->position, memory_order_release);
    return pen->fits;
}

static void put_event(struct pen *pen, const struct event *event, int64_t last_ns)
{
    pen_put(pen, MARK_EVENT + (int)event->type);
    pen_put(pen, event->subject);
    pen_put(pen, event->domain);
    pen_put(pen, event->now_ns - last_ns);
    if (event->type == EVENT_RATE)
        pen_put(pen, event->rate);
    pen_put(pen, event->samples_count);
    for (int i = 0; i < event->samples_count; i++) {
        const struct sample *sample = &event->samples[i];

        pen_put(pen, sample->thread);
        pen_put(pen, sample->now_ns - event->now_ns);
        pen_put(pen, sample->run_ns);
        pen_put(pen, sample->wait_ns);
        pen_put(pen, sample->slices_count);
        pen_put(pen, (int)sample->state);
        pen_put(pen, sample->processor);
        pen_put(pen, sample->told_wait_ns);
        pen_put(pen, sample->work_ns);
        pen_put(pen, sample->told_since_ns);
        pen_put(pen, sample->told_from_ns);
        pen_put(pen, sample->told_until_ns);
    }
}

static void put_plan(struct pen *pen, const struct event *event, const struct plan *plan)
{
    pen_put(pen, plan->moves_count);
    for (int i = 0; i < plan->moves_count; i++) {
        const struct move *move = &plan->moves[i];

        pen_put(pen, move->thread);
        pen_put(pen, move->from);
        pen_put(pen, move->to);
        pen_put(pen, (int)move->scope);
    }
    if (event_is_timed(event->type))
        pen_put(pen, plan->next_ns == INT64_MAX ? NEXT_NEVER : plan->next_ns - event->now_ns);
}

static void writer_record(void *context, const struct event *event, const struct plan *plan)
{
    struct recording_writer *writer = context;
    struct pen pen = pen_take(writer);
    const int64_t lost = atomic_load_explicit(&writer->lost, memory_order_relaxed);

    if (!lost) {
        put_event(&pen, event, writer->last_ns);
        put_plan(&pen, event, plan);
    }
    if (lost || !pen_publish(&pen))
        atomic_store_explicit(&writer->lost, lost + 1, memory_order_relaxed);
    writer->last_ns = event->now_ns;
}

struct engine_recorder recording_writer_port(struct recording_writer *writer)
{
    return (struct engine_recorder){.record = writer_record, .context = writer};
}

static int writer_drain(struct recording_writer *writer)
{
    const size_t produced = atomic_load_explicit(&writer->produced, memory_order_acquire);
    size_t consumed = atomic_load_explicit(&writer->consumed, memory_order_relaxed);

    while (consumed != produced) {
        const size_t index = consumed & (writer->size - 1);
        const size_t left = produced - consumed;
        const size_t length = left < writer->size - index ? left : writer->size - index;

        if (fwrite(writer->bytes + index, 1, length, writer->file) != length)
            return -errno;
        consumed += length;
        atomic_store_explicit(&writer->consumed, consumed, memory_order_release);
    }
    return 0;
}

int recording_writer_flush(struct recording_writer *writer)
{
    int error = writer_drain(writer);

    if (!error && fflush(writer->file))
        error = -errno;
    if (!error && atomic_load_explicit(&writer->lost, memory_order_relaxed))
        error = -ENOBUFS;
    return error;
}

static int write_machine(struct recording_writer *writer, const struct machine *machine)
{
    struct pen pen = pen_take(writer);
    int error = 0;

    pen_put(&pen, RECORDING_VERSION);
    pen_put(&pen, machine->processors_count);
    pen_put(&pen, machine->domains_count);
    for (int i = 0; i < machine->processors_count && !error; i++) {
        pen_put(&pen, machine->processors[i].os_index);
        pen_put(&pen, machine->processors[i].core);
        pen_put(&pen, machine->processors[i].domain);
        pen_publish(&pen);
        error = writer_drain(writer);
        pen = pen_take(writer);
    }
    pen_put(&pen, machine->smt_rate);
    for (int i = 0; i < machine->processors_count && !error; i++) {
        pen_put(&pen, machine->processors[i].rate);
        pen_publish(&pen);
        error = writer_drain(writer);
        pen = pen_take(writer);
    }
    return error;
}

static int write_options(struct recording_writer *writer, const struct policy_options *options)
{
    struct pen pen = pen_take(writer);
    int64_t jitter_bits;

    memcpy(&jitter_bits, &options->jitter, sizeof(jitter_bits));
    pen_put(&pen, (int)options->kind);
    pen_put(&pen, options->period_ns);
    pen_put(&pen, jitter_bits);
    pen_put(&pen, options->margin_ns);
    pen_put(&pen, (int64_t)options->seed);
    pen_put(&pen, options->threads_max);
    pen_publish(&pen);
    return writer_drain(writer);
}

int recording_writer_create(const struct machine *machine, const struct policy_options *options,
                            size_t buffer_size, FILE *file, struct recording_writer **writer)
{
    struct recording_writer *made;
    int error;

    if (buffer_size < BUFFER_MIN || buffer_size & (buffer_size - 1))
        return -EINVAL;
    made = calloc(1, sizeof(*made) + buffer_size);
    if (!made)
        return -ENOMEM;
    made->file = file;
    made->size = buffer_size;
    error = fputs(RECORDING_MAGIC, file) < 0 ? -EIO : write_machine(made, machine);
    if (!error)
        error = write_options(made, options);
    if (error) {
        free(made);
        return error;
    }
    *writer = made;
    return 0;
}

int recording_writer_finish(struct recording_writer *writer)
{
    int error = writer_drain(writer);
    struct pen pen = pen_take(writer);

    pen_put(&pen, MARK_END);
    pen_put(&pen, atomic_load_explicit(&writer->lost, memory_order_relaxed));
    pen_publish(&pen);
    return error ? error : recording_writer_flush(writer);
}

void recording_writer_destroy(struct recording_writer *writer)
{
    free(writer);
}

/* ---- reader ---- */

struct recording_reader {
    FILE *file;
    int version;
    int64_t last_ns;
    struct machine machine;
    struct policy_options options;
    struct sample *samples; /* options.threads_max of each */
    struct move *moves;
};

/* What is read of a file: the first damage makes all that follows zero. */
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

/* Wraps where a damaged file would overflow. */
static int64_t lens_get_after(struct lens *lens, int64_t base_ns)
{
    return (int64_t)((uint64_t)base_ns + (uint64_t)lens_get(lens));
}

static void get_rates(struct lens *lens, struct machine *machine)
{
    machine->smt_rate = lens_get(lens);
    for (int i = 0; i < machine->processors_count; i++)
        machine->processors[i].rate = lens_get(lens);
}

static void get_machine(struct lens *lens, int version, struct machine *machine)
{
    machine->processors_count = lens_get_int(lens, 1, MACHINE_PROCESSORS_MAX);
    machine->domains_count = lens_get_int(lens, 1, MACHINE_DOMAINS_MAX);
    for (int i = 0; i < machine->processors_count; i++)
        machine->processors[i] = (struct processor){
            .os_index = lens_get_int(lens, INT_MIN, INT_MAX),
            .core = lens_get_int(lens, INT_MIN, INT_MAX),
            .domain = lens_get_int(lens, 0, MACHINE_DOMAINS_MAX - 1),
        };
    machine->smt_rate = 0;
    if (version > 1)
        get_rates(lens, machine);
    if (machine_check(machine))
        lens->damaged = true;
}

static void get_options(struct lens *lens, struct policy_options *options)
{
    int64_t jitter_bits;

    options->kind = (enum policy_kind)lens_get_int(lens, 0, POLICY_KINDS_COUNT - 1);
    options->period_ns = lens_get(lens);
    jitter_bits = lens_get(lens);
    memcpy(&options->jitter, &jitter_bits, sizeof(options->jitter));
    options->margin_ns = lens_get(lens);
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
    const int64_t version = lens_get(&lens);
    if (version < RECORDING_VERSION_MIN || version > RECORDING_VERSION)
        return lens.damaged ? -EBADMSG : -EPROTONOSUPPORT;
    reader->version = (int)version;
    get_machine(&lens, reader->version, &reader->machine);
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

static struct sample get_sample(struct lens *lens, int version, int64_t event_ns)
{
    struct sample sample = {
        .thread = lens_get_int(lens, INT_MIN, INT_MAX),
        .now_ns = lens_get_after(lens, event_ns),
        .run_ns = lens_get(lens),
        .wait_ns = lens_get(lens),
        .slices_count = lens_get(lens),
        .state = (enum sample_state)lens_get_int(lens, SAMPLE_UNKNOWN, SAMPLE_WAITING),
        .processor = -1,
    };

    if (version > 1) {
        sample.processor = lens_get_int(lens, INT_MIN, INT_MAX);
        sample.told_wait_ns = lens_get(lens);
    }
    if (version > 2)
        sample.work_ns = lens_get(lens);
    if (version > 3) {
        sample.told_since_ns = lens_get(lens);
        sample.told_from_ns = lens_get(lens);
        sample.told_until_ns = lens_get(lens);
    }
    return sample;
}

static void get_event(struct recording_reader *reader, struct lens *lens, struct event *event)
{
    event->subject = lens_get_int(lens, INT_MIN, INT_MAX);
    event->domain = lens_get_int(lens, INT_MIN, INT_MAX);
    event->now_ns = lens_get_after(lens, reader->last_ns);
    if (event->type == EVENT_RATE)
        event->rate = lens_get(lens);
    event->samples = reader->samples;
    event->samples_count = lens_get_int(lens, 0, reader->options.threads_max);
    for (int i = 0; i < event->samples_count; i++)
        reader->samples[i] = get_sample(lens, reader->version, event->now_ns);
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
    const int mark = lens_get_int(&lens, MARK_END, MARK_EVENT + EVENT_RATE);
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
