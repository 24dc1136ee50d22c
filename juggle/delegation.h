/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that the node's juggled balances while it stays juggle's child.
 *
 * The service sends a picture of the job (its state, as JSON) when its balancing begins and when
 * it ends, whatever ends it. So the last picture is the report. */
#ifndef JUGGLE_DELEGATION_H
#define JUGGLE_DELEGATION_H

#include "juggle/report/report.h"
#include "libjuggle/join/join.h"

struct delegation;

/* Returns 0 if the service accepts a connection. Otherwise -errno of connect, and `problem` says
 * why. */
int delegation_try(char problem[JOIN_PROBLEM_SIZE]) MUST_CHECK;

/* Has the service balance the program. When it fails `problem` says why. Errors are those of
 * service_balance, and -errno of connect. */
int delegation_begin(pid_t program, const struct wish *wish, char problem[JOIN_PROBLEM_SIZE],
                     struct delegation **delegation) MUST_CHECK;

/* The name of the job in the service. */
const char *delegation_job(const struct delegation *delegation);

/* Poll this descriptor for input, then call delegation_hear. -1 when no more pictures will come. */
int delegation_fd(const struct delegation *delegation);
void delegation_hear(struct delegation *delegation);

/* Ends the balancing and fills in its report, with the numbers on spinning threads from
 * `spinning`. The report lasts until delegation_destroy. */
void delegation_finish(struct delegation *delegation, const struct report *spinning,
                       struct report *report);

void delegation_destroy(struct delegation *delegation);

#endif
