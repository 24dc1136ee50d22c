/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes up the jobs of an earlier service again whose processes still live. */
#ifndef JUGGLE_SERVICE_RESUMPTION_H
#define JUGGLE_SERVICE_RESUMPTION_H

#include "juggled/care/jobs.h"

/* Returns how many. A record stays as it is until its job is recorded anew, has ended or is
 * refused: whoever ends in between loses none. What cannot be looked at now is left to the next
 * start. */
int resumption_run(struct jobs *jobs, struct store *store, int proc_fd);

#endif
