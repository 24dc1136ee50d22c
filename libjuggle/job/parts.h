/* SPDX-License-Identifier: BSD-3-Clause */
/* What a job is made of: built in one order, released in the other. */
#ifndef JUGGLE_JOB_PARTS_H
#define JUGGLE_JOB_PARTS_H

#include "libjuggle/job/balancers.h"
#include "libjuggle/job/discovery.h"
#include "libjuggle/job/follow.h"
#include "libjuggle/job/intrinsic.h"
#include "libjuggle/job/job.h"
#include "libjuggle/job/workers.h"
#include "libjuggle/linux/capacity.h"
#include "libjuggle/linux/guardian.h"
#include "libjuggle/linux/memory.h"
#include "libjuggle/linux/world.h"

struct parts {
    struct policy_options policy;
    struct machine machine;
    struct capacity capacity;
    int proc_fd;
    int sys_fd; /* -1: there is none */
    struct guardian *guardian;
    struct discovery *discovery;
    struct workers *workers;
    struct world *world;
    struct memory *memory;
    struct follow *follow; /* NULL unless memory is to follow */
    struct page *page;     /* what threads tell */
    struct page *own_page; /* NULL if it is another's */
    struct intrinsic *intrinsic;
    struct engine *engine; /* NULL before parts_start and after parts_release */
    struct balancers *balancers;
};

/* All but engine and balancers, in place: parts know their address. As job_create; what was built
 * until a failure is there for parts_destroy. */
int parts_create(const struct job_options *options, char problem[JOB_PROBLEM_SIZE],
                 struct parts *parts) MUST_CHECK;

/* Engine and balancers; the recorder may be NULL. As job_start. */
int parts_start(struct parts *parts, enum balancers_shape shape,
                const struct engine_recorder *recorder) MUST_CHECK;

/* Ends the balancing, gives all threads their masks back, and keeps what there is to tell. */
void parts_release(struct parts *parts);

void parts_destroy(struct parts *parts);

#endif
