/* SPDX-License-Identifier: BSD-3-Clause */
/* The speeds of processors, from recorded machines: whole, damaged and contradictory ones. */
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#include "libjuggle/linux/capacity.h"
#include "libjuggle/linux/topology_table.h"
#include "libjuggle/ground/rates.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU "devices/system/cpu/"

static struct machine machine;
static struct topology_speeds speeds;
static struct capacity capacity;
static int sys_fd;

/* Unpacks the recorded tree and reads its machine. */
static void record(const char *name)
{
    static struct topology_table table;
    char path[64];

    snprintf(path, sizeof(path), "tests/data/sys/%s", name);
    sys_fd = tree_unpack(path);
    ck_assert_int_eq(topology_sysfs_read(sys_fd, &table), 0);
    ck_assert_int_eq(machine_uniform(table.rows_count, 1, &machine), 0);
    for (int i = 0; i < table.rows_count; i++) {
        machine.processors[i].os_index = table.rows[i].os_index;
        machine.processors[i].core = table.rows[i].core;
    }
    speeds = (struct topology_speeds){.this_system = true};
}

static void set(const char *wish)
{
    ck_assert_int_eq(capacity_set(wish, sys_fd, &speeds, &machine, &capacity), 0);
    ck_assert_int_eq(machine_check(&machine), 0);
}

static void expect(const char *source, const char *told, const char *problems)
{
    ck_assert_str_eq(capacity.source, source);
    ck_assert_str_eq(capacity.speeds, told);
    ck_assert_str_eq(capacity.problems, problems);
}

static bool complains(const char *words)
{
    return strstr(capacity.problems, words) != NULL;
}

/* ---- recorded machines ---- */

/* Favored cores are of the same kind as the others: they are faster only while the others are
 * idle. */
START_TEST(two_kinds_by_the_firmware)
{
    record("hybrid-two-kinds");
    set("auto");
    expect("acpi_cppc", "cpu 0-11 1, cpu 12-19 0.636364", "cpu_capacity: no such file");
    tree_remove(sys_fd, ".");
}

/* A kernel that says that all processors are equal may not have looked. */
START_TEST(three_kinds_against_a_kernel_that_knows_of_none)
{
    record("hybrid-three-kinds");
    set(NULL);
    expect("acpi_cppc", "cpu 0-3 1, cpu 4-11 0.68254, cpu 12-13 0.444444", "");
    tree_remove(sys_fd, ".");
}

START_TEST(big_and_little_by_the_kernel)
{
    record("big-little");
    set("auto");
    expect("cpu_capacity", "cpu 0-3 0.435547, cpu 4-7 1", "");
    tree_remove(sys_fd, ".");
}

/* The ranks of AMD and Hygon processors are not speeds, whichever driver is loaded. */
START_TEST(ranks_of_equal_cores_are_no_speeds)
{
    record("smt-server");
    set("auto");
    expect("cpufreq", "cpu 0-15 1",
           "cpu_capacity: no such file; acpi_cppc: only ranks equal cores on this processor; "
           "base_frequency: no such file");
    tree_write(sys_fd, CPU "modalias", "cpu:type:x86,ven0009fam0018mod0000:feature:,0000\n");
    set("auto");
    ck_assert_str_eq(capacity.source, "cpufreq");
    tree_write(sys_fd, CPU "modalias", "cpu:type:x86,ven0000fam0006mod009A:feature:,0000\n");
    set("auto");
    ck_assert_str_eq(capacity.source, "acpi_cppc");
    tree_remove(sys_fd, ".");
}

START_TEST(a_machine_that_tells_nothing_stays_unknown)
{
    record("plain");
    set("auto");
    expect("none", "",
           "cpu_capacity: no such file; acpi_cppc: no such file; cpufreq: no such file; "
           "base_frequency: no such file");
    ck_assert_int_eq(machine.processors[0].rate, 0);
    tree_remove(sys_fd, ".");
}

START_TEST(recorded_topologies_tell_of_kinds)
{
    static const struct {
        const char *file, *source, *told, *problems;
    } cases[] = {
        {"hybrid-two-kinds", "hwloc", "cpu 0-11 1, cpu 12-19 0.77551", ""},
        {"hybrid-three-kinds", "hwloc", "cpu 0-3 1, cpu 4-11 0.791667, cpu 12-13 0.520833", ""},
        {"big-little", "hwloc", "cpu 0-3 0.435547, cpu 4-7 1", ""},
        {"smt-server", "hwloc", "cpu 0-15 1", ""},
        {"four-nodes", "none", "", "hwloc: the topology lists no kinds of processors"},
    };
    const struct topology_options options = {0};

    setenv("HWLOC_XMLFILE", "tests/data/hwloc/big-little.xml", 1);
    if (strcmp(topology_source(), "hwloc") != 0) {
        printf("skip: recorded topologies need hwloc\n");
        return;
    }
    record("big-little"); /* the files are of another machine: no other source may be asked */
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        char path[64];

        snprintf(path, sizeof(path), "tests/data/hwloc/%s.xml", cases[i].file);
        setenv("HWLOC_XMLFILE", path, 1);
        ck_assert_int_eq(topology_load(&options, &machine, &speeds), 0);
        ck_assert(!speeds.this_system);
        set("auto");
        expect(cases[i].source, cases[i].told, cases[i].problems);
    }
    tree_remove(sys_fd, ".");
}

/* ---- errors in the sources ---- */

START_TEST(a_source_with_a_hole_is_left_out)
{
    record("big-little");
    tree_remove(sys_fd, CPU "cpu5/cpu_capacity");
    set("auto");
    ck_assert_str_eq(capacity.source, "cpufreq");
    ck_assert_str_eq(capacity.speeds, "cpu 0-3 0.75, cpu 4-7 1");
    ck_assert(complains("cpu_capacity: no value for cpu 5"));
    tree_remove(sys_fd, ".");
}

START_TEST(what_is_no_number_is_quoted)
{
    static const char *const contents[] = {
        "", "0\n", "-5\n", "fast\n", "1e3\n", "12 13\n", "99999999999999999999\n"};

    record("big-little");
    for (size_t i = 0; i < ARRAY_COUNT(contents); i++) {
        tree_write(sys_fd, CPU "cpu2/cpu_capacity", contents[i]);
        set("auto");
        ck_assert_str_eq(capacity.source, "cpufreq");
        ck_assert_msg(complains("cpu_capacity: not a positive number for cpu 2: '"), "%s",
                      capacity.problems);
    }
    tree_write(sys_fd, CPU "cpu2/cpu_capacity",
               "a very long line that goes on and on and on and on and on and on and on and on\n");
    set("auto");
    ck_assert(complains("for cpu 2: 'a very long line tha'"));
    tree_remove(sys_fd, ".");
}

START_TEST(absurd_numbers_are_left_out)
{
    record("big-little");
    tree_write(sys_fd, CPU "cpu2/cpu_capacity", "2\n");
    set("auto");
    ck_assert_str_eq(capacity.source, "cpufreq");
    ck_assert(complains(
        "cpu_capacity: cpu 2 would be 512 times slower than others, which is not plausible"));
    tree_remove(sys_fd, ".");
}

START_TEST(what_cannot_be_read_is_survived)
{
    record("big-little");
    tree_remove(sys_fd, CPU "cpu0/cpu_capacity");
    tree_write(sys_fd, CPU "cpu0/cpu_capacity/directory", "1024\n");
    set("auto");
    ck_assert_str_eq(capacity.source, "cpufreq");
    ck_assert(complains("cpu_capacity: cpu 0 cannot be read: Is a directory"));
    tree_remove(sys_fd, ".");
    sys_fd = -1;
    set("auto");
    ck_assert_str_eq(capacity.source, "none");
    ck_assert_int_eq(machine.processors[5].rate, 0);
}

/* Breaks each file in turn, or all of them: that never causes a failure, nor a rate that a
 * machine refuses. */
START_TEST(no_damage_makes_it_fail)
{
    static const char *const files[] = {"cpu_capacity", "acpi_cppc/highest_perf",
                                        "cpufreq/cpuinfo_max_freq"};
    static const char *const contents[] = {"", "0", "x", "1000000000", "7"};

    record("hybrid-three-kinds");
    for (size_t file = 0; file < ARRAY_COUNT(files); file++)
        for (int cpu = 0; cpu < machine.processors_count; cpu++) {
            char path[64];

            snprintf(path, sizeof(path), CPU "cpu%d/%s", cpu, files[file]);
            tree_write(sys_fd, path, contents[(file + (size_t)cpu) % ARRAY_COUNT(contents)]);
            set("auto");
            for (int i = 0; i < machine.processors_count; i++)
                ck_assert_int_eq(!machine.processors[i].rate, !strcmp(capacity.source, "none"));
        }
    tree_remove(sys_fd, ".");
}

/* ---- wishes ---- */

START_TEST(wishes_overrule_the_machine)
{
    record("big-little");
    set("equal");
    expect("equal", "cpu 0-7 1", "");
    ck_assert_int_eq(machine.processors[0].rate, RATE_ONE);
    set("0.5,1");
    expect("list", "cpu 0 0.5, cpu 1 1, cpu 2 0.5, cpu 3 1, cpu 4 0.5, cpu 5 1, cpu 6 0.5, cpu 7 1",
           "");
    tree_remove(sys_fd, ".");
}

/* Processors are ordered by domain, lists by the kernel's numbers. */
START_TEST(lists_follow_the_kernels_numbers)
{
    ck_assert_int_eq(machine_uniform(4, 2, &machine), 0);
    for (int i = 0; i < 4; i++)
        machine.processors[i].os_index = (int[]){0, 2, 1, 3}[i];
    set("1x2,0.5");
    ck_assert_int_eq(machine.processors[1].rate, RATE_ONE / 2);
    ck_assert_int_eq(machine.processors[2].rate, RATE_ONE);
    ck_assert_int_eq(machine.processors[3].rate, RATE_ONE);
}

START_TEST(wishes_that_make_no_sense_change_nothing)
{
    static const struct {
        const char *text;
        int error;
    } cases[] = {
        {"", -EINVAL},
        {"fast", -EINVAL},
        {"1,", -EINVAL},
        {"1,,1", -EINVAL},
        {"1x", -EINVAL},
        {"-1", -EINVAL},
        {"1e3", -EINVAL},
        {"0x4", -ERANGE},
        {"0", -ERANGE},
        {"0.0001", -ERANGE},
        {"1001", -ERANGE},
        {"1x0", -ERANGE},
        {"1x1025", -ERANGE},
        {"nan", -EINVAL},
        {"1x1024,1", -ERANGE},
        {"1 ", -EINVAL},
        {".", -EINVAL},
        {"1.5.2", -EINVAL},
        {"1x99999999999999", -ERANGE},
        {"smt=", -EINVAL},
        {"smt=0.6,smt=0.6", -EINVAL},
        {"smt=1.01", -ERANGE},
        {"0.6smt=0.6", -EINVAL},
        {"99999999999999999999999999", -ERANGE},
    };

    ck_assert_int_eq(machine_uniform(2, 1, &machine), 0);
    capacity.source = "before";
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        const int error = capacity_set(cases[i].text, -1, &speeds, &machine, &capacity);

        ck_assert_msg(error == cases[i].error, "'%s' says %d", cases[i].text, error);
        ck_assert_int_eq(machine.processors[0].rate, 0);
        ck_assert_str_eq(capacity.source, "before");
    }
}

START_TEST(numbers_are_exact)
{
    static struct rates rates;

    ck_assert_int_eq(rates_parse("0.6x2,.25,1.,2.1234567,1000", &rates), 0);
    ck_assert_int_eq(rates.count, 6);
    ck_assert_int_eq(rates.values[1], 600000);
    ck_assert_int_eq(rates.values[2], 250000);
    ck_assert_int_eq(rates.values[3], RATE_ONE);
    ck_assert_int_eq(rates.values[4], 2123456);
    ck_assert_int_eq(rates.values[5], RATE_MAX);
}

START_TEST(the_factor_of_siblings_comes_with_speeds_or_alone)
{
    record("big-little");
    set("1x4,0.5x4,smt=0.62");
    expect("list", "cpu 0-3 1, cpu 4-7 0.5, 0.62 beside a busy sibling", "");
    ck_assert_int_eq(machine.smt_rate, RATE_ONE * 62 / 100);
    set("smt=0.7");
    expect("cpu_capacity", "cpu 0-3 0.435547, cpu 4-7 1, 0.7 beside a busy sibling", "");
    set("auto");
    ck_assert_int_eq(machine.smt_rate, 0);
    set("equal");
    ck_assert_int_eq(machine.smt_rate, RATE_ONE);
    tree_remove(sys_fd, ".");
}

/* The source may not have looked: then the progress of threads may tell the speeds. */
START_TEST(a_source_that_knows_of_no_difference_leaves_speeds_to_be_learned)
{
    record("big-little");
    for (int cpu = 0; cpu < machine.processors_count; cpu++) {
        char path[64];

        snprintf(path, sizeof(path), CPU "cpu%d/cpu_capacity", cpu);
        tree_write(sys_fd, path, "1024\n");
        snprintf(path, sizeof(path), CPU "cpu%d/cpufreq/cpuinfo_max_freq", cpu);
        tree_write(sys_fd, path, "2000000\n");
    }
    set("auto");
    ck_assert_str_eq(capacity.source, "cpu_capacity");
    ck_assert_str_eq(capacity.speeds, "cpu 0-7 1");
    ck_assert_int_eq(machine.processors[0].rate, 0);
    tree_remove(sys_fd, ".");
}

/* Learned speeds are like this: no two are equal. */
START_TEST(more_speeds_than_there_is_room_for_end_behind_a_whole_one)
{
    char text[CAPACITY_TEXT_SIZE], expected[32];
    int cpu, length = 0;
    double speed;

    ck_assert_int_eq(machine_uniform(64, 1, &machine), 0);
    for (int i = 0; i < 64; i++)
        machine.processors[i].rate = RATE_ONE - i * 12347;
    machine.smt_rate = RATE_ONE / 2;
    capacity_describe(&machine, text);
    const char *item = text;
    for (int i = 0; sscanf(item, "cpu %d %lf, %n", &cpu, &speed, &length) == 2; i++) {
        snprintf(expected, sizeof(expected), "cpu %d %g, ", i,
                 (double)machine.processors[i].rate / (double)RATE_ONE);
        ck_assert_int_eq(strncmp(item, expected, strlen(expected)), 0);
        item += length;
    }
    ck_assert_str_eq(item, "..., 0.5 beside a busy sibling");
}

SUITE("capacity")
