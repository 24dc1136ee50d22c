/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that the node's juggled balances while it stays juggle's child.
 *
 * The service sends a picture of the job when its balancing begins and when it ends, whoever ends
 * it: so the last one is the report. */
#ifndef JUGGLE_DELEGATION_H
#define JUGGLE_DELEGATION_H

#include "juggle/report/report.h"
#include "libjuggle/join/join.h"

struct delegation;

/* Whether there is a service to ask. When not `problem` says why; -errno of connect. */
int delegation_try(char problem[JOIN_PROBLEM_SIZE]) MUST_CHECK;

/* When it fails `problem` says why. As service_balance; -errno of connect. */
int delegation_begin(pid_t program, const struct wish *wish, char problem[JOIN_PROBLEM_SIZE],
                     struct delegation **delegation) MUST_CHECK;

/* What the service calls it. */
const char *delegation_job(const struct delegation *delegation);

/* Poll it for input, then call delegation_hear; -1 when there is nothing more to hear. */
int delegation_fd(const struct delegation *delegation);
void delegation_hear(struct delegation *delegation);

/* Ends the balancing and tells of it, and of who spun, which `spinning` tells; the report lasts
 * until delegation_destroy. */
void delegation_finish(struct delegation *delegation, const struct report *spinning,
                       struct report *report);

void delegation_destroy(struct delegation *delegation);

#endif
