/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings as the user writes them: "lifelines=2,mode=threads", in JUGGLE_STEAL. */
#ifndef JUGGLE_STEAL_RUNTIME_SETTINGS_H
#define JUGGLE_STEAL_RUNTIME_SETTINGS_H

#include "libjuggle/ground/units.h"
#include "libjuggle/steal.h"

#include <stdbool.h>

/* The structs of settings, each with its table; a text may name all of them, whatever is being set
 * just now. */
enum settings_section {
    SECTION_OPTIONS,    /* struct steal_options */
    SECTION_PROPERTIES, /* struct steal_properties */
    SECTION_BALANCE,    /* struct steal_balance */
    SECTION_CHECKPOINT, /* struct checkpoint_wish */
};

/*
 * What the user wants goes over what the program set, which it may make meaningless: such a setting
 * of the program's is dropped. One of the user's is passed over where it is of no use without
 * something that is for the program to set, as `order` in a collection that does not retain. `text`
 * may be NULL. -EINVAL and `message` if it is wrong; the struct may be half changed then.
 */
int settings_over(const char *text, enum settings_section section, void *settings,
                  char *message) MUST_CHECK;

/* The same of SECTION_PROPERTIES, with the balancing and the results that these speak of. */
int settings_over_properties(const char *text, struct steal_properties *properties,
                             char *message) MUST_CHECK;

/* Whether the text, which is right, sets this. */
bool settings_name(const char *text, const char *name);

#endif
