/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#include "libjuggle/linux/topology_mistake.h"
#include "libjuggle/linux/topology_table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TWO_NODES "numa:2 core:4 pu:2"

static struct machine machine;

/* Returns false if the build has no hwloc, which reads the recorded machines. */
static bool pretend(const char *synthetic)
{
    setenv("HWLOC_SYNTHETIC", synthetic, 1);
    if (strcmp(topology_source(), "hwloc") == 0)
        return true;
    printf("skip: synthetic machines need hwloc\n");
    return false;
}

static void expect(int index, int os_index, int domain)
{
    ck_assert_int_eq(machine.processors[index].os_index, os_index);
    ck_assert_int_eq(machine.processors[index].domain, domain);
}

START_TEST(domains_are_numa_nodes)
{
    const struct topology_options options = {0};

    if (!pretend(TWO_NODES))
        return;
    ck_assert_int_eq(topology_load(&options, &machine, NULL), 0);
    ck_assert_int_eq(machine_check(&machine), 0);
    ck_assert_int_eq(machine.processors_count, 16);
    ck_assert_int_eq(machine.domains_count, 2);
    expect(7, 7, 0);
    expect(8, 8, 1);
    ck_assert_int_eq(machine.processors[0].core, machine.processors[1].core);
    ck_assert_int_ne(machine.processors[1].core, machine.processors[2].core);
}

START_TEST(machines_may_be_recorded)
{
    const struct topology_options options = {0};

    setenv("HWLOC_XMLFILE", "tests/data/hwloc/four-nodes.xml", 1);
    if (strcmp(topology_source(), "hwloc") != 0) {
        printf("skip: recorded machines need hwloc\n");
        return;
    }
    ck_assert_int_eq(topology_load(&options, &machine, NULL), 0);
    ck_assert_int_eq(machine.processors_count, 8);
    ck_assert_int_eq(machine.domains_count, 4);
}

START_TEST(listed_processors_are_taken_alone)
{
    const struct topology_options options = {.cpus = "14,0-1,9"};

    if (!pretend(TWO_NODES))
        return;
    ck_assert_int_eq(topology_load(&options, &machine, NULL), 0);
    ck_assert_int_eq(machine_check(&machine), 0);
    ck_assert_int_eq(machine.processors_count, 4);
    ck_assert_int_eq(machine.domains_count, 2);
    expect(1, 1, 0);
    expect(2, 9, 1);
    expect(3, 14, 1);
}

START_TEST(one_node_alone_is_domain_zero)
{
    const struct topology_options options = {.cpus = "8-11"};

    if (!pretend(TWO_NODES))
        return;
    ck_assert_int_eq(topology_load(&options, &machine, NULL), 0);
    ck_assert_int_eq(machine.domains_count, 1);
    expect(0, 8, 0);
}

START_TEST(domains_may_be_given_by_hand)
{
    const struct topology_options options = {.domains = "8-9,0;4-6"};

    if (!pretend(TWO_NODES))
        return;
    ck_assert_int_eq(topology_load(&options, &machine, NULL), 0);
    ck_assert_int_eq(machine_check(&machine), 0);
    ck_assert_int_eq(machine.processors_count, 6);
    ck_assert_int_eq(machine.domains_count, 2);
    expect(0, 0, 0);
    expect(2, 9, 0);
    expect(3, 4, 1);
}

START_TEST(domains_may_be_crossed)
{
    const struct topology_options options = {.inter_domain = true};

    if (!pretend(TWO_NODES))
        return;
    ck_assert_int_eq(topology_load(&options, &machine, NULL), 0);
    ck_assert_int_eq(machine.domains_count, 1);
    ck_assert_int_eq(machine.processors_count, 16);
}

START_TEST(what_is_not_allowed_is_left_out)
{
    struct topology_options options = {0};
    char words[TOPOLOGY_MISTAKE_SIZE];
    struct cpu_mask allowed;

    if (!pretend(TWO_NODES))
        return;
    ck_assert_int_eq(cpu_mask_parse("2-3,200", &allowed), 0);
    options.allowed = &allowed;
    ck_assert_int_eq(topology_load(&options, &machine, NULL), 0);
    ck_assert_int_eq(machine.processors_count, 2);
    options.cpus = "3-4";
    ck_assert_int_eq(topology_load(&options, &machine, NULL), -ENXIO);
    topology_mistake(&options, -ENXIO, words);
    ck_assert_str_eq(words, "cpus: 4 may not be used here, only 2-3");
    ck_assert_int_eq(cpu_mask_parse("200", &allowed), 0);
    options.cpus = NULL;
    ck_assert_int_eq(topology_load(&options, &machine, NULL), -ENXIO);
    topology_mistake(&options, -ENXIO, words);
    ck_assert_str_eq(words, "there is no processor that may be used here");
}

START_TEST(each_mistake_has_its_error)
{
    static const struct {
        struct topology_options options;
        int error;
        const char *words;
    } cases[] = {
        {{.cpus = "0-x"}, -EINVAL, "cpus: '0-x' is not a processor list such as 0-3,8"},
        {{.cpus = ""}, -EINVAL, "cpus: '' is not a processor list such as 0-3,8"},
        {{.cpus = "99999"}, -EINVAL, "cpus: '99999' is not a processor list such as 0-3,8"},
        {{.cpus = "0-16"}, -ENXIO, "cpus: 16 may not be used here, only 0-15"},
        {{.cpus = "0,99,200-300"}, -ENXIO, "cpus: 99,200-300 may not be used here, only 0-15"},
        {{.cpus = "1,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53"},
         -ENXIO,
         "cpus: 21,23,25,27,29,31,33,35,37,39,41,43,45,47,... may not be used here, only 0-15"},
        {{.domains = "0-3;"},
         -EDOM,
         "domains: '0-3;' is not a list of processor lists such as 0-3;4-7"},
        {{.domains = "0-3;3-5;5"}, -EDOM, "domains: in more than one domain: 3,5"},
        {{.domains = "0-3;99"}, -ENXIO, "domains: 99 may not be used here, only 0-15"},
        {{.cpus = "0-3", .domains = "0-3;4-7"},
         -ENXIO,
         "domains: 4-7 may not be used here, only 0-3"},
    };

    char words[TOPOLOGY_MISTAKE_SIZE];

    if (!pretend(TWO_NODES))
        return;
    machine.processors_count = -1;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        int error = topology_load(&cases[i].options, &machine, NULL);
        ck_assert_msg(error == cases[i].error, "case %zu says %d", i, error);
        topology_mistake(&cases[i].options, error, words);
        ck_assert_str_eq(words, cases[i].words);
    }
    ck_assert_int_eq(machine.processors_count, -1);
}

START_TEST(more_than_a_machine_holds_is_refused)
{
    const struct topology_options all = {0}, some = {.cpus = "1000-1999"};

    if (!pretend("numa:2 core:1000 pu:1"))
        return;
    ck_assert_int_eq(topology_load(&all, &machine, NULL), -E2BIG);
    ck_assert_int_eq(topology_load(&some, &machine, NULL), 0);
    ck_assert_int_eq(machine.processors_count, 1000);
    if (!pretend("numa:65 core:1 pu:1"))
        return;
    ck_assert_int_eq(topology_load(&all, &machine, NULL), -E2BIG);
}

/* hwloc would create all processors, one by one. */
START_TEST(machines_of_billions_are_refused_at_once)
{
    static const char *const machines[] = {"pack:9000 core:1000 pu:1000", "9000 1000 1000",
                                           "pack:90000(attached=1 2) pu:100000",
                                           "numa:99999999999999999999 pu:1"};
    const struct topology_options options = {0};

    for (size_t i = 0; i < ARRAY_COUNT(machines); i++) {
        if (!pretend(machines[i]))
            return;
        ck_assert_int_eq(topology_load(&options, &machine, NULL), -E2BIG);
    }
    if (!pretend("[numa(memory=9000000000)] pack:2(indexes=0,1) [numa] core:2 2"))
        return;
    ck_assert_int_eq(topology_load(&options, &machine, NULL), 0);
    ck_assert_int_eq(machine.processors_count, 8);
}

START_TEST(this_machine_is_no_larger_than_our_mask)
{
    const struct topology_options options = {0};
    cpu_set_t own;

    unsetenv("HWLOC_SYNTHETIC");
    ck_assert_int_eq(sched_getaffinity(0, sizeof(own), &own), 0);
    ck_assert_int_eq(topology_load(&options, &machine, NULL), 0);
    ck_assert_int_eq(machine_check(&machine), 0);
    ck_assert_int_eq(machine.processors_count, CPU_COUNT(&own));

    int first = machine.processors[0].os_index;
    CPU_ZERO(&own);
    CPU_SET(first, &own);
    ck_assert_int_eq(sched_setaffinity(0, sizeof(own), &own), 0);
    ck_assert_int_eq(topology_load(&options, &machine, NULL), 0);
    ck_assert_int_eq(machine.processors_count, 1);
    expect(0, first, 0);
}

static const struct topology_row *row_of(const struct topology_table *table, int os_index)
{
    for (int i = 0; i < table->rows_count; i++)
        if (table->rows[i].os_index == os_index)
            return &table->rows[i];
    ck_abort_msg("no processor %d", os_index);
    return NULL;
}

START_TEST(sysfs_tells_of_cores_and_nodes)
{
    static struct topology_table table;
    int sys_fd = tree_unpack("tests/data/sys/two-nodes-smt");

    ck_assert_int_eq(topology_sysfs_read(sys_fd, &table), 0);
    ck_assert_int_eq(table.rows_count, 15);
    ck_assert_int_eq(row_of(&table, 2)->core, row_of(&table, 10)->core);
    ck_assert_int_ne(row_of(&table, 2)->core, row_of(&table, 3)->core);
    ck_assert_int_eq(row_of(&table, 11)->node, 0);
    ck_assert_int_eq(row_of(&table, 4)->node, 1);
    tree_remove(sys_fd, ".");
}

START_TEST(sysfs_may_know_of_processors_alone)
{
    static struct topology_table table;
    int sys_fd = tree_unpack("tests/data/sys/plain");

    ck_assert_int_eq(topology_sysfs_read(sys_fd, &table), 0);
    ck_assert_int_eq(table.rows_count, 3);
    ck_assert_int_eq(row_of(&table, 2)->core, 2);
    ck_assert_int_eq(row_of(&table, 2)->node, 0);
    tree_write(sys_fd, "devices/system/cpu/online", "nonsense");
    ck_assert_int_eq(topology_sysfs_read(sys_fd, &table), -ENODATA);
    tree_remove(sys_fd, "devices/system/cpu/online");
    ck_assert_int_eq(topology_sysfs_read(sys_fd, &table), -ENODATA);
    tree_remove(sys_fd, ".");
}

SUITE("topology")
