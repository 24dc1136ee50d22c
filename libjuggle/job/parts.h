/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a job is made of: built in one order, released in the other. Some of it lasts; what depends
 * on the processors is of one machine, and is built anew when there are others.
 */
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
    struct job_options options; /* what a later machine is made by */
    char *speeds_wish;          /* which they point to; NULL: nobody said */
    bool may_grow;              /* they do not name all processors that may ever be used */
    struct policy_options policy;
    int proc_fd;
    int sys_fd; /* -1: there is none */
    struct guardian *guardian;
    struct claims_family claims_family; /* of a process that is a balancer and nothing else */
    struct claims *claims;              /* NULL where nobody is moved */
    struct discovery *discovery;
    struct workers *workers;
    struct page *page;     /* what threads tell */
    struct page *own_page; /* NULL if it is another's */

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

/* All but engine and balancers, in place: parts know their address. As job_create; what was built
 * until a failure is there for parts_destroy. */
int parts_create(const struct job_options *options, char problem[JOB_PROBLEM_SIZE],
                 struct parts *parts) MUST_CHECK;

/* Engine and balancers; a recorder that is zero is none. As job_start. */
int parts_start(struct parts *parts, const struct engine_recorder *recorder) MUST_CHECK;

/* Starts a guardian if there is none: nobody else would give the masks back if juggle were killed.
 * As guardian_renew. */
int parts_guard(const struct parts *parts, bool *started) MUST_CHECK;

/*
 * Reads the machine anew, and starts for it what is of one machine, beside what there is: `fresh`
 * takes over with parts_replace, which ends the old. -EALREADY: it has the same processors, and is
 * not to be begun anew all the same; else as job_create and job_start.
 */
int parts_renew(const struct parts *parts, const struct engine_recorder *recorder, bool anew,
                struct parts *fresh) MUST_CHECK;
void parts_replace(struct parts *parts, const struct parts *fresh);

/* The check of a part that failed first, or NULL. */
const char *parts_fault(const struct parts *parts);

/* Ends the balancing. Then all threads that are known get their masks back (false: those that there
 * was time for), and whom it does not know is looked for (NULL: nobody can be). */
void parts_halt(struct parts *parts);
bool parts_let_go(struct parts *parts, int64_t until_ns);
void parts_seek(struct parts *parts, struct restoration **restoration);
/* That all at once, or what is left of it; what there is to tell stays. */
void parts_release(struct parts *parts);

void parts_destroy(struct parts *parts);

#endif
