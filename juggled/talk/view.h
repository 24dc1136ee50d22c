/* SPDX-License-Identifier: BSD-3-Clause */
/* What clients are shown of a job, as the interface's Job and Thread. */
#ifndef JUGGLE_JUGGLED_VIEW_H
#define JUGGLE_JUGGLED_VIEW_H

#include "juggled/care/service_job.h"

#include <jansson.h>

/* NULL without memory, as all. */
json_t *view_job(struct service_job *job);
/* An array. */
json_t *view_threads(const struct service_job *job);
/* Names of the settings that differ from the job's, which was made as somebody else wished. */
json_t *view_ignored(const struct service_job *job, const struct wish *wish);

#endif
