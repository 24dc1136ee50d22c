/* SPDX-License-Identifier: BSD-3-Clause */
/* Feeds a recording to the policy again and compares the plans. */
#ifndef JUGGLE_SIM_REPLAY_H
#define JUGGLE_SIM_REPLAY_H

#include "libjuggle/engine/recording.h"
#include "libjuggle/engine/run_history.h"

enum replay_verdict {
    REPLAY_IDENTICAL,
    REPLAY_DIFFERS,   /* the policy made another plan for the last event counted */
    REPLAY_TRUNCATED, /* identical as far as the recording goes, but its writer lost the rest */
    REPLAY_DAMAGED,   /* identical up to the point where the file is damaged or cut off */
};

struct replay_report {
    enum replay_verdict verdict;
    int64_t events_count;
    int64_t moves_count;
    enum event_type last_type; /* of the last event counted */
    int64_t last_ns;
};

/* Replays all recordings of a file up to the first that is not identical, and reports on them
 * together. A file may hold several recordings one after the other, each of another machine.
 * Returns 0, -ENOMEM, or an error of recording_reader_create for the first recording. */
int replay(FILE *file, struct replay_report *report) MUST_CHECK;

/* Reads the recorded events and plans, as far as the file can be read, into a history for a
 * picture. The policy is not run. The caller destroys the history. Errors are those of replay. */
int replay_look(FILE *file, struct run_history **history) MUST_CHECK;

#endif
