/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a worker of a collection that retains has executed, and how long that took: a ledger, and
 * what it takes to fill it.
 *
 * Tasks of such a collection have a struct history behind them, in deques and under way. Functions
 * and those who add tasks know nothing of it: they see copies that lie side by side without.
 */
#ifndef JUGGLE_STEAL_RUNTIME_RECORD_H
#define JUGGLE_STEAL_RUNTIME_RECORD_H

#include "libjuggle/steal.h"
#include "libjuggle/steal/placement/ledger.h"

struct record {
    const struct steal_properties *properties; /* NULL: nothing is kept */
    struct ledger ledger;                      /* without entries before record_open() */
    size_t memory_size;
    bool full;            /* some did not fit */
    unsigned char *batch; /* the tasks under way, without histories; unused if they are one at most
                           */
    unsigned char *draft; /* the open reservation, without histories; NULL before the first one */
    uint32_t executing;   /* tasks under way */
    uint32_t told;        /* of them, those that said how long they took */
    uint32_t forgotten;   /* of them, those that are not to be kept */
    int64_t *took_ns;     /* of each of them, -1 until it has said so */
    bool *forget;
    int64_t clock;   /* at the end of the batch before, if this one began then; or else 0 */
    int64_t load_ns; /* what all tasks took, kept or not */
    struct forecast_error error;
};

/* Whether the collection keeps what it executes. */
bool record_wanted(const struct steal_properties *properties);

/* Bytes from task to task: as the user sees them, and in deques. */
size_t record_task_stride(const struct steal_properties *properties);
size_t record_stride(const struct steal_properties *properties);

/* For `workers` times as many tasks as one worker has memory for. The properties outlive it. */
void record_init(struct record *record, const struct steal_properties *properties, int workers);

/* Before the first task comes, or the ledger is used for anything; does nothing from then on. */
int record_open(struct record *record) MUST_CHECK;
void record_close(struct record *record);

/* Where a reservation lies until it is committed; NULL if there is no memory for it. */
void *record_draft(struct record *record);

/* What the function of a batch says of one of its tasks. */
void record_tell(struct record *record, size_t index, int64_t took_ns);
void record_forget(struct record *record, size_t index);

/* A new account: of nothing, or beside what was kept before. */
void record_begin(struct record *record);
void record_go_on(struct record *record);

/* Copies the tasks of `raw` to where they lie side by side without their histories. */
const void *record_flatten(struct record *record, const void *raw, uint32_t count);

/* The tasks of `raw`, with histories, as their function is to see them. */
static inline const void *record_view(struct record *record, const void *raw, uint32_t count)
{
    return count == 1 ? raw : record_flatten(record, raw, count);
}

/* Before a batch of `count` tasks, and after it, with the time that it took in all: that uses up
 * `raw`. */
static inline void record_start(struct record *record, uint32_t count)
{
    record->executing = count;
    record->told = 0;
    record->forgotten = 0;
}
void record_finish(struct record *record, void *raw, int64_t took_ns);

#endif
