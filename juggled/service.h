/* SPDX-License-Identifier: BSD-3-Clause */
/* The service as a whole: one event loop over its sockets, its jobs, its rules and its signals.
 *
 * juggled runs it for a node; without a juggled, the first process that joins a job runs it for its
 * user (libjuggle/join). */
#ifndef JUGGLE_JUGGLED_SERVICE_H
#define JUGGLE_JUGGLED_SERVICE_H

#include "juggled/rules/config.h"

#include <stdbool.h>
#include <sys/types.h>

struct service_options {
    const int *listeners; /* listening sockets, the service's own from now on */
    int listeners_count;
    const char *socket;           /* of the one that is made anew when it is gone; NULL: none is */
    const char *vendor_directory; /* of the configuration; NULL: there is none */
    const char *directory;
    const char *state_directory; /* NULL: nothing outlives the service */
    gid_t admin_gid;             /* of those who may do all, (gid_t)-1 for none */
    const char *admin_group;     /* its name, NULL for none */
    bool own_user_only;          /* all others but root are refused */
    bool ends_when_idle;         /* when the last job has ended */
};

struct service;

/* Restores what an earlier service left behind, before anything else. On failure `problem` says
 * why. Call it before any thread is made. */
int service_create(const struct service_options *options, struct service **service,
                   struct config_problem *problem) MUST_CHECK;

/* Until a signal ends it, or it has nothing left to do. -errno of the loop. */
int service_run(struct service *service) MUST_CHECK;

/* Lets go of all jobs. */
void service_destroy(struct service *service);

#endif
