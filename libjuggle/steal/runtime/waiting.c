/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/waiting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES_FIRST = 4096, SLOTS_FIRST = 64 };

int waiting_open(size_t stride, int ranks, struct waiting_tasks **out)
{
    struct waiting_tasks *waiting = calloc(1, sizeof(*waiting));

    if (!waiting)
        return -ENOMEM;
    waiting->stride = stride;
    waiting->ranks = ranks;
    pthread_mutex_init(&waiting->lock, NULL);
    *out = waiting;
    return 0;
}

void waiting_close(struct waiting_tasks *waiting)
{
    if (!waiting)
        return;
    waiting_clear(waiting);
    pthread_mutex_destroy(&waiting->lock);
    free(waiting->noted.memory);
    free(waiting->outgoing.memory);
    free(waiting->counter);
    free(waiting);
}

static uint64_t mix(uint64_t id)
{
    id = (id ^ id >> 33) * UINT64_C(0xff51afd7ed558ccd);
    id = (id ^ id >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return id ^ id >> 33;
}

/* ---- notes --------------------------------------------------------------------------------- */

static size_t note_size(const struct waiting_tasks *waiting, const struct waiting_note *note)
{
    return sizeof(*note) + (note->has_task ? waiting->stride : 0);
}

static bool notes_grow(struct waiting_notes *notes, size_t size)
{
    size_t grown = notes->size > 0 ? notes->size : NOTES_FIRST;
    unsigned char *memory;

    while (grown < notes->used + size)
        grown *= 2;
    if (grown == notes->size)
        return true;
    memory = realloc(notes->memory, grown);
    if (!memory)
        return false;
    notes->memory = memory;
    notes->size = grown;
    return true;
}

int waiting_note(struct waiting_tasks *waiting, uint64_t id, int64_t count, const void *task,
                 size_t size)
{
    const struct waiting_note note = {
        id, count, (int32_t)(mix(id) >> 8 & INT32_MAX) % waiting->ranks, task != NULL};
    const size_t room = note_size(waiting, &note);
    unsigned char *at;
    bool grown;

    pthread_mutex_lock(&waiting->lock);
    grown = notes_grow(&waiting->noted, room);
    if (grown) {
        at = waiting->noted.memory + waiting->noted.used;
        memcpy(at, &note, sizeof(note));
        if (task && size > 0)
            memcpy(at + sizeof(note), task, size);
        waiting->noted.used += room;
        atomic_store_explicit(&waiting->pending, true, memory_order_release);
    }
    pthread_mutex_unlock(&waiting->lock);
    return grown ? 0 : -ENOMEM;
}

/* All notes in `outgoing` are sent: its memory is used for new ones. */
void waiting_take_notes(struct waiting_tasks *waiting)
{
    struct waiting_notes notes;

    pthread_mutex_lock(&waiting->lock);
    notes = waiting->outgoing;
    waiting->outgoing = waiting->noted;
    waiting->noted = notes;
    waiting->noted.used = waiting->noted.sent = 0;
    atomic_store_explicit(&waiting->pending, false, memory_order_release);
    pthread_mutex_unlock(&waiting->lock);
}

int waiting_home(struct waiting_tasks *waiting)
{
    struct waiting_notes *notes = &waiting->outgoing;
    struct waiting_note note;

    for (; notes->sent < notes->used; notes->sent += note_size(waiting, &note)) {
        memcpy(&note, notes->memory + notes->sent, sizeof(note));
        if (note.to >= 0)
            return note.to;
    }
    return -1;
}

size_t waiting_pack(struct waiting_tasks *waiting, int home, void *room, size_t size,
                    uint32_t *count)
{
    const struct waiting_notes *notes = &waiting->outgoing;
    struct waiting_note note;
    size_t used = 0, step;

    *count = 0;
    for (size_t at = notes->sent; at < notes->used; at += step) {
        unsigned char *place = notes->memory + at;

        memcpy(&note, place, sizeof(note));
        step = note_size(waiting, &note);
        if (note.to != home)
            continue;
        if (used + step > size)
            break;
        memcpy((char *)room + used, place, step);
        used += step;
        ++*count;
        note.to = -1;
        memcpy(place, &note, sizeof(note));
    }
    return used;
}

/* ---- counters ------------------------------------------------------------------------------ */

static struct waiting_counter *slot_of(const struct waiting_tasks *waiting, uint64_t id)
{
    size_t slot = mix(id) & (waiting->slots - 1);

    while (waiting->counter[slot].taken && waiting->counter[slot].id != id)
        slot = (slot + 1) & (waiting->slots - 1);
    return &waiting->counter[slot];
}

static int counters_grow(struct waiting_tasks *waiting)
{
    struct waiting_counter *before = waiting->counter;
    const size_t slots = waiting->slots;

    if (2 * (waiting->counters + 1) <= slots)
        return 0;
    waiting->counter = calloc(slots > 0 ? 2 * slots : SLOTS_FIRST, sizeof(*before));
    if (!waiting->counter) {
        waiting->counter = before;
        return -ENOMEM;
    }
    waiting->slots = slots > 0 ? 2 * slots : SLOTS_FIRST;
    for (size_t i = 0; i < slots; i++)
        if (before[i].taken)
            *slot_of(waiting, before[i].id) = before[i];
    free(before);
    return 0;
}

/* Removes a counter. Those in the slots behind it are put in again, because it may have kept them
 * from their own slots. */
static void counter_remove(struct waiting_tasks *waiting, struct waiting_counter *counter)
{
    size_t slot = (size_t)(counter - waiting->counter);

    counter->taken = false;
    waiting->counters--;
    for (;;) {
        struct waiting_counter moved;

        slot = (slot + 1) & (waiting->slots - 1);
        moved = waiting->counter[slot];
        if (!moved.taken)
            return;
        waiting->counter[slot].taken = false;
        *slot_of(waiting, moved.id) = moved;
    }
}

static int counter_keep(struct waiting_tasks *waiting, struct waiting_counter *counter,
                        const void *task)
{
    if (counter->task) {
        waiting->wrong = true;
        waiting->wrong_id = counter->id;
        return 0;
    }
    counter->task = malloc(waiting->stride);
    if (!counter->task)
        return -ENOMEM;
    memcpy(counter->task, task, waiting->stride);
    return 0;
}

static int counter_handle(struct waiting_tasks *waiting, const struct waiting_note *note,
                          const void *task, waiting_sink *sink, void *context)
{
    struct waiting_counter *counter;
    int result = counters_grow(waiting);

    if (result < 0)
        return result;
    counter = slot_of(waiting, note->id);
    if (!counter->taken) {
        *counter = (struct waiting_counter){.id = note->id, .taken = true};
        waiting->counters++;
    }
    counter->count += note->count;
    if (note->has_task)
        result = counter_keep(waiting, counter, task);
    if (result < 0 || counter->count != 0 || !counter->task)
        return result;
    result = sink(context, counter->task);
    free(counter->task);
    counter_remove(waiting, counter);
    return result < 0 ? result : 1;
}

int waiting_handle(struct waiting_tasks *waiting, const void *notes, uint32_t count,
                   waiting_sink *sink, void *context)
{
    const unsigned char *at = notes;
    int released = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct waiting_note note;
        int result;

        memcpy(&note, at, sizeof(note));
        result = counter_handle(waiting, &note, at + sizeof(note), sink, context);
        if (result < 0)
            return result;
        released += result;
        at += note_size(waiting, &note);
    }
    return released;
}

const struct waiting_counter *waiting_left(const struct waiting_tasks *waiting)
{
    for (size_t i = 0; i < waiting->slots; i++)
        if (waiting->counter[i].taken)
            return &waiting->counter[i];
    return NULL;
}

void waiting_clear(struct waiting_tasks *waiting)
{
    for (size_t i = 0; i < waiting->slots; i++) {
        if (waiting->counter[i].taken)
            free(waiting->counter[i].task);
        waiting->counter[i].taken = false;
    }
    waiting->counters = 0;
    waiting->wrong = false;
    waiting->noted.used = waiting->noted.sent = 0;
    waiting->outgoing.used = waiting->outgoing.sent = 0;
    atomic_store_explicit(&waiting->pending, false, memory_order_relaxed);
}
