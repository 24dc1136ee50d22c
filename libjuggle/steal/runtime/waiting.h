/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that wait for counters. Each counter has a home, the rank that its number leads to, where
 * its task lies until the count is zero. What tasks say of counters is noted, by all threads of a
 * rank, and sent by the thread that talks after each turn: such a message counts as tasks do when
 * the end is sought, since it may release one.
 */
#ifndef JUGGLE_STEAL_RUNTIME_WAITING_H
#define JUGGLE_STEAL_RUNTIME_WAITING_H

#include "libjuggle/ground/units.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What is said of a counter; its task follows if it has one. */
struct waiting_note {
    uint64_t id;
    int64_t count; /* to wait for, less what was counted down */
    int32_t to;    /* the home; -1: it is sent */
    uint32_t has_task;
};

struct waiting_notes {
    unsigned char *memory;
    size_t used, size;
    size_t sent; /* bytes at the beginning whose notes are all sent */
};

/* One at home. */
struct waiting_counter {
    uint64_t id;
    int64_t count;
    void *task; /* NULL: not here yet */
    bool taken; /* the slot is in use */
};

struct waiting_tasks {
    size_t stride; /* of a task */
    int ranks;
    pthread_mutex_t lock;            /* of `noted` */
    struct waiting_notes noted;      /* since the latest turn */
    struct waiting_notes parted;     /* under way from `noted` to messages */
    _Atomic bool pending;            /* something is noted: a hint, exact while no task runs */
    struct waiting_counter *counter; /* a table with open addresses, at most half full */
    size_t slots, counters;
    bool wrong; /* a second task came for a counter, `wrong_id`, that has one */
    uint64_t wrong_id;
};

/* -ENOMEM: nothing is to be closed then. */
int waiting_open(size_t stride, int ranks, struct waiting_tasks **waiting) MUST_CHECK;

/* Accepts NULL. */
void waiting_close(struct waiting_tasks *waiting);

/* Counts, and the task, if it has one, are copied. */
int waiting_note(struct waiting_tasks *waiting, uint64_t id, int64_t count, const void *task,
                 size_t size) MUST_CHECK;

static inline bool waiting_pending(const struct waiting_tasks *waiting)
{
    return waiting && atomic_load_explicit(&waiting->pending, memory_order_acquire);
}

/* Takes over what was noted. */
void waiting_part(struct waiting_tasks *waiting);

/* The next note's home, -1 if all are sent. */
int waiting_home(struct waiting_tasks *waiting);

/* Moves notes for that home to `room`, as many as fit; says how many, returns the bytes. */
size_t waiting_pack(struct waiting_tasks *waiting, int home, void *room, size_t size,
                    uint32_t *count);

/* At home: hears of `count` counters, and gives every task that is released to the sink; how many,
 * -errno. */
typedef int waiting_sink(void *context, const void *task);
int waiting_hear(struct waiting_tasks *waiting, const void *notes, uint32_t count,
                 waiting_sink *sink, void *context) MUST_CHECK;

/* A counter that is not zero; NULL if there is none. */
const struct waiting_counter *waiting_left(const struct waiting_tasks *waiting);

/* Forgets all counters and what they hold. */
void waiting_clear(struct waiting_tasks *waiting);

#endif
