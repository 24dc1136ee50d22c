/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface's Job and Thread: what clients see of a job. */
#ifndef JUGGLE_JUGGLED_VIEW_H
#define JUGGLE_JUGGLED_VIEW_H

#include "juggled/care/service_job.h"

#include <jansson.h>

/* All functions return NULL if there is no memory. */
json_t *view_job(struct service_job *job);
/* An array of Thread. */
json_t *view_threads(const struct service_job *job);
/* The names of the settings in which the wish differs from that with which the job was made. */
json_t *view_ignored(const struct service_job *job, const struct wish *wish);

#endif
