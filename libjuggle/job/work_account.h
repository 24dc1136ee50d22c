/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much of the time that threads run is work of the program: not spinning, not yielding, not
 * what the kernel and a runtime do to have them wait. The samples of a thread in the program's own
 * code, each standing for a period, are divided by the time that it ran meanwhile. Pure.
 */
#ifndef JUGGLE_JOB_WORK_ACCOUNT_H
#define JUGGLE_JOB_WORK_ACCOUNT_H

#include "libjuggle/linux/thread_id.h"

#include <stdint.h>

enum { WORK_ACCOUNT_THREADS_MAX = 256 };

/* For further threads, and for those that did not run meanwhile, the mean holds. */
struct work_account {
    int threads_count;
    struct thread_work {
        struct thread_id id;
        int64_t ran_ns, work_ns;
    } threads[WORK_ACCOUNT_THREADS_MAX], all;
};

void work_account_add(struct work_account *account, const struct thread_id *id, int64_t ran_ns,
                      int64_t work_ns);

/* Adds what another account holds, `weight` times. */
void work_account_add_all(struct work_account *account, const struct work_account *other,
                          double weight);

/* The part of its run time that the thread worked, at most 1; 0 if no thread was sampled. */
double work_account_share(const struct work_account *account, const struct thread_id *id);

#endif
