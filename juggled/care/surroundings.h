/* SPDX-License-Identifier: BSD-3-Clause */
/* What one job of the service needs to know of the others. The owner of all jobs fills it in. */
#ifndef JUGGLE_JUGGLED_SURROUNDINGS_H
#define JUGGLE_JUGGLED_SURROUNDINGS_H

#include "juggled/care/entries.h"
#include "juggled/care/farewells.h"
#include "libjuggle/job/job.h"
#include "libjuggle/linux/cgroup.h"

struct surroundings {
    int proc_fd;
    int sys_fd;                  /* -1: there is none */
    struct cgroup_mounts mounts; /* as they were when the service began */
    struct store *store;         /* NULL: nothing outlives the service */
    struct farewells *farewells; /* of those that were there */
    struct claims_family *claims_family;
    bool sees_spinning; /* jobs may look at who spins */
    struct entries service_jobs;
    struct job_neighbors neighbors; /* of all of them */
    bool paused;                    /* nothing is balanced for now */
};

#endif
