/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/cpu_mask.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cpu_mask_clear(struct cpu_mask *mask)
{
    CPU_ZERO_S(sizeof(mask->sets), mask->sets);
}

void cpu_mask_fill(struct cpu_mask *mask)
{
    memset(mask->sets, -1, sizeof(mask->sets));
}

void cpu_mask_add(struct cpu_mask *mask, int cpu)
{
    CPU_SET_S(cpu, sizeof(mask->sets), mask->sets);
}

void cpu_mask_remove(struct cpu_mask *mask, int cpu)
{
    CPU_CLR_S(cpu, sizeof(mask->sets), mask->sets);
}

bool cpu_mask_has(const struct cpu_mask *mask, int cpu)
{
    return CPU_ISSET_S(cpu, sizeof(mask->sets), mask->sets);
}

int cpu_mask_count(const struct cpu_mask *mask)
{
    return CPU_COUNT_S(sizeof(mask->sets), mask->sets);
}

bool cpu_mask_equal(const struct cpu_mask *a, const struct cpu_mask *b)
{
    return CPU_EQUAL_S(sizeof(a->sets), a->sets, b->sets);
}

bool cpu_mask_subset(const struct cpu_mask *part, const struct cpu_mask *whole)
{
    struct cpu_mask common = *part;

    cpu_mask_intersect(&common, whole);
    return cpu_mask_equal(&common, part);
}

void cpu_mask_unite(struct cpu_mask *mask, const struct cpu_mask *other)
{
    CPU_OR_S(sizeof(mask->sets), mask->sets, mask->sets, other->sets);
}

void cpu_mask_intersect(struct cpu_mask *mask, const struct cpu_mask *other)
{
    CPU_AND_S(sizeof(mask->sets), mask->sets, mask->sets, other->sets);
}

void cpu_mask_subtract(struct cpu_mask *mask, const struct cpu_mask *other)
{
    struct cpu_mask common = *mask;

    cpu_mask_intersect(&common, other);
    CPU_XOR_S(sizeof(mask->sets), mask->sets, mask->sets, common.sets);
}

int cpu_mask_next(const struct cpu_mask *mask, int cpu)
{
    for (cpu++; cpu < CPU_MASK_CPUS_MAX; cpu++)
        if (cpu_mask_has(mask, cpu))
            return cpu;
    return -1;
}

/* Reads digits alone: strtol would also take blanks and signs. */
static int number_parse(const char **text, int *number)
{
    int value = 0;

    if (**text < '0' || **text > '9')
        return -EINVAL;
    for (; **text >= '0' && **text <= '9'; (*text)++) {
        value = value * 10 + (**text - '0');
        if (value >= CPU_MASK_CPUS_MAX)
            return -ERANGE;
    }
    *number = value;
    return 0;
}

static int range_parse(const char **text, struct cpu_mask *mask)
{
    int first, last, error;

    error = number_parse(text, &first);
    if (error)
        return error;
    last = first;
    if (**text == '-') {
        (*text)++;
        error = number_parse(text, &last);
        if (error)
            return error;
    }
    if (last < first)
        return -EINVAL;
    for (int cpu = first; cpu <= last; cpu++)
        cpu_mask_add(mask, cpu);
    return 0;
}

/* Reads ranges with commas between them, and stops at any other character. */
static int ranges_parse(const char **list, struct cpu_mask *mask)
{
    cpu_mask_clear(mask);
    for (;;) {
        const int error = range_parse(list, mask);
        if (error || **list != ',')
            return error;
        (*list)++;
    }
}

int cpu_mask_parse(const char *list, struct cpu_mask *mask)
{
    struct cpu_mask parsed;
    const int error = ranges_parse(&list, &parsed);

    if (error)
        return error;
    if (*list)
        return -EINVAL;
    *mask = parsed;
    return 0;
}

int cpu_mask_take_list(const char **lists, struct cpu_mask *members)
{
    const int error = ranges_parse(lists, members);

    if (error || !**lists)
        return error;
    return *(*lists)++ == ';' && **lists ? 0 : -EINVAL;
}

int cpu_mask_parse_lists(const char *lists, struct cpu_mask *named, struct cpu_mask *twice)
{
    cpu_mask_clear(named);
    cpu_mask_clear(twice);
    do {
        struct cpu_mask members, again = *named;
        const int error = cpu_mask_take_list(&lists, &members);
        if (error)
            return error;
        cpu_mask_intersect(&again, &members);
        cpu_mask_unite(twice, &again);
        cpu_mask_unite(named, &members);
    } while (*lists);
    return 0;
}

/* Shortens a text that was cut off to whole numbers, and lets it end in ",...". */
static void list_cut(char *text, size_t size)
{
    static const char more[] = ",...";

    text[size - sizeof(more) + 1] = '\0';
    char *comma = strrchr(text, ',');
    if (comma)
        memcpy(comma, more, sizeof(more));
    else
        memcpy(text, more + 1, sizeof(more) - 1);
}

int cpu_mask_format(const struct cpu_mask *mask, char *text, size_t size)
{
    int length = 0;

    if (size > 0)
        text[0] = '\0';
    for (int first = cpu_mask_next(mask, -1); first >= 0;) {
        int last = first;
        int next = cpu_mask_next(mask, last);
        while (next == last + 1) {
            last = next;
            next = cpu_mask_next(mask, last);
        }
        size_t used = (size_t)length < size ? (size_t)length : size;
        const char *comma = length > 0 ? "," : "";
        if (first == last)
            length += snprintf(text + used, size - used, "%s%d", comma, first);
        else
            length += snprintf(text + used, size - used, "%s%d-%d", comma, first, last);
        first = next;
    }
    if (size > 0 && (size_t)length >= size)
        list_cut(text, size);
    return length;
}
