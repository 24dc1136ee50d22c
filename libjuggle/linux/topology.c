/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/topology.h"

#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/topology_table.h"

#include <errno.h>
#include <stdlib.h>

static void table_restrict(struct topology_table *table, const struct cpu_mask *mask)
{
    int kept = 0;

    for (int i = 0; i < table->rows_count; i++)
        if (cpu_mask_has(mask, table->rows[i].os_index))
            table->rows[kept++] = table->rows[i];
    table->rows_count = kept;
}

static void table_mask(const struct topology_table *table, struct cpu_mask *mask)
{
    cpu_mask_clear(mask);
    for (int i = 0; i < table->rows_count; i++)
        cpu_mask_add(mask, table->rows[i].os_index);
}

/* Leaves the listed processors, all of which must be there. */
static int table_choose(struct topology_table *table, const struct cpu_mask *wanted)
{
    struct cpu_mask there;

    table_mask(table, &there);
    if (!cpu_mask_subset(wanted, &there))
        return -ENXIO;
    table_restrict(table, wanted);
    return 0;
}

static int allowed_apply(struct topology_table *table, const struct cpu_mask *allowed)
{
    struct cpu_mask own;
    int error;

    if (!allowed && !table->this_system)
        return 0;
    if (!allowed) {
        error = affinity_get(0, &own);
        if (error)
            return error;
        allowed = &own;
    }
    table_restrict(table, allowed);
    return 0;
}

static int cpus_apply(struct topology_table *table, const char *cpus)
{
    struct cpu_mask wanted;

    if (!cpus)
        return 0;
    if (cpu_mask_parse(cpus, &wanted))
        return -EINVAL;
    return table_choose(table, &wanted);
}

/* Gives the processors of each list the position of their list as their node. */
static int domains_apply(struct topology_table *table, const char *domains)
{
    struct cpu_mask named, twice, members;

    if (!domains)
        return 0;
    if (cpu_mask_parse_lists(domains, &named, &twice) || cpu_mask_count(&twice))
        return -EDOM;
    for (int domain = 0; *domains && !cpu_mask_take_list(&domains, &members); domain++)
        for (int i = 0; i < table->rows_count; i++)
            if (cpu_mask_has(&members, table->rows[i].os_index))
                table->rows[i].node = domain;
    return table_choose(table, &named);
}

static int row_compare(const void *left, const void *right)
{
    const struct topology_row *a = left, *b = right;

    return a->node != b->node ? (a->node < b->node ? -1 : 1)
                              : (a->os_index > b->os_index) - (a->os_index < b->os_index);
}

/* Domains are numbered densely in the order of their nodes. */
static int machine_fill(struct topology_table *table, struct machine *machine)
{
    if (table->rows_count < 1)
        return -ENXIO;
    if (table->rows_count > MACHINE_PROCESSORS_MAX)
        return -E2BIG;
    qsort(table->rows, (size_t)table->rows_count, sizeof(table->rows[0]), row_compare);

    int domain = 0;
    for (int i = 0; i < table->rows_count; i++) {
        const struct topology_row *row = &table->rows[i];
        if (i > 0 && row->node != row[-1].node)
            domain++;
        machine->processors[i] = (struct processor){
            .os_index = row->os_index,
            .core = row->core,
            .domain = domain,
        };
    }
    machine->processors_count = table->rows_count;
    machine->domains_count = domain + 1;
    machine->smt_rate = 0;
    return domain < MACHINE_DOMAINS_MAX ? 0 : -E2BIG;
}

/* The rows are in the machine's order. */
static void speeds_fill(const struct topology_table *table, struct topology_speeds *speeds)
{
    speeds->this_system = table->this_system;
    speeds->source = table->speed_source;
    for (int i = 0; i < table->rows_count; i++)
        speeds->values[i] = table->rows[i].speed;
}

int topology_load(const struct topology_options *options, struct machine *machine,
                  struct topology_speeds *speeds)
{
    struct topology_table *table = malloc(sizeof(*table));
    struct machine *loaded = malloc(sizeof(*loaded));
    int error = -ENOMEM;

    if (table && loaded)
        error = topology_table_read(table);
    if (!error)
        error = allowed_apply(table, options->allowed);
    if (!error)
        error = cpus_apply(table, options->cpus);
    if (!error)
        error = domains_apply(table, options->domains);
    if (!error)
        error = machine_fill(table, loaded);
    if (!error && options->inter_domain)
        machine_merge_domains(loaded);
    if (!error)
        *machine = *loaded;
    if (!error && speeds)
        speeds_fill(table, speeds);
    free(loaded);
    free(table);
    return error;
}

const char *topology_source(void)
{
    return topology_hwloc_is_requested() ? "hwloc" : "sysfs";
}
