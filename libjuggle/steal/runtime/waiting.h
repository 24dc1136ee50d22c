/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that wait for counters. Each counter has a home: a rank that its number determines, where
 * its task lies until the count is zero. A thread writes a note when a task is to wait, or a
 * counter is counted down; the thread that talks to other ranks sends the notes after each turn.
 * Termination counts such a message as it counts tasks, because it may release one.
 */
#ifndef JUGGLE_STEAL_RUNTIME_WAITING_H
#define JUGGLE_STEAL_RUNTIME_WAITING_H

#include "libjuggle/ground/units.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A note on a counter; its task follows if the note has one. */
struct waiting_note {
    uint64_t id;
    int64_t count; /* added to the counter: to wait for, less what was counted down */
    int32_t to;    /* the home; -1: the note is sent */
    uint32_t has_task;
};

struct waiting_notes {
    unsigned char *memory;
    size_t used, size;
    size_t sent; /* bytes at the beginning whose notes are all sent */
};

/* A counter that is at home on this rank. */
struct waiting_counter {
    uint64_t id;
    int64_t count;
    void *task; /* NULL: not here yet */
    bool taken; /* the slot is in use */
};

struct waiting_tasks {
    size_t stride; /* of a task */
    int ranks;
    pthread_mutex_t lock;            /* protects `noted` */
    struct waiting_notes noted;      /* since the latest turn */
    struct waiting_notes outgoing;   /* taken from `noted`, to be packed into messages */
    _Atomic bool pending;            /* something is noted: a hint, exact while no task runs */
    struct waiting_counter *counter; /* hash table with open addressing, at most half full */
    size_t slots, counters;
    bool wrong; /* a second task came for the counter `wrong_id`, which has one */
    uint64_t wrong_id;
};

/* After -ENOMEM there is nothing to be closed. */
int waiting_open(size_t stride, int ranks, struct waiting_tasks **waiting) MUST_CHECK;

/* Accepts NULL. */
void waiting_close(struct waiting_tasks *waiting);

/* Notes that `count` is added to a counter, and the task that waits for it, unless that is NULL.
 * The task is copied. Any thread may call it. -ENOMEM. */
int waiting_note(struct waiting_tasks *waiting, uint64_t id, int64_t count, const void *task,
                 size_t size) MUST_CHECK;

static inline bool waiting_pending(const struct waiting_tasks *waiting)
{
    return waiting && atomic_load_explicit(&waiting->pending, memory_order_acquire);
}

/* Moves all notes from `noted` to `outgoing`, whose notes must all be sent. */
void waiting_take_notes(struct waiting_tasks *waiting);

/* The home of the next note that is not sent; -1 if all are sent. */
int waiting_home(struct waiting_tasks *waiting);

/* Copies notes for that home to `room`, as many as fit, and marks them as sent. Sets `count` to how
 * many, and returns the bytes. */
size_t waiting_pack(struct waiting_tasks *waiting, int home, void *room, size_t size,
                    uint32_t *count);

/* At home: applies `count` notes, and gives every task that is released to the sink. Returns how
 * many were released, or -errno. */
typedef int waiting_sink(void *context, const void *task);
int waiting_handle(struct waiting_tasks *waiting, const void *notes, uint32_t count,
                   waiting_sink *sink, void *context) MUST_CHECK;

/* A counter that still exists, because it is not zero or has no task; NULL if there is none. */
const struct waiting_counter *waiting_left(const struct waiting_tasks *waiting);

/* Drops all counters, their tasks and all notes. */
void waiting_clear(struct waiting_tasks *waiting);

#endif
