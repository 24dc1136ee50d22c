/* SPDX-License-Identifier: BSD-3-Clause */
/* One balancing from its beginning to its report: a job with the files and the view that show
 * it. */
#ifndef JUGGLE_BALANCE_H
#define JUGGLE_BALANCE_H

#include "juggle/command/program.h"
#include "juggle/settings.h"
#include "juggle/command/signals.h"
#include "juggle/telling/waiting.h"

struct balance;

/* Whose threads are balanced, see struct job_options. */
struct balance_subject {
    const pid_t *roots;
    int roots_count;
    bool roots_included;
    const struct attached *names; /* of the roots that are included, for the report; they stay */
    pid_t helper;
};

/* Opens all that is written to, so that nothing is found to be unwritable after the program has
 * run. What the program was told of waiting outlives the balance; NULL: nothing. Complains on
 * stderr when it fails. -EEXIST: two files are one. */
int balance_create(const struct settings *settings, const struct waiting *waiting,
                   struct balance **balance) MUST_CHECK;

/* Starts balancing. -EINVAL: an option does not fit this machine, and has been complained about.
 * -ECANCELED: it is impossible here; one line has said why, and all other functions can be called
 * all the same. */
int balance_start(struct balance *balance, const struct balance_subject *subject) MUST_CHECK;

/* True for an error of job_create that is the user's to correct: an option names what this machine
 * does not have. */
bool balance_is_misused(int error);

/* Has juggled balance the program, if the settings allow it; the subject's threads that spin give
 * way here all the same. -EAGAIN: it is to be balanced here; -ECANCELED: as of balance_start. */
int balance_delegate(struct balance *balance, pid_t program,
                     const struct balance_subject *subject) MUST_CHECK;

/* The program runs: what its files held before is of no use any more, if it is balanced. Complains.
 */
void balance_begin(struct balance *balance);

/* Sleeps until a signal arrives or something is due, and does what is due. -ESRCH: nothing is left
 * to balance. */
int balance_wait(struct balance *balance, const struct signals *signals) MUST_CHECK;

/* juggle is about to be stopped. */
void balance_suspend(struct balance *balance);

/* Ends the balancing, restores all threads, reports. Command and program are NULL where none was
 * started. Complains about what could not be written. */
int balance_finish(struct balance *balance, char *const *command,
                   const struct program *program) MUST_CHECK;

void balance_destroy(struct balance *balance);

#endif
