/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The traps that whoever balances wants in the code of a program, on the page that the two share.
 *
 * He asks for each, and says now and then that they hold on; the program sets them itself, and
 * says so. Who comes to a trap that has lapsed, or is asked for no more, takes it out. So traps end
 * with whoever wanted them, however he ends.
 */
#ifndef JUGGLE_WAITING_PAGE_TRAPS_H
#define JUGGLE_WAITING_PAGE_TRAPS_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    PAGE_TRAPS_MAX = 256,
    /* SIGURG with this, and the number of a trap added: it and others of its process are due. */
    PAGE_TRAPS_REQUEST = 0x6a756700,
};

struct page;

/* ---- who balances ---- */

void page_trap_ask(struct page *page, int index, pid_t pid, uint64_t address);
void page_trap_drop(struct page *page, int index);
/* Those that are asked for hold until then; 0: none does. */
void page_traps_hold(struct page *page, int64_t until_ns);
/* Neither set nor refused. */
bool page_trap_is_due(const struct page *page, int index);

/* ---- the program ---- */

/* The address of a trap that is due for the same process as another one; 0: it is not. */
uint64_t page_trap_due(const struct page *page, int index, int other);
void page_trap_is_set(struct page *page, int index);
void page_trap_is_refused(struct page *page, int index);
/* It is due again, if it is asked for still. */
void page_trap_is_out(struct page *page, int index);
bool page_trap_holds(const struct page *page, int index, uint64_t address, int64_t now_ns);

#endif
