/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interleaving. The balancer writes `pid` and `address`. `state` is written by the balancer when it
 * asks and by the program when it answers. If an answer crosses a new request, the request is only
 * delayed until traps are asked for again. Each side checks what it reads: a program traps nothing
 * but loops that wait, and the balancer believes nothing that is written here.
 */
#include "libjuggle/waiting/page_traps.h"

#include "libjuggle/waiting/page_state.h"

static const struct trap_request *trap_of(const struct page *page, int index)
{
    return &page->shared->traps[index];
}

/* ---- for the balancer ---- */

void page_trap_ask(struct page *page, int index, pid_t pid, uint64_t address)
{
    struct trap_request *trap = &page->shared->traps[index];

    trap->pid = 0;
    trap->address = address;
    trap->state = TRAP_DUE;
    trap->pid = pid;
}

void page_trap_drop(struct page *page, int index)
{
    page->shared->traps[index].pid = 0;
}

void page_traps_hold(struct page *page, int64_t until_ns)
{
    page->shared->traps_until_ns = until_ns;
}

bool page_trap_is_due(const struct page *page, int index)
{
    return trap_of(page, index)->pid && trap_of(page, index)->state == TRAP_DUE;
}

/* ---- for the program ---- */

uint64_t page_trap_due(const struct page *page, int index, int other)
{
    const struct trap_request *trap = trap_of(page, index);
    const bool due = page_trap_is_due(page, index) && trap->pid == trap_of(page, other)->pid;

    return due ? trap->address : 0;
}

void page_trap_is_set(struct page *page, int index)
{
    page->shared->traps[index].state = TRAP_SET;
}

void page_trap_is_refused(struct page *page, int index)
{
    page->shared->traps[index].state = TRAP_REFUSED;
}

void page_trap_is_out(struct page *page, int index)
{
    int state = TRAP_SET;

    atomic_compare_exchange_strong(&page->shared->traps[index].state, &state, TRAP_DUE);
}

bool page_trap_holds(const struct page *page, int index, uint64_t address, int64_t now_ns)
{
    return trap_of(page, index)->pid && trap_of(page, index)->address == address &&
           now_ns < page->shared->traps_until_ns;
}
