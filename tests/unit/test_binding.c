/* SPDX-License-Identifier: BSD-3-Clause */
/* What the processors that a rank is bound to share, by a folder that is like the kernel's. */
#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"

#include "libjuggle/ground/units.h"
#include "libjuggle/steal/transport/binding.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SETS = 8 };

/* Processors that share a package by tens, and a cache by pairs. */
static void processor_make(const char *folder, int processor)
{
    char command[512];

    snprintf(command, sizeof(command),
             "cd %s && mkdir -p sys/devices/system/cpu/cpu%d/cache/index0 "
             "sys/devices/system/cpu/cpu%d/topology && "
             "echo %d >sys/devices/system/cpu/cpu%d/cache/index0/id && "
             "echo %d >sys/devices/system/cpu/cpu%d/topology/physical_package_id",
             folder, processor, processor, processor / 2, processor, processor / 10, processor);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(processors_beyond_the_first_thousand_are_found)
{
    const int processors[] = {6, 1500, 1501, 1504};
    char folder[64], command[80];
    cpu_set_t set[SETS];
    int cache, package, root;

    scratch_folder(folder, sizeof(folder));
    for (size_t i = 0; i < ARRAY_COUNT(processors); i++)
        processor_make(folder, processors[i]);
    root = open(folder, O_PATH | O_DIRECTORY);
    ck_assert_int_ge(root, 0);
    CPU_ZERO_S(sizeof(set), set);
    binding_find(root, set, sizeof(set), &cache, &package);
    ck_assert(cache == -1 && package == -1);
    CPU_SET_S(1500, sizeof(set), set);
    CPU_SET_S(1501, sizeof(set), set);
    binding_find(root, set, sizeof(set), &cache, &package);
    ck_assert(cache == 750 && package == 150);
    CPU_SET_S(1504, sizeof(set), set);
    binding_find(root, set, sizeof(set), &cache, &package);
    ck_assert(cache == -1 && package == 150);
    CPU_SET_S(6, sizeof(set), set);
    binding_find(root, set, sizeof(set), &cache, &package);
    ck_assert(cache == -1 && package == -1);
    close(root);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

SUITE("binding")
