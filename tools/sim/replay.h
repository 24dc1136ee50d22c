/* SPDX-License-Identifier: BSD-3-Clause */
/* Feeds a recording to the policy again and compares the plans. */
#ifndef JUGGLE_SIM_REPLAY_H
#define JUGGLE_SIM_REPLAY_H

#include "libjuggle/engine/recording.h"
#include "libjuggle/engine/run_history.h"

enum replay_verdict {
    REPLAY_IDENTICAL,
    REPLAY_DIFFERS,   /* the plan of the last event counted is another one */
    REPLAY_TRUNCATED, /* identical as far as the recording goes, but its writer lost the rest */
    REPLAY_DAMAGED,   /* identical up to where the file is damaged or cut off */
};

struct replay_report {
    enum replay_verdict verdict;
    int64_t events_count;
    int64_t moves_count;
    enum event_type last_type; /* of the last event counted */
    int64_t last_ns;
};

/* A file holds one recording, or several, each of another machine, one after the other; the report
 * is of all up to the first that is not identical. -ENOMEM; as recording_reader_create for the
 * first. */
int replay(FILE *file, struct replay_report *report) MUST_CHECK;

/* What was recorded, as far as it can be read, for a picture of it; nothing is decided anew. The
 * caller destroys the history. Errors as for replay. */
int replay_look(FILE *file, struct run_history **history) MUST_CHECK;

#endif
