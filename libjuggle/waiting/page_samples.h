/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples of where the threads of a program run, which they note themselves on the page that the
 * two share: for where the kernel lets nobody else look.
 *
 * Whoever balances names the threads, and says now and then that he still looks; the program gives
 * each a timer of its own processor time. Whose timer comes when nobody looks any more ends it.
 */
#ifndef JUGGLE_WAITING_PAGE_SAMPLES_H
#define JUGGLE_WAITING_PAGE_SAMPLES_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    PAGE_SAMPLED_MAX = 256, /* threads */
    PAGE_SAMPLES_MAX = 126, /* of each; what comes then is not noted */
    /* SIGURG with this: the samples of some threads of its process are due. And the signal of a
     * thread's timer, with its number added. */
    PAGE_SAMPLES_REQUEST = 0x6a756800,
};

struct page;

/* ---- who balances ---- */

void page_sample_ask(struct page *page, int index, pid_t pid, pid_t tid);
/* He looks until then; 0: no more. */
void page_samples_hold(struct page *page, int64_t until_ns);
/* Asked for, and not answered. */
bool page_sample_is_due(const struct page *page, int index);
/* What a thread has noted since that was asked for; returns how many. */
int page_samples_read(const struct page *page, int index, uint64_t addresses[PAGE_SAMPLES_MAX]);

/* ---- the program ---- */

/* The thread of a process whose samples are due; 0: they are not. */
pid_t page_sample_due(const struct page *page, int index, pid_t pid);
void page_sample_is_answered(struct page *page, int index);
bool page_samples_are_wanted(const struct page *page, int64_t now_ns);
void page_sample_note(struct page *page, int index, pid_t tid, uint64_t address);

#endif
