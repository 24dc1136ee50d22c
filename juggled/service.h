/* SPDX-License-Identifier: BSD-3-Clause */
/* The whole service: one event loop over its sockets, jobs, rules and signals.
 *
 * juggled runs it for a node. If there is no juggled, the first process that joins a job starts
 * a coordinator, which runs it for the process' user (libjuggle/join). */
#ifndef JUGGLE_JUGGLED_SERVICE_H
#define JUGGLE_JUGGLED_SERVICE_H

#include "juggled/rules/config.h"

#include <stdbool.h>
#include <sys/types.h>

struct service_options {
    const int *listeners; /* listening sockets, which the service takes over */
    int listeners_count;
    const char *socket; /* path of the socket that is made anew when it is gone; NULL: none */
    const char *vendor_directory; /* of the vendor's configuration; NULL: none */
    const char *directory;
    const char *state_directory; /* NULL: nothing outlives the service */
    gid_t admin_gid;             /* group whose members may act on all jobs, or (gid_t)-1 */
    const char *admin_group;     /* name of that group, or NULL */
    bool own_user_only;          /* refuse all other users but root */
    bool ends_when_idle;         /* end when the last job has ended */
};

struct service;

/* Creates the service. First restores the masks that an earlier service left changed. On failure
 * `problem` says why. Call it before any thread is created. */
int service_create(const struct service_options *options, struct service **service,
                   struct config_problem *problem) MUST_CHECK;

/* Runs until a signal ends it or, with `ends_when_idle`, until there is nothing left to do.
 * -errno of the loop. */
int service_run(struct service *service) MUST_CHECK;

/* Releases all jobs. */
void service_destroy(struct service *service);

#endif
