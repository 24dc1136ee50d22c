/* SPDX-License-Identifier: BSD-3-Clause */
/* State that all jobs of the service share. The owner of the jobs fills it in. */
#ifndef JUGGLE_JUGGLED_JOBS_SHARED_H
#define JUGGLE_JUGGLED_JOBS_SHARED_H

#include "juggled/care/entries.h"
#include "juggled/care/releases.h"
#include "libjuggle/job/job.h"
#include "libjuggle/linux/cgroup.h"

struct jobs_shared {
    int proc_fd;
    int sys_fd;                  /* -1: there is none */
    struct cgroup_mounts mounts; /* as of the start of the service */
    struct store *store;         /* NULL: nothing outlives the service */
    struct releases *releases;   /* jobs whose balancing has ended but that are not done */
    struct claims_family *claims_family;
    bool sees_spinning; /* jobs may look for threads that spin */
    struct entries service_jobs;
    struct job_neighbors neighbors; /* threads per processor, over all jobs */
    bool paused;                    /* nothing is balanced while it is true */
};

#endif
