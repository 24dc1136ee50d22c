/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the machine by hwloc, which knows its HWLOC_* variables, and systems without /sys. It adds
 * 0.5 ms to each start. */
#include "libjuggle/linux/topology.h"
#include "libjuggle/linux/topology_table.h"

#include <errno.h>
#include <hwloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where hwloc looks for plugins, which are for devices and have no effect here. */
#define PLUGINS "HWLOC_PLUGINS_PATH"
/* What hwloc itself prints on standard error. */
#define SILENCE "HWLOC_HIDE_ERRORS"

/* True for a variable of hwloc's that may change the machine which is seen. */
static bool is_telling(const char *variable)
{
    static const char prefix[] = "HWLOC_";

    return !strncmp(variable, prefix, strlen(prefix)) &&
           strncmp(variable, PLUGINS "=", strlen(PLUGINS "=")) != 0 &&
           strncmp(variable, SILENCE "=", strlen(SILENCE "=")) != 0;
}

bool topology_hwloc_is_requested(void)
{
    for (char **variable = environ; variable && *variable; variable++)
        if (is_telling(*variable))
            return true;
    return false;
}

static void row_add(struct topology_table *table, hwloc_topology_t topology, hwloc_obj_t pu)
{
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
    int node = hwloc_bitmap_first(pu->nodeset);

    table->rows[table->rows_count++] = (struct topology_row){
        .os_index = (int)pu->os_index,
        .core = (int)(core ? core->logical_index : pu->logical_index),
        .node = node < 0 ? 0 : node,
    };
}

/* The names by which kinds of processors may tell their speed, the most telling first. */
static const char *const speed_names[] = {"LinuxCapacity", "FrequencyMaxMHz", "FrequencyBaseMHz"};

static double kind_speed(hwloc_topology_t topology, unsigned kind, hwloc_bitmap_t cpus,
                         const char *name)
{
    struct hwloc_info_s *infos;
    unsigned infos_count;
    int efficiency;

    if (hwloc_cpukinds_get_info(topology, kind, cpus, &efficiency, &infos_count, &infos, 0))
        return 0;
    for (unsigned i = 0; i < infos_count; i++) {
        const double speed = strcmp(infos[i].name, name) ? 0 : strtod(infos[i].value, NULL);
        if (speed > 0 && isfinite(speed))
            return speed;
    }
    return 0;
}

static void speed_apply(struct topology_table *table, hwloc_const_bitmap_t cpus, double speed)
{
    for (int i = 0; i < table->rows_count; i++)
        if (hwloc_bitmap_isset(cpus, (unsigned)table->rows[i].os_index))
            table->rows[i].speed = speed;
}

/* Sets the speeds if all kinds have a value of this name: values of different names cannot be
 * compared. */
static void speeds_add(struct topology_table *table, hwloc_topology_t topology, const char *name)
{
    const int kinds = hwloc_cpukinds_get_nr(topology, 0);
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    bool complete = kinds > 0 && cpus;

    for (int kind = 0; complete && kind < kinds; kind++)
        complete = kind_speed(topology, (unsigned)kind, cpus, name) > 0;
    for (int kind = 0; complete && kind < kinds; kind++) {
        const double speed = kind_speed(topology, (unsigned)kind, cpus, name);
        speed_apply(table, cpus, speed);
    }
    if (complete)
        table->speed_source = name;
    hwloc_bitmap_free(cpus);
}

static int table_fill(struct topology_table *table, hwloc_topology_t topology)
{
    hwloc_obj_t pu = NULL;

    table->this_system = hwloc_topology_is_thissystem(topology);
    table->rows_count = 0;
    while ((pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu))) {
        if (pu->os_index >= CPU_MASK_CPUS_MAX || table->rows_count == CPU_MASK_CPUS_MAX)
            return -E2BIG;
        row_add(table, topology, pu);
    }
    table->speed_source = NULL;
    for (size_t i = 0; i < ARRAY_COUNT(speed_names) && !table->speed_source; i++)
        speeds_add(table, topology, speed_names[i]);
    return table->rows_count > 0 ? 0 : -ENODATA;
}

/* Leaves out what takes time: caches, which are a dozen files for each processor; and hwloc's
 * component that executes cpuid on each processor, for which it waits on busy ones. The kernel's
 * files tell as much. */
static void reading_narrow(hwloc_topology_t topology)
{
    hwloc_topology_set_cache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
}

void topology_spare_plugins(void)
{
    if (!getenv("HWLOC_XMLFILE")) /* which may need a plugin */
        setenv(PLUGINS, "/dev/null", 0);
    /* No variable asks for hwloc, and we report what cannot be read. */
    if (!topology_hwloc_is_requested())
        setenv(SILENCE, "2", 0);
}

/* Returns how many objects of a level each object of the level above has: "pack:2", "2",
 * "pu:4(indexes=0,1)". An item in brackets is attached to a level and is none itself: 1. */
static uint64_t level_width(const char *level)
{
    const char *number = level + strcspn(level, ": \t\n");
    const uint64_t width = strtoull(*number == ':' ? number + 1 : level, NULL, 0);

    return *level == '[' || !width ? 1 : width;
}

/* True if there are more processors than a mask has room for. hwloc itself would make any number of
 * objects. */
static bool is_too_large(const char *synthetic)
{
    uint64_t count = 1;

    for (const char *at = synthetic; *at && count <= CPU_MASK_CPUS_MAX;) {
        at += strspn(at, " \t\n");
        const uint64_t width = level_width(at);
        count = width > CPU_MASK_CPUS_MAX ? width : count * width;
        at += *at == '[' ? strcspn(at, "]") : strcspn(at, "( \t\n");
        if (*at == '(')
            at += strcspn(at, ")");
        at += *at != '\0';
    }
    return count > CPU_MASK_CPUS_MAX;
}

int topology_hwloc_read(struct topology_table *table)
{
    const char *synthetic = getenv("HWLOC_SYNTHETIC");
    hwloc_topology_t topology;
    int error = -ENODATA;

    if (synthetic && is_too_large(synthetic))
        return -E2BIG;
    if (hwloc_topology_init(&topology))
        return -ENOMEM;
    reading_narrow(topology);
    if (hwloc_topology_load(topology) == 0)
        error = table_fill(table, topology);
    hwloc_topology_destroy(topology);
    return error;
}
