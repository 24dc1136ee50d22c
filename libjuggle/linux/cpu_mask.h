/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of processors by the kernel's numbers: a plain value, as large as any kernel's. */
#ifndef JUGGLE_LINUX_CPU_MASK_H
#define JUGGLE_LINUX_CPU_MASK_H

#include "libjuggle/ground/units.h"

#include <sched.h>
#include <stdbool.h>

/* The largest CONFIG_NR_CPUS of any architecture. */
enum { CPU_MASK_CPUS_MAX = 8192 };

/* The sets are one array of bits for the macros that end in _S; glibc's own type stops at 1024. */
struct cpu_mask {
    cpu_set_t sets[CPU_MASK_CPUS_MAX / CPU_SETSIZE];
};

void cpu_mask_clear(struct cpu_mask *mask);
void cpu_mask_fill(struct cpu_mask *mask);

/* `cpu` is in [0, CPU_MASK_CPUS_MAX). */
void cpu_mask_add(struct cpu_mask *mask, int cpu);
void cpu_mask_remove(struct cpu_mask *mask, int cpu);
bool cpu_mask_has(const struct cpu_mask *mask, int cpu);

int cpu_mask_count(const struct cpu_mask *mask);
bool cpu_mask_equal(const struct cpu_mask *a, const struct cpu_mask *b);
bool cpu_mask_subset(const struct cpu_mask *part, const struct cpu_mask *whole);
void cpu_mask_unite(struct cpu_mask *mask, const struct cpu_mask *other);
void cpu_mask_intersect(struct cpu_mask *mask, const struct cpu_mask *other);
void cpu_mask_subtract(struct cpu_mask *mask, const struct cpu_mask *other);

/* The least member above `cpu` (start with -1), or -1. */
int cpu_mask_next(const struct cpu_mask *mask, int cpu);

/* Reads a list as the kernel writes it, "0-3,8"; ends at the string's end. -EINVAL: not such a
 * list, or empty; -ERANGE: a number is CPU_MASK_CPUS_MAX or more. */
int cpu_mask_parse(const char *list, struct cpu_mask *mask) MUST_CHECK;

/* Reads lists that are separated by semicolons, "0-3;4-7". `named` gets all processors that they
 * name, `twice` those that more than one list names. Errors as above. */
int cpu_mask_parse_lists(const char *lists, struct cpu_mask *named,
                         struct cpu_mask *twice) MUST_CHECK;

/* Reads the first of such lists and advances to the next one, or to the end. Errors as above. */
int cpu_mask_take_list(const char **lists, struct cpu_mask *members) MUST_CHECK;

/* Writes the list; returns what snprintf returns. A list that does not fit is cut after a whole
 * number and ends in ",...". `size` is 0 or at least 5 bytes. */
int cpu_mask_format(const struct cpu_mask *mask, char *text, size_t size);

#endif
