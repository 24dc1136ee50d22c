/* SPDX-License-Identifier: BSD-3-Clause */
/* Which thread ran where over time, in bounded memory: pictures of a run are drawn from it. It is
 * fed with the events of a live engine or of a recording.
 *
 * Time is cut into columns. The whole run has at most RUN_HISTORY_COLUMNS of them, which become
 * twice as wide whenever they are full; the detail is half a second of it in columns of 1 ms. */
#ifndef JUGGLE_ENGINE_RUN_HISTORY_H
#define JUGGLE_ENGINE_RUN_HISTORY_H

#include "libjuggle/engine/engine.h"

enum {
    RUN_HISTORY_COLUMNS = 512,
    RUN_HISTORY_ROWS_MAX = 256, /* threads; others count for the processors alone */
    RUN_HISTORY_LABEL_SIZE = 80,
};

/* What a thread did in one column. In the rest of the column it slept or did not exist. */
struct run_history_cell {
    float run_ns, queue_ns, barrier_ns;
    /* Where it ran most, by the kernel's number; means nothing where run_ns is 0. -1: a processor
     * that the machine does not have, or whose number is too high. */
    int16_t processor;
};

struct run_history_processor {
    float run_ns, queue_ns; /* of all threads there */
};

struct run_history_window {
    int64_t start_ns, column_ns;
    int columns_count; /* up to the last in which anything was seen */
    int moves[RUN_HISTORY_COLUMNS];
    struct run_history_cell (*threads)[RUN_HISTORY_COLUMNS];         /* by row */
    struct run_history_processor (*processors)[RUN_HISTORY_COLUMNS]; /* by the kernel's number */
};

struct run_history;

int run_history_create(const struct machine *machine, int threads_max,
                       struct run_history **history) MUST_CHECK; /* -ENOMEM */
void run_history_destroy(struct run_history *history);

/* Observes; allocates nothing. Called by one thread at a time. */
void run_history_add(struct run_history *history, const struct event *event,
                     const struct plan *plan);

/* The events from now on are those of this machine. */
void run_history_renew(struct run_history *history, const struct machine *machine);

/* Names the thread that has just arrived at this index. If a thread of that name was there before,
 * as on another machine, its row goes on. */
void run_history_name(struct run_history *history, int thread, const char *label);

/* Views of the run, for when no more events are added. */
const struct run_history_window *run_history_whole(const struct run_history *history);
const struct run_history_window *run_history_detail(const struct run_history *history);
int run_history_rows(const struct run_history *history);
const char *run_history_label(const struct run_history *history, int row);
/* Kernel's numbers of the processors that were ever used, ascending; returns how many. */
int run_history_processors(const struct run_history *history, int numbers[MACHINE_PROCESSORS_MAX]);
int64_t run_history_moves(const struct run_history *history);

#endif
