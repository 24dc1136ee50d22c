/* SPDX-License-Identifier: BSD-3-Clause */
/* A picture of a run in text: a row per processor, a column per span of time, a letter per
 * thread. */
#ifndef JUGGLE_SIM_PICTURE_H
#define JUGGLE_SIM_PICTURE_H

#include "tools/sim/rig.h"

#include <stdio.h>

struct picture;

/* Creates a picture for a run that takes `total_ns`. If threads share a processor, their letters
 * alternate in proportion to the time that each got. Returns 0 or -ENOMEM. */
int picture_create(const struct scenario *scenario, int64_t total_ns, int columns_count,
                   struct picture **picture) MUST_CHECK;
void picture_destroy(struct picture *picture);

struct rig_observer picture_observer(struct picture *picture);

void picture_print(const struct picture *picture, const char *title, bool colored, FILE *out);

/* Prints what the symbols mean. */
void picture_print_legend(const struct scenario *scenario, FILE *out);

#endif
