/* SPDX-License-Identifier: BSD-3-Clause */
/* What the store keeps of a job, as JSON: each field is checked when it is read again. Pure. */
#ifndef JUGGLE_SERVICE_RECORD_H
#define JUGGLE_SERVICE_RECORD_H

#include "juggled/care/processes.h"
#include "juggled/care/job_state.h"
#include "libjuggle/join/name.h"
#include "libjuggle/wish/wish.h"

enum { RECORD_FIELD_SIZE = 64 };

struct job_record {
    uid_t uid;
    char name[JOIN_NAME_SIZE]; /* without the user */
    enum job_origin origin;    /* never a rule: that finds its processes again */
    struct wish wish;
    struct processes processes; /* number and start alone are known */
};

/* Of the job "UID/NAME". NULL without memory. */
json_t *record_to_json(const char *job, enum job_origin origin, const struct wish *wish,
                       const struct processes *processes);

/* Of the job "UID/NAME", which it must name. -EINVAL after setting `field` to what is missing,
 * wrong or unknown, as the record has it: anything may be in it; *record is undefined then. */
int record_parse(const char *job, const char *text, size_t length, struct job_record *record,
                 char field[RECORD_FIELD_SIZE]) MUST_CHECK;

#endif
