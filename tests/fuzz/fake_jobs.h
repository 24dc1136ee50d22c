/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs and processes that are only told of: what a call reaches behind the protocol. */
#ifndef JUGGLE_FUZZ_FAKE_JOBS_H
#define JUGGLE_FUZZ_FAKE_JOBS_H

#include "juggled/care/jobs.h"
#include "juggled/talk/credentials.h"

/* No job is there. All calls of juggled/care/jobs.h take NULL for the jobs. */
void fake_jobs_clear(void);

#endif
