/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/capacity.h"

#include "libjuggle/linux/capacity_source.h"
#include "libjuggle/ground/rates.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the longest item of a description, and of the text that may follow all items. */
enum { ITEM_SIZE = 40, END_SIZE = 48 };

static const double alike = 0.9;
static const double span_max = 20;

static void __attribute__((format(printf, 2, 3)))
text_add(char text[CAPACITY_TEXT_SIZE], const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + length, CAPACITY_TEXT_SIZE - length, format, arguments);
    va_end(arguments);
}

/* ---- rates to and from the machine ---- */

struct numbered_processor {
    int os_index;
    int processor;
};

static int place_compare(const void *left, const void *right)
{
    const struct numbered_processor *a = left, *b = right;

    return (a->os_index > b->os_index) - (a->os_index < b->os_index);
}

/* The machine's processors in the order of the kernel's numbers. */
static void places_sort(const struct machine *machine, struct numbered_processor *places)
{
    for (int i = 0; i < machine->processors_count; i++)
        places[i] = (struct numbered_processor){.os_index = machine->processors[i].os_index,
                                                .processor = i};
    qsort(places, (size_t)machine->processors_count, sizeof(places[0]), place_compare);
}

void capacity_describe(const struct machine *machine, char text[CAPACITY_TEXT_SIZE])
{
    struct numbered_processor places[MACHINE_PROCESSORS_MAX];
    const int count = machine->processors[0].rate ? machine->processors_count : 0;

    *text = '\0';
    places_sort(machine, places);
    for (int i = 0, next; i < count; i = next) {
        const int64_t rate = machine->processors[places[i].processor].rate;

        if (strlen(text) + ITEM_SIZE + END_SIZE > CAPACITY_TEXT_SIZE) {
            text_add(text, ", ...");
            break;
        }
        for (next = i + 1;
             next < count && machine->processors[places[next].processor].rate == rate &&
             places[next].os_index == places[next - 1].os_index + 1;
             next++)
            ;
        text_add(text, "%scpu %d", i ? ", " : "", places[i].os_index);
        if (next > i + 1)
            text_add(text, "-%d", places[next - 1].os_index);
        text_add(text, " %g", (double)rate / (double)RATE_ONE);
    }
    if (machine->smt_rate && machine->smt_rate != RATE_ONE)
        text_add(text, "%s%g beside a busy sibling", count ? ", " : "",
                 (double)machine->smt_rate / (double)RATE_ONE);
}

static void rates_set_all(struct machine *machine, int64_t rate)
{
    for (int i = 0; i < machine->processors_count; i++)
        machine->processors[i].rate = rate;
}

static void rates_set_list(struct machine *machine, const struct rates *rates)
{
    struct numbered_processor places[MACHINE_PROCESSORS_MAX];

    places_sort(machine, places);
    for (int i = 0; i < machine->processors_count; i++)
        machine->processors[places[i].processor].rate = rates->values[i % rates->count];
}

/* Tells in `rated` if the list has speeds: a factor of siblings alone says nothing of the
 * processors. */
static int set_by_list(const char *list, struct machine *machine, bool *rated)
{
    struct rates *rates = calloc(1, sizeof(*rates)); /* 8 KB */
    const int error = rates ? rates_parse(list, rates) : -ENOMEM;

    if (!error) {
        machine->smt_rate = rates->smt_rate;
        *rated = rates->count > 0;
        if (*rated)
            rates_set_list(machine, rates);
    }
    free(rates);
    return error;
}

/* ---- sources ---- */

/* Finds the greatest value. Returns -ERANGE, and in `odd` the processor with the least value, if
 * the two are too far apart to make sense. */
static int values_check(const double *values, int count, double *most, int *odd)
{
    int least = 0;

    *most = values[0];
    for (int i = 1; i < count; i++) {
        least = values[i] < values[least] ? i : least;
        *most = fmax(*most, values[i]);
    }
    if (values[least] * span_max >= *most)
        return 0;
    *odd = least;
    return -ERANGE;
}

/* Gives all processors of a kind the speed of the fastest of them. A kind spans a tenth, because
 * favored cores run that much faster while the others rest. */
static void rates_apply(struct machine *machine, const double *values, double most)
{
    const int count = machine->processors_count;
    double kind = most;

    while (kind > 0) {
        double next = 0;

        for (int i = 0; i < count; i++)
            if (values[i] <= kind && values[i] > alike * kind)
                machine->processors[i].rate = llround(kind / most * (double)RATE_ONE);
            else if (values[i] < kind)
                next = fmax(next, values[i]);
        kind = next;
    }
}

/* Sets the rates as the source says; if it cannot be used, adds the reason to the problems and
 * returns false. */
static bool source_try(const struct capacity_source *source, const struct capacity_question *asked,
                       struct machine *machine, char problems[CAPACITY_TEXT_SIZE])
{
    struct capacity_answer answer = {.problem = ""};
    double most;
    int odd;

    if (capacity_source_read(source, asked, &answer)) {
        text_add(problems, "%s%s: %s", *problems ? "; " : "", source->name, answer.problem);
        return false;
    }
    if (values_check(answer.values, machine->processors_count, &most, &odd)) {
        text_add(problems,
                 "%s%s: cpu %d would be %.0f times slower than others, which is not plausible",
                 *problems ? "; " : "", source->name, machine->processors[odd].os_index,
                 most / answer.values[odd]);
        return false;
    }
    rates_apply(machine, answer.values, most);
    return true;
}

/* True if the source can know this machine. On this system hwloc, the source without a file, counts
 * only if it has read the topology and told speeds, because it reads the same files as the
 * others. */
static bool may_tell(const struct capacity_source *source, const struct topology_speeds *speeds)
{
    return speeds->this_system ? source->file || speeds->source : !source->file;
}

/* A source that shows no difference may not have looked: a later one may know more. If none shows
 * one, rates stay unknown and may be learned from what threads do. */
static void set_by_sources(int sys_fd, const struct topology_speeds *speeds,
                           struct machine *machine, struct capacity *capacity)
{
    const struct capacity_question asked = {.sys_fd = sys_fd, .machine = machine, .speeds = speeds};

    rates_set_all(machine, 0);
    *capacity = (struct capacity){.source = "none"};
    for (int i = 0; i < CAPACITY_SOURCES_COUNT && !machine_unequal(machine); i++) {
        const struct capacity_source *source = &capacity_sources[i];
        if (may_tell(source, speeds) && source_try(source, &asked, machine, capacity->problems) &&
            (machine_unequal(machine) || !strcmp(capacity->source, "none")))
            capacity->source = source->name;
    }
    capacity_describe(machine, capacity->speeds);
    if (!machine_unequal(machine))
        rates_set_all(machine, 0);
}

int capacity_set(const char *wish, int sys_fd, const struct topology_speeds *speeds,
                 struct machine *machine, struct capacity *capacity)
{
    const bool equal = wish && !strcmp(wish, "equal");
    const bool listed = wish && !equal && strcmp(wish, "auto") != 0;
    bool rated = equal;

    machine->smt_rate = equal ? RATE_ONE : 0;
    if (equal)
        rates_set_all(machine, RATE_ONE);
    const int error = listed ? set_by_list(wish, machine, &rated) : 0;
    if (error)
        return error;
    if (rated) {
        *capacity = (struct capacity){.source = equal ? "equal" : "list"};
        capacity_describe(machine, capacity->speeds);
    } else {
        set_by_sources(sys_fd, speeds, machine, capacity);
    }
    return 0;
}
