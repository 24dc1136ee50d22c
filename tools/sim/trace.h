/* SPDX-License-Identifier: BSD-3-Clause */
/* A run written down: who was on which processor from when to when, moves, ends of phases. */
#ifndef JUGGLE_SIM_TRACE_H
#define JUGGLE_SIM_TRACE_H

#include "tools/sim/rig.h"

#include <stdio.h>

enum trace_format {
    TRACE_CSV,  /* a line per processor and span of time */
    TRACE_JSON, /* trace events as Chrome's viewer and Perfetto read them, a track per processor */
};

struct sim_trace {
    FILE *file;
    enum trace_format format;
    bool begun; /* an event was written */
};

/* By the suffix of the path: -EINVAL unless .csv or .json. */
int trace_format_of(const char *path, enum trace_format *format) MUST_CHECK;

/* Writes the beginning; the file stays the caller's. */
void trace_begin(struct sim_trace *trace, const struct scenario *scenario, enum trace_format format,
                 FILE *file);
struct rig_observer trace_observer(struct sim_trace *trace);

/* -EIO: the file could not take all. */
int trace_end(struct sim_trace *trace) MUST_CHECK;

#endif
