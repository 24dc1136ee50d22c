/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The traps in the code of this process: the first byte of an instruction of a loop that waits is
 * replaced by an `int3`, as a debugger sets its breakpoints. The balancer asks for them on the page
 * (libjuggle/waiting/page_traps.h). For handlers of signals.
 */
#ifndef JUGGLE_PRELOAD_TRAPS_H
#define JUGGLE_PRELOAD_TRAPS_H

#include "libjuggle/preload/loops.h"

struct trap;

/* Sets all traps that are due for this process; `asked` is one of them. The handler of SIGTRAP must
 * be in place. */
void traps_set(int asked);

/* Returns the trap that is or was set at an instruction, or NULL. */
struct trap *trap_at(uint64_t at);

/* False: the trap has lapsed, or is not asked for any more. */
bool trap_holds(const struct trap *trap);
/* Takes the trap out. A thread that comes there before it is out does so once more. */
void trap_take_out(struct trap *trap);

struct loop *trap_loop(struct trap *trap);
/* For a thread with these flags that has come to the trap: where it goes on, and whether it stays
 * in the loop. */
uint64_t trap_next(const struct trap *trap, uint64_t flags);
bool trap_goes_on(const struct trap *trap, uint64_t flags);

/* Takes all traps out; no more are set. True if one may have been set until now. */
bool traps_end(void);
/* True if traps_end was called and all traps are out. */
bool traps_have_ended(void);

/* Called in a child of fork(), which has the traps of its parent. */
void traps_begin_child(void);

#endif
