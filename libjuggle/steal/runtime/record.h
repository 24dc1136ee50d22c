/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The record of a worker, in a collection that retains: which tasks it has executed, and how long
 * they took. It is a ledger, with what is needed to fill it.
 *
 * In such a collection each task is followed by a struct history, in deques and in messages.
 * Functions, and code that adds tasks, see copies that lie side by side without histories.
 */
#ifndef JUGGLE_STEAL_RUNTIME_RECORD_H
#define JUGGLE_STEAL_RUNTIME_RECORD_H

#include "libjuggle/steal.h"
#include "libjuggle/steal/placement/ledger.h"

struct record {
    const struct steal_properties *properties; /* NULL: nothing is kept */
    struct ledger ledger;                      /* `entries` is NULL before record_open() */
    size_t memory_size;
    bool full;              /* some executed tasks did not fit */
    unsigned char *batch;   /* tasks in execution, without histories; unused for a single one */
    unsigned char *draft;   /* the open reservation, without histories; NULL before the first one */
    uint32_t executing;     /* number of tasks in execution */
    uint32_t durations_set; /* how many of them have told how long they took */
    uint32_t forgotten;     /* calls of record_forget() for them */
    int64_t *took_ns;       /* of each of them; -1: not told. Valid if `durations_set` is above 0 */
    bool *forget;
    int64_t clock;   /* when the batch before ended, if the next one begins then; 0: to be read */
    int64_t load_ns; /* the time of all tasks, kept or not */
    struct forecast_error error;
};

/* Whether the collection keeps what it executes. */
bool record_wanted(const struct steal_properties *properties);

/* Bytes from task to task: as the program sees them, and in deques. */
size_t record_task_stride(const struct steal_properties *properties);
size_t record_stride(const struct steal_properties *properties);

/* Initializes the record, without memory, for `workers` times as many tasks as fit into memory_max.
 * The properties must outlive it. */
void record_init(struct record *record, const struct steal_properties *properties, int workers);

/* Allocates the record's memory; to be called before the first task is added or the ledger is used.
 * Later calls do nothing. -ENOMEM. */
int record_open(struct record *record) MUST_CHECK;
void record_close(struct record *record);

/* Returns where a reservation lies until it is committed; NULL if there is no memory for it. */
void *record_draft(struct record *record);

/* A function tells about task `index` of its batch how long it took, or that it is not to be kept.
 * Wrong indices and negative times are ignored. */
void record_set_duration(struct record *record, size_t index, int64_t took_ns);
void record_forget(struct record *record, size_t index);

/* Begin a new account of times and predictions. record_begin() also drops the tasks in the ledger,
 * record_go_on() keeps them. */
void record_begin(struct record *record);
void record_go_on(struct record *record);

/* Copies the tasks of `raw` to `batch`, side by side without their histories, and returns
 * `batch`. */
const void *record_flatten(struct record *record, const void *raw, uint32_t count);

/* Returns the tasks of `raw`, which have histories, as their function is to see them. */
static inline const void *record_view(struct record *record, const void *raw, uint32_t count)
{
    return count == 1 ? raw : record_flatten(record, raw, count);
}

/* To be called before a batch of `count` tasks, and after it with the time that it took. The latter
 * adds the tasks that are to be kept to the ledger, and overwrites `raw`. */
static inline void record_start(struct record *record, uint32_t count)
{
    record->executing = count;
    record->durations_set = 0;
    record->forgotten = 0;
}
void record_finish(struct record *record, void *raw, int64_t took_ns);

#endif
