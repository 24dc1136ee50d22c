/* SPDX-License-Identifier: BSD-3-Clause */
/* Resumes the jobs of an earlier service whose processes still live. */
#ifndef JUGGLE_SERVICE_RESUMPTION_H
#define JUGGLE_SERVICE_RESUMPTION_H

#include "juggled/care/jobs.h"

/* Returns the number of resumed jobs. A record stays until its job is recorded anew, has ended
 * or is refused, so that none is lost if the service ends in between. Records that cannot be
 * read now are left to the next start. */
int resumption_run(struct jobs *jobs, struct store *store, int proc_fd);

#endif
