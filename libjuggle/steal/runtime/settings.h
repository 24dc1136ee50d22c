/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings as the user writes them: "lifelines=2,mode=threads", in JUGGLE_STEAL. */
#ifndef JUGGLE_STEAL_RUNTIME_SETTINGS_H
#define JUGGLE_STEAL_RUNTIME_SETTINGS_H

#include "libjuggle/ground/units.h"
#include "libjuggle/steal.h"

#include <stdbool.h>

/*
 * What the user wants goes over what the program set, which it may make meaningless: such a setting
 * of the program's is dropped. One of the user's is passed over where it is of no use without
 * something that is for the program to set, as `order` in a collection that does not retain. `text`
 * may be NULL. -EINVAL and `message` if it is wrong; the struct is then as it was.
 */
int settings_over_options(const char *text, struct steal_options *options,
                          char *message) MUST_CHECK;
int settings_over_properties(const char *text, struct steal_properties *properties,
                             char *message) MUST_CHECK;
int settings_over_balance(const char *text, struct steal_balance *balance,
                          char *message) MUST_CHECK;

struct checkpoint_wish;
int settings_over_checkpoint(const char *text, struct checkpoint_wish *wish,
                             char *message) MUST_CHECK;

/* Whether the text, which is right, sets this. */
bool settings_name(const char *text, const char *name);

#endif
