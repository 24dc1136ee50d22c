/* SPDX-License-Identifier: BSD-3-Clause */
/* The arguments of the small programs: PROGRAM heat|band|bodies STEPS ITEMS. */
#ifndef JUGGLE_BENCH_ARGUMENTS_H
#define JUGGLE_BENCH_ARGUMENTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART_HEAT, PART_BAND, PART_BODIES, PARTS_COUNT };

struct arguments {
    int part;
    int steps, items;
};

static inline struct arguments arguments_read(int argc, char **argv)
{
    static const char *const parts[PARTS_COUNT] = {
        [PART_HEAT] = "heat", [PART_BAND] = "band", [PART_BODIES] = "bodies"};
    struct arguments arguments = {.part = -1};

    for (int i = 0; argc > 3 && i < PARTS_COUNT; i++)
        if (!strcmp(argv[1], parts[i]))
            arguments = (struct arguments){i, atoi(argv[2]), atoi(argv[3])};
    if (arguments.part < 0 || arguments.steps < 1 || arguments.items < 2) {
        fprintf(stderr, "usage: %s heat|band|bodies STEPS ITEMS\n", argv[0]);
        exit(2);
    }
    return arguments;
}

#endif
