/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The traps in the code of this process: the first byte of an instruction of a loop that waits is
 * replaced by an `int3`, as a debugger sets its breakpoints. Whoever balances asks for them on the
 * page (libjuggle/waiting/page_traps.h). For handlers of signals.
 */
#ifndef JUGGLE_PRELOAD_TRAPS_H
#define JUGGLE_PRELOAD_TRAPS_H

#include "libjuggle/preload/loops.h"

struct trap;

/* Sets those that are due for this process; `asked` is one of them. What handles SIGTRAP is in
 * place. */
void traps_set(int asked);

/* One that is or was set at an instruction; NULL. */
struct trap *trap_at(uint64_t at);

/* False: it has lapsed. */
bool trap_holds(const struct trap *trap);
/* A thread that comes there before it is out does so once more. */
void trap_take_out(struct trap *trap);

struct loop *trap_loop(struct trap *trap);
/* Where a thread with these flags goes on that has come to it, and whether it stays in the loop. */
uint64_t trap_next(const struct trap *trap, uint64_t flags);
bool trap_goes_on(const struct trap *trap, uint64_t flags);

/* None is set any more, or will be. Whether one may have been until now. */
bool traps_end(void);
/* All of them are out by now. */
bool traps_have_ended(void);

/* In a child of fork(), which has the traps of its parent. */
void traps_begin_child(void);

#endif
