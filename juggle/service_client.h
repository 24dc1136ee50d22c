/* SPDX-License-Identifier: BSD-3-Clause */
/* juggle as a client of juggled: has the node's service, or one of the user's own, do the
 * balancing. */
#ifndef JUGGLE_SERVICE_CLIENT_H
#define JUGGLE_SERVICE_CLIENT_H

#include "juggle/varlink/client.h"
#include "libjuggle/job.h"

enum { SERVICE_NAME_SIZE = 64, SERVICE_PROBLEM_SIZE = 256 };

/* Whether juggled is asked. */
enum service_use {
    SERVICE_AUTO, /* if it runs, and nothing is wanted that it cannot do */
    SERVICE_NEVER,
    SERVICE_ALWAYS,
};

/* The service of the node. -errno of connect. */
int service_connect(struct client **client) MUST_CHECK;

/*
 * Has a process of the user balanced as the options say: what they say of threads, period, policy,
 * processors and idle ones. `job` is what it is called there. When it fails `problem` says why.
 */
int service_balance(struct client *client, pid_t pid, const struct job_options *options,
                    char job[SERVICE_NAME_SIZE], char problem[SERVICE_PROBLEM_SIZE]) MUST_CHECK;

/* The same for the calling process, which joins the job `name`. */
int service_join(struct client *client, const char *name, const struct job_options *options,
                 char job[SERVICE_NAME_SIZE], char problem[SERVICE_PROBLEM_SIZE]) MUST_CHECK;

#endif
