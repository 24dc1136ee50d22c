/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program is told before it starts, so that its threads wait politely and say that they
 * wait: variables of the runtimes, and objects that are loaded into it. Nothing that the user has
 * set is changed. */
#ifndef JUGGLE_WAITING_H
#define JUGGLE_WAITING_H

#include "juggle/settings.h"
#include "libjuggle/waiting/page.h"

struct waiting;

/* For a command; `listens`: the caller balances it itself, and reads what it tells. What is not
 * there to load is left out. -ENOMEM. */
int waiting_create(const struct settings *settings, char *const *command, bool listens,
                   struct waiting **waiting) MUST_CHECK;
/* Accepts NULL. */
void waiting_destroy(struct waiting *waiting);

/* Sets the variables in this process, for the program to inherit. */
void waiting_apply(const struct waiting *waiting);

/* The page that the program is told of; NULL for none. */
struct page *waiting_page(const struct waiting *waiting);

/* "NAME=VALUE NAME=VALUE", or "none"; where the page is says nothing to anybody else. */
const char *waiting_text(const struct waiting *waiting);

#endif
