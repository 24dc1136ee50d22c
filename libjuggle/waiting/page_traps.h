/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The traps that the balancer wants in the code of a program, on the page that the two share.
 *
 * The balancer asks for each trap, and prolongs its requests now and then. The program sets the
 * traps itself, and says so. A thread that comes to a trap that has lapsed, or is asked for no
 * more, takes it out. So traps end with the balancer, however that ends.
 */
#ifndef JUGGLE_WAITING_PAGE_TRAPS_H
#define JUGGLE_WAITING_PAGE_TRAPS_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    PAGE_TRAPS_MAX = 256,
    /* The value of a SIGURG by which the balancer asks, plus the index of a trap: that trap is due,
     * and others of its process may be. */
    PAGE_TRAPS_REQUEST = 0x6a756700,
};

struct page;

/* ---- for the balancer ---- */

void page_trap_ask(struct page *page, int index, pid_t pid, uint64_t address);
void page_trap_drop(struct page *page, int index);
/* All traps that are asked for hold until then; 0: none holds. */
void page_traps_hold(struct page *page, int64_t until_ns);
/* True if the trap is asked for, and neither set nor refused. */
bool page_trap_is_due(const struct page *page, int index);

/* ---- for the program ---- */

/* Returns the address of a trap if it is due for the same process as the trap `other`; else 0. */
uint64_t page_trap_due(const struct page *page, int index, int other);
void page_trap_is_set(struct page *page, int index);
void page_trap_is_refused(struct page *page, int index);
/* The trap was taken out: it is due again, if it is still asked for. */
void page_trap_is_out(struct page *page, int index);
bool page_trap_holds(const struct page *page, int index, uint64_t address, int64_t now_ns);

#endif
