/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/capacity_source.h"

#include "libjuggle/linux/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_DIRECTORY "devices/system/cpu"

enum { PATH_SIZE = 128, QUOTE_MAX = 20, VALUE_MAX = 1000000000 };

/* ---- one file per processor ---- */

static int value_parse(const char *text, double *value)
{
    char *end;
    const long number = strtol(text, &end, 10);

    if (end == text || *end || number <= 0 || number > VALUE_MAX)
        return -EBADMSG;
    *value = (double)number;
    return 0;
}

/* Tells whether no processor has such a file, or this processor's is missing or broken. */
static void problem_tell(int error, int cpu, bool first, const char *text,
                         char problem[CAPACITY_PROBLEM_SIZE])
{
    if (error == -EBADMSG)
        snprintf(problem, CAPACITY_PROBLEM_SIZE, "not a positive number for cpu %d: '%.*s'", cpu,
                 QUOTE_MAX, text);
    else if (error == -ENOENT && first)
        snprintf(problem, CAPACITY_PROBLEM_SIZE, "no such file");
    else if (error == -ENOENT)
        snprintf(problem, CAPACITY_PROBLEM_SIZE, "no value for cpu %d", cpu);
    else
        snprintf(problem, CAPACITY_PROBLEM_SIZE, "cpu %d cannot be read: %s", cpu,
                 strerror(-error));
}

static int files_read(const struct capacity_question *question, const char *file,
                      struct capacity_answer *answer)
{
    for (int i = 0; i < question->machine->processors_count; i++) {
        const int cpu = question->machine->processors[i].os_index;
        char path[PATH_SIZE], text[SYSFS_TEXT_SIZE] = "";

        snprintf(path, sizeof(path), CPU_DIRECTORY "/cpu%d/%s", cpu, file);
        int error = sysfs_text_read(question->sys_fd, path, text);
        if (!error)
            error = value_parse(text, &answer->values[i]);
        if (error) {
            problem_tell(error, cpu, i == 0, text, answer->problem);
            return -ENODATA;
        }
    }
    return 0;
}

/* ---- the sources ---- */

/* True for processors of AMD, and for Hygon's, which have the same design, by a text such as
 * "cpu:type:x86,ven0002fam0019mod0021:feature:...". */
static bool ranks_equal_cores(int sys_fd)
{
    static const char *const vendors[] = {"cpu:type:x86,ven0002", "cpu:type:x86,ven0009"};
    char text[SYSFS_TEXT_SIZE];

    if (sysfs_text_read(sys_fd, CPU_DIRECTORY "/modalias", text))
        return false;
    for (size_t i = 0; i < ARRAY_COUNT(vendors); i++)
        if (!strncmp(text, vendors[i], strlen(vendors[i])))
            return true;
    return false;
}

static int topology_read(const struct capacity_question *question, struct capacity_answer *answer)
{
    for (int i = 0; i < question->machine->processors_count; i++) {
        answer->values[i] = question->speeds->source ? question->speeds->values[i] : 0;
        if (answer->values[i] > 0)
            continue;
        if (question->speeds->source)
            snprintf(answer->problem, sizeof(answer->problem), "no %s for cpu %d",
                     question->speeds->source, question->machine->processors[i].os_index);
        else
            snprintf(answer->problem, sizeof(answer->problem),
                     "the topology lists no kinds of processors");
        return -ENODATA;
    }
    return 0;
}

const struct capacity_source capacity_sources[CAPACITY_SOURCES_COUNT] = {
    {"cpu_capacity", "cpu_capacity", false},
    {"acpi_cppc", "acpi_cppc/highest_perf", true},
    {"cpufreq", "cpufreq/cpuinfo_max_freq", false},
    {"base_frequency", "cpufreq/base_frequency", false},
    {"hwloc", NULL, false},
};

int capacity_source_read(const struct capacity_source *source,
                         const struct capacity_question *question, struct capacity_answer *answer)
{
    if (!source->file)
        return topology_read(question, answer);
    if (source->may_rank && ranks_equal_cores(question->sys_fd)) {
        snprintf(answer->problem, sizeof(answer->problem),
                 "only ranks equal cores on this processor");
        return -ENODATA;
    }
    return files_read(question, source->file, answer);
}
