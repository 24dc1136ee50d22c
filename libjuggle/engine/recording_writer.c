/* SPDX-License-Identifier: BSD-3-Clause */
/* The writer's buffer is a ring with one producer, the thread that records (the engine lets in one
 * at a time), and one consumer, the thread that flushes. Positions only grow; the ring's index is
 * the position modulo its size.
 *
 *   produced: stored (release) after a whole record was copied, loaded (acquire) by the consumer:
 *             so the consumer sees no half-written record.
 *   consumed: stored (release) after the bytes went to the file, loaded (acquire) by the producer:
 *             so the producer overwrites nothing that is still to be written.
 *   lost:     counts up once a record did not fit; nothing is recorded after that, as a recording
 *             with a hole cannot be replayed. The consumer only reads it. */
#include "libjuggle/engine/recording_format.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_MIN = 256 }; /* holds any single processor of the header and its options */

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
