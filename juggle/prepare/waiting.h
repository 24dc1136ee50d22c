/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables that a program is given before it starts, so that its threads wait without spinning
 * and report that they wait: variables of the runtimes, and objects that are loaded into it. No
 * variable that the user has set is changed, except that items are appended to lists. */
#ifndef JUGGLE_WAITING_H
#define JUGGLE_WAITING_H

#include "juggle/settings.h"
#include "libjuggle/waiting/page.h"

struct waiting;

/* Prepares the variables for a command. `listens`: the caller balances the command itself and
 * reads what its threads report. Objects that are not installed are left out. -ENOMEM. */
int waiting_create(const struct settings *settings, char *const *command, bool listens,
                   struct waiting **waiting) MUST_CHECK;
/* Accepts NULL. */
void waiting_destroy(struct waiting *waiting);

/* Prepares the variables and sets them in this process, for the command to inherit. NULL if there
 * is no memory: the command then waits as it would without juggle. */
struct waiting *waiting_tell(const struct settings *settings, char *const *command, bool listens);

/* The page to which the program reports; NULL for none. */
struct page *waiting_page(const struct waiting *waiting);

/* "NAME=VALUE NAME=VALUE", or "none". Leaves out the variable with the path of the page, which
 * is of no use to a reader. */
const char *waiting_text(const struct waiting *waiting);

#endif
