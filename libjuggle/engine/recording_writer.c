/* SPDX-License-Identifier: BSD-3-Clause */
/* The writer's buffer is a ring with one producer, the thread that records (the engine lets in one
 * at a time), and one consumer, the thread that flushes. Positions only grow; the ring's index is
 * the position modulo its size.
 *
 *   produced: stored (release) after a whole record was copied, loaded (acquire) by the consumer:
 *             so the consumer sees no half-written record.
 *   consumed: stored (release) after the bytes went to the file, loaded (acquire) by the producer:
 *             so the producer overwrites nothing that is still to be written.
 *   lost:     counts the record that did not fit and all after it. None of them is recorded, as a
 *             recording with a hole cannot be replayed. The consumer only reads it. */
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
struct record_draft {
    struct recording_writer *writer;
    size_t position;
    size_t limit;
    bool fits;
};

static struct record_draft draft_take(struct recording_writer *writer)
{
    const size_t consumed = atomic_load_explicit(&writer->consumed, memory_order_acquire);

    return (struct record_draft){
        .writer = writer,
        .position = atomic_load_explicit(&writer->produced, memory_order_relaxed),
        .limit = consumed + writer->size,
        .fits = true,
    };
}

static void draft_put(struct record_draft *draft, int64_t value)
{
    const size_t mask = draft->writer->size - 1;
    uint64_t bits = (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);

    do {
        const unsigned char group = bits & (GROUP_MORE - 1);

        bits >>= GROUP_BITS;
        if (draft->position == draft->limit) {
            draft->fits = false;
            return;
        }
        draft->writer->bytes[draft->position++ & mask] = group | (bits ? GROUP_MORE : 0);
    } while (bits);
}

static bool draft_publish(struct record_draft *draft)
{
    if (draft->fits)
        atomic_store_explicit(&draft->writer->produced, draft->position, memory_order_release);
    return draft->fits;
}

static void put_event(struct record_draft *draft, const struct event *event, int64_t last_ns)
{
    draft_put(draft, MARK_EVENT + (int)event->type);
    draft_put(draft, event->subject);
    draft_put(draft, event->domain);
    draft_put(draft, event->now_ns - last_ns);
    draft_put(draft, event->samples_count);
    for (int i = 0; i < event->samples_count; i++) {
        const struct sample *sample = &event->samples[i];

        draft_put(draft, sample->thread);
        draft_put(draft, sample->now_ns - event->now_ns);
        draft_put(draft, sample->run_ns);
        draft_put(draft, sample->wait_ns);
        draft_put(draft, sample->slices_count);
        draft_put(draft, (int)sample->state);
        draft_put(draft, sample->processor);
        draft_put(draft, sample->told_wait_ns);
        draft_put(draft, sample->work_ns);
        draft_put(draft, sample->told_since_ns);
        draft_put(draft, sample->told_from_ns);
        draft_put(draft, sample->told_until_ns);
    }
}

static void put_plan(struct record_draft *draft, const struct event *event, const struct plan *plan)
{
    draft_put(draft, plan->moves_count);
    for (int i = 0; i < plan->moves_count; i++) {
        const struct move *move = &plan->moves[i];

        draft_put(draft, move->thread);
        draft_put(draft, move->from);
        draft_put(draft, move->to);
        draft_put(draft, (int)move->scope);
    }
    if (event_is_timed(event->type))
        draft_put(draft, plan->next_ns == INT64_MAX ? NEXT_NEVER : plan->next_ns - event->now_ns);
}

static void writer_record(void *context, const struct event *event, const struct plan *plan)
{
    struct recording_writer *writer = context;
    struct record_draft draft = draft_take(writer);
    const int64_t lost = atomic_load_explicit(&writer->lost, memory_order_relaxed);

    if (!lost) {
        put_event(&draft, event, writer->last_ns);
        put_plan(&draft, event, plan);
    }
    if (lost || !draft_publish(&draft))
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
    struct record_draft draft = draft_take(writer);
    int error = 0;

    draft_put(&draft, RECORDING_VERSION);
    draft_put(&draft, machine->processors_count);
    draft_put(&draft, machine->domains_count);
    for (int i = 0; i < machine->processors_count && !error; i++) {
        draft_put(&draft, machine->processors[i].os_index);
        draft_put(&draft, machine->processors[i].core);
        draft_put(&draft, machine->processors[i].domain);
        draft_publish(&draft);
        error = writer_drain(writer);
        draft = draft_take(writer);
    }
    draft_put(&draft, machine->smt_rate);
    for (int i = 0; i < machine->processors_count && !error; i++) {
        draft_put(&draft, machine->processors[i].rate);
        draft_publish(&draft);
        error = writer_drain(writer);
        draft = draft_take(writer);
    }
    return error;
}

static int write_options(struct recording_writer *writer, const struct policy_options *options)
{
    struct record_draft draft = draft_take(writer);
    int64_t jitter_bits;

    memcpy(&jitter_bits, &options->jitter, sizeof(jitter_bits));
    draft_put(&draft, (int)options->kind);
    draft_put(&draft, options->period_ns);
    draft_put(&draft, jitter_bits);
    draft_put(&draft, options->margin_ns);
    draft_put(&draft, (int64_t)options->seed);
    draft_put(&draft, options->threads_max);
    draft_publish(&draft);
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
    struct record_draft draft = draft_take(writer);

    draft_put(&draft, MARK_END);
    draft_put(&draft, atomic_load_explicit(&writer->lost, memory_order_relaxed));
    draft_publish(&draft);
    return error ? error : recording_writer_flush(writer);
}

void recording_writer_destroy(struct recording_writer *writer)
{
    free(writer);
}
