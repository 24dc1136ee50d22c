/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a job, built in one order and released in the reverse one. Some last as long as the
 * job. Those that depend on the processors belong to one machine, and are built anew for
 * another. */
#ifndef JUGGLE_JOB_PARTS_H
#define JUGGLE_JOB_PARTS_H

#include "libjuggle/job/balancers.h"
#include "libjuggle/job/discovery.h"
#include "libjuggle/job/follow.h"
#include "libjuggle/job/intrinsic.h"
#include "libjuggle/job/job.h"
#include "libjuggle/job/spinners.h"
#include "libjuggle/job/workers.h"
#include "libjuggle/linux/capacity.h"
#include "libjuggle/linux/claims.h"
#include "libjuggle/linux/guardian.h"
#include "libjuggle/linux/memory.h"
#include "libjuggle/linux/world.h"

struct parts {
    struct job_options options; /* those that a later machine is made from */
    char *speeds_wish;          /* options.capacity; NULL: none was given */
    bool may_grow;              /* options named neither processors nor domains */
    struct policy_options policy;
    int proc_fd;
    int sys_fd; /* -1: there is none */
    struct guardian *guardian;
    struct claims_family claims_family; /* for a process that is a balancer and nothing else */
    struct claims *claims;              /* NULL if the policy moves no thread */
    struct discovery *discovery;
    struct workers *workers;
    struct page *page;     /* threads report on it */
    struct page *own_page; /* the same if it is the job's own, or NULL */

    /* of one machine */
    struct machine *machine;
    struct capacity capacity;
    struct world *world;
    struct memory *memory;
    struct follow *follow; /* NULL unless memory is to follow */
    struct intrinsic *intrinsic;
    struct engine *engine; /* NULL before parts_start and after parts_release */
    struct balancers *balancers;
    struct spinners *spinners;
};

/* Builds all but engine and balancers, in place, because parts hold pointers into the struct.
 * Errors as of job_create(). After a failure parts_destroy() frees what was built until then. */
int parts_create(const struct job_options *options, char problem[JOB_PROBLEM_SIZE],
                 struct parts *parts) MUST_CHECK;

/* Builds engine and balancers; a recorder that is zero is none. Errors as of job_start(). */
int parts_start(struct parts *parts, const struct engine_recorder *recorder) MUST_CHECK;

/* Starts a guardian if there is none: without one no process would give the masks back if juggle
 * were killed. Errors as of guardian_renew(). */
int parts_guard(const struct parts *parts, bool *started) MUST_CHECK;

/* Reads the machine anew, and starts the parts that belong to it, beside the present ones.
 * parts_replace() puts `fresh` in their place and ends the old ones. -EALREADY: the processors are
 * the same, and `anew` does not demand a new machine all the same. Other errors as of job_create()
 * and job_start(). */
int parts_renew(const struct parts *parts, const struct engine_recorder *recorder, bool anew,
                struct parts *fresh) MUST_CHECK;
void parts_replace(struct parts *parts, const struct parts *fresh);

/* The check of a part that failed first, or NULL. */
const char *parts_fault(const struct parts *parts);

/* The end in steps. parts_halt() ends the balancing. parts_let_go() gives all known threads their
 * masks back; false: until_ns came before all had theirs. parts_seek() begins the search for
 * threads that have inherited a mask of ours; NULL: it is not possible. */
void parts_halt(struct parts *parts);
bool parts_let_go(struct parts *parts, int64_t until_ns);
void parts_seek(struct parts *parts, struct restoration **restoration);
/* Ends the balancing and gives masks back as far as that was not done, without a search; then ends
 * the guardian and drops the claims. What is needed for reports stays. */
void parts_release(struct parts *parts);

void parts_destroy(struct parts *parts);

#endif
