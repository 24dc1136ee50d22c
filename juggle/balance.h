/* SPDX-License-Identifier: BSD-3-Clause */
/* One balancing from its beginning to its report: a job, with the files and the live view that
 * show it. */
#ifndef JUGGLE_BALANCE_H
#define JUGGLE_BALANCE_H

#include "juggle/command/program.h"
#include "juggle/settings.h"
#include "juggle/command/signals.h"
#include "juggle/prepare/waiting.h"

struct balance;

/* The processes whose threads are balanced; see struct job_options. */
struct balance_subject {
    const pid_t *roots;
    int roots_count;
    bool roots_included;
    const struct attached *root_names; /* for the report; must outlive the balance; NULL: the roots
                                          are not included */
    pid_t helper;
};

/* Opens all output files now, so that a file that cannot be written is noticed before the
 * program runs. `waiting` says what the program was told about waiting; it must outlive the
 * balance, and may be NULL. Complains on stderr when it fails, except about -ENOMEM.
 * -EEXIST: two of the files are the same. */
int balance_create(const struct settings *settings, const struct waiting *waiting,
                   struct balance **balance) MUST_CHECK;

/* Starts balancing. -EINVAL: an option does not fit this machine; this has been reported.
 * -ECANCELED: balancing is impossible here; one line has said why, and all other functions can
 * still be called. */
int balance_start(struct balance *balance, const struct balance_subject *subject) MUST_CHECK;

/* True for an error of job_create that the user must correct: an option names something that
 * this machine does not have. */
bool balance_is_misused(int error);

/* Has juggled balance the program, if the settings allow it. Threads of the subject that spin
 * are still made to give way by this process. -EAGAIN: juggled does not balance it, so this
 * process should. -ECANCELED: as for balance_start. */
int balance_delegate(struct balance *balance, pid_t program,
                     const struct balance_subject *subject) MUST_CHECK;

/* Call it once the program runs. If it is balanced, empties the output files of the recordings.
 * Complains about errors. */
void balance_begin(struct balance *balance);

/* Sleeps until a signal arrives or something is due, and does what is due. -ESRCH: no thread is
 * left to balance. */
int balance_wait(struct balance *balance, const struct signals *signals) MUST_CHECK;

/* Call it before juggle stops itself: gives the terminal back. */
void balance_suspend(struct balance *balance);

/* Ends the balancing, gives all threads their masks back, and reports. `command` and `program`
 * are NULL if juggle did not start the program. Complains about output that could not be
 * written. */
int balance_finish(struct balance *balance, char *const *command,
                   const struct program *program) MUST_CHECK;

void balance_destroy(struct balance *balance);

#endif
