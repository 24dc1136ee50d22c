/* SPDX-License-Identifier: BSD-3-Clause */
/* What a worker does, for how long, and a trace of its changes of state. The caller passes the
 * time; no clock is read here. */
#ifndef JUGGLE_STEAL_RUNTIME_ACTIVITY_H
#define JUGGLE_STEAL_RUNTIME_ACTIVITY_H

#include "libjuggle/ground/units.h"
#include "libjuggle/steal_instruments.h"
#include "libjuggle/steal/runtime/timeline.h"

/* A change of state. STEAL_STATE_COUNT stands for the end of a process(). */
struct activity_event {
    int64_t time_ns;
    uint32_t worker;
    uint32_t state;
};

/* A ring buffer of the latest changes. */
struct activity_trace {
    struct activity_event *events;
    size_t capacity; /* 0: no trace is kept */
    size_t count;    /* changes since the beginning, kept or overwritten */
};

struct activity {
    enum steal_state state;
    uint32_t worker;
    int64_t since_ns;
    int64_t state_ns[STEAL_STATE_COUNT];
    struct activity_trace trace;
    struct timeline *timeline; /* NULL: none is kept */
};

/* Resets the times and starts in `state`; the trace goes on. */
void activity_begin(struct activity *activity, enum steal_state state, int64_t now_ns);

void activity_enter(struct activity *activity, enum steal_state state, int64_t now_ns);

void activity_end(struct activity *activity, int64_t now_ns);

/* Copies the events in the trace, oldest first, with times relative to origin_ns; returns how
 * many. */
size_t activity_copy(const struct activity_trace *trace, int64_t origin_ns,
                     struct activity_event *events);

/* Returns "working" and so on; "idle" for STEAL_STATE_COUNT. */
const char *activity_name(uint32_t state);

#endif
