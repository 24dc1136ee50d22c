/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines of the papers. */
#ifndef JUGGLE_STEAL_SIM_PRESETS_H
#define JUGGLE_STEAL_SIM_PRESETS_H

#include "tools/steal-sim/machine.h"

struct preset {
    const char *name;
    struct machine_settings machine;
    int64_t visit_ns; /* time to visit a node of an unbalanced tree */
};

/* Ends with a NULL name. */
extern const struct preset presets[];

/* Returns NULL if there is none of that name. */
const struct preset *preset_find(const char *name);

#endif
