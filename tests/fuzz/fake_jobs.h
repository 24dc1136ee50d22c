/* SPDX-License-Identifier: BSD-3-Clause */
/* Stand-ins for jobs and processes, for the calls that reach beyond the protocol. */
#ifndef JUGGLE_FUZZ_FAKE_JOBS_H
#define JUGGLE_FUZZ_FAKE_JOBS_H

#include "juggled/care/jobs.h"
#include "juggled/talk/credentials.h"

/* Removes all jobs. All calls of juggled/care/jobs.h take NULL for the jobs. */
void fake_jobs_clear(void);

#endif
