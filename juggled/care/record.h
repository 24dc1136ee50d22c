/* SPDX-License-Identifier: BSD-3-Clause */
/* The record of a job in the store, as JSON. Each field is checked when it is read again. Pure. */
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
    enum job_origin origin;    /* never a rule, because rules find their processes again */
    struct wish wish;
    struct processes processes; /* only pid and start time are known */
};

/* The record of the job "UID/NAME". NULL if there is no memory. */
json_t *record_to_json(const char *job, enum job_origin origin, const struct wish *wish,
                       const struct processes *processes);

/* Parses the record of the job "UID/NAME", which must contain that name. Its text is not
 * trusted. -EINVAL sets `field` to the field that is missing, wrong or unknown, or to JSON; *record
 * is undefined then. */
int record_parse(const char *job, const char *text, size_t length, struct job_record *record,
                 char field[RECORD_FIELD_SIZE]) MUST_CHECK;

#endif
