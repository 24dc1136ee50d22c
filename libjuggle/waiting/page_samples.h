/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples of where the threads of a program run. The threads note them themselves, on the page that
 * balancer and program share. This is for systems on which the kernel lets no other process look.
 *
 * The balancer names the threads, and prolongs its request now and then. The program gives each
 * thread a timer on its own processor time. If a timer expires after the request has lapsed, the
 * thread deletes it.
 */
#ifndef JUGGLE_WAITING_PAGE_SAMPLES_H
#define JUGGLE_WAITING_PAGE_SAMPLES_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    PAGE_SAMPLED_MAX = 256, /* threads */
    PAGE_SAMPLES_MAX = 126, /* of each thread; later ones are not noted */
    /* The value of a SIGURG by which the balancer asks: the samples of some threads of the process
     * are due. The SIGURG of a thread's timer has this value plus the thread's index. */
    PAGE_SAMPLES_REQUEST = 0x6a756800,
};

struct page;

/* ---- for the balancer ---- */

void page_sample_ask(struct page *page, int index, pid_t pid, pid_t tid);
/* The request holds until then; 0: no more. */
void page_samples_hold(struct page *page, int64_t until_ns);
/* True if samples were asked for and the program has not answered yet. */
bool page_sample_is_due(const struct page *page, int index);
/* Copies the samples that a thread has noted since they were asked for. Returns how many. */
int page_samples_read(const struct page *page, int index, uint64_t addresses[PAGE_SAMPLES_MAX]);

/* ---- for the program ---- */

/* Returns the thread at the index if it belongs to the process and its samples are due; else 0. */
pid_t page_sample_due(const struct page *page, int index, pid_t pid);
void page_sample_is_answered(struct page *page, int index);
bool page_samples_are_wanted(const struct page *page, int64_t now_ns);
void page_sample_note(struct page *page, int index, pid_t tid, uint64_t address);

#endif
