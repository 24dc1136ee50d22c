/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells what the processors that a rank is bound to share, by a folder laid out like the
 * kernel's. */
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#include "libjuggle/ground/units.h"
#include "libjuggle/steal/transport/binding.h"

#include <stdio.h>

enum { SETS = 8 };

static void number_write(int root, int processor, const char *name, int number)
{
    char path[96], text[16];

    snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/%s", processor, name);
    snprintf(text, sizeof(text), "%d\n", number);
    tree_write(root, path, text);
}

START_TEST(processors_beyond_the_first_thousand_are_found)
{
    const int processors[] = {6, 1500, 1501, 1504};
    const int root = tree_create();
    cpu_set_t set[SETS];
    int cache, package;

    /* Groups of ten share a package, and pairs share a cache. */
    for (size_t i = 0; i < ARRAY_COUNT(processors); i++) {
        number_write(root, processors[i], "cache/index0/id", processors[i] / 2);
        number_write(root, processors[i], "topology/physical_package_id", processors[i] / 10);
    }
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
    tree_remove(root, ".");
}

SUITE("binding")
