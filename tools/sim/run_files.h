/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that a single run writes beside its report. */
#ifndef JUGGLE_SIM_RUN_FILES_H
#define JUGGLE_SIM_RUN_FILES_H

#include "libjuggle/engine/recording.h"
#include "tools/sim/settings.h"
#include "tools/sim/simulation.h"

struct run_files {
    FILE *trace_file;
    struct rig_observer observer;
    FILE *record_file;
    struct recording_writer *writer;
    struct engine_recorder recorder;
    int error; /* the first of the recording, or 0 */
};

/* Opens a file that the user has named; returns NULL after complaining. */
FILE *run_file_open(const char *path, const char *mode);

/* True if the path leads to the open file. A device, such as /dev/null, may be opened often. */
bool run_file_is(FILE *file, const char *path);

int run_files_open(const struct settings *settings, const struct scenario *scenario,
                   struct run_files *files, struct run_observers *observers) MUST_CHECK;

/* Complains about each file that could not be written completely, and returns an error then. */
int run_files_finish(const struct settings *settings, struct run_files *files) MUST_CHECK;

void run_files_close(struct run_files *files);

#endif
