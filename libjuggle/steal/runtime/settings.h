/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings as the user writes them: "lifelines=2,mode=threads", in JUGGLE_STEAL. */
#ifndef JUGGLE_STEAL_RUNTIME_SETTINGS_H
#define JUGGLE_STEAL_RUNTIME_SETTINGS_H

#include "libjuggle/ground/units.h"
#include "libjuggle/steal.h"

#include <stdbool.h>

/* The structs of settings, each with its table. A text may name parameters of all of them,
 * whichever struct is being set. */
enum settings_section {
    SECTION_OPTIONS,    /* struct steal_options */
    SECTION_PROPERTIES, /* struct steal_properties */
    SECTION_BALANCE,    /* struct steal_balance */
    SECTION_CHECKPOINT, /* struct checkpoint_wish */
};

/*
 * Overrides the program's settings with those of the user's `text`, which may be NULL. If that
 * makes a setting of the program meaningless, it is cleared. A setting of the user is ignored if it
 * has no effect without something that only the program can set, as `order` in a collection that
 * does not retain. -EINVAL and `message` if the text is wrong; the struct may be half changed then.
 */
int settings_over(const char *text, enum settings_section section, void *settings,
                  char *message) MUST_CHECK;

/* The same for SECTION_PROPERTIES and, if steal_process() balances, SECTION_BALANCE. Settings of
 * balancing and results that have no effect are cleared. */
int settings_over_properties(const char *text, struct steal_properties *properties,
                             char *message) MUST_CHECK;

/* True if the text sets the parameter `name`. NULL sets none. The text must have been checked. */
bool settings_name(const char *text, const char *name);

#endif
