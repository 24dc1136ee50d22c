/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/chance.h"
#include "tests/lib/tree.h"

#include "libjuggle/linux/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define MIB (INT64_C(1) << 20)

static struct machine machine;
static int proc_fd;

/* Nodes 0 and 3 have these processors; node 2 has memory only. */
static void nodes_write(const char *first, const char *second)
{
    tree_write(proc_fd, "devices/system/node/online", second ? "0,2-3\n" : "0,2\n");
    tree_write(proc_fd, "devices/system/node/node0/cpulist", first);
    tree_write(proc_fd, "devices/system/node/node2/cpulist", "\n");
    if (second)
        tree_write(proc_fd, "devices/system/node/node3/cpulist", second);
}

static void two_nodes(void)
{
    nodes_write("0-3\n", "4-7\n");
}

static void other_node_beyond(void)
{
    nodes_write("0-7\n", "8-11\n");
}

static void one_node(void)
{
    nodes_write("0-7\n", NULL);
}

static void no_node(void)
{
}

static struct {
    int count, to;
    pid_t pid;
    bool from[NUMA_NODES_MAX];
} migrations;

static int note_migration(pid_t pid, const bool from[NUMA_NODES_MAX], int to)
{
    migrations.count++;
    migrations.pid = pid;
    migrations.to = to;
    memcpy(migrations.from, from, sizeof(migrations.from));
    return 0;
}

/* One tree stands in for both /proc and /sys. */
static struct memory *begin(int domains_count, void (*nodes)(void), int64_t bytes_per_second)
{
    proc_fd = tree_unpack("tests/data/proc/numa");
    nodes();
    const struct memory_options options = {
        .proc_fd = proc_fd,
        .sys_fd = proc_fd,
        .bytes_per_second = bytes_per_second,
        .migrate = note_migration,
    };
    struct memory *memory;

    ck_assert_int_eq(machine_uniform(8, domains_count, &machine), 0);
    ck_assert_int_eq(memory_create(&machine, &options, &memory), 0);
    return memory;
}

static void finish(struct memory *memory)
{
    memory_destroy(memory);
    tree_remove(proc_fd, ".");
}

START_TEST(pages_are_counted_by_their_size_and_domain)
{
    struct memory *memory = begin(2, two_nodes, 0);
    int64_t bytes[MACHINE_DOMAINS_MAX];

    ck_assert_int_eq(memory_residence(memory, 100, bytes), 0);
    ck_assert_int_eq(bytes[0], 3 * 4096);
    ck_assert_int_eq(bytes[1], (5 + 7) * 4096 + 2 * 2 * MIB);
    ck_assert_int_eq(memory_residence(memory, 999, bytes), -ESRCH);
    finish(memory);
}

START_TEST(home_is_where_most_of_it_is)
{
    struct memory *memory = begin(2, two_nodes, 0);

    ck_assert_int_eq(memory_home(memory, 100), 1);
    /* Half on each node, no memory at all, and no such process. */
    ck_assert_int_eq(memory_home(memory, 200), -1);
    ck_assert_int_eq(memory_home(memory, 300), -1);
    ck_assert_int_eq(memory_home(memory, 999), -1);
    finish(memory);
}

START_TEST(one_node_makes_it_a_matter_of_nothing)
{
    void (*const nodes[])(void) = {one_node, no_node};

    for (size_t i = 0; i < ARRAY_COUNT(nodes); i++) {
        struct memory *memory = begin(1, nodes[i], MIB);
        ck_assert(!memory_may_follow(memory));
        ck_assert_int_eq(memory_home(memory, 100), -1);
        ck_assert_int_eq(memory_follow(memory, 100, 0, 0), 0);
        finish(memory);
    }
}

START_TEST(processors_have_the_nodes_that_the_kernel_tells)
{
    struct memory *memory = begin(2, two_nodes, 0);

    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(memory_node(memory, i), machine.processors[i].os_index < 4 ? 0 : 3);
    finish(memory);
}

/* First from node 0 to itself, then from a node that does not exist. */
START_TEST(the_kernel_understands_which_nodes_are_meant)
{
    bool from[NUMA_NODES_MAX] = {true};
    const int error = numa_nodes_migrate(getpid(), from, 0);

    if (error == -EPERM || error == -ENOSYS) {
        printf("skip: migrate_pages(2) is refused\n");
        return;
    }
    ck_assert_int_eq(error, 0);
    from[NUMA_NODES_MAX - 1] = true;
    ck_assert_int_eq(numa_nodes_migrate(getpid(), from, 0), 0);
}

START_TEST(nothing_follows_unless_asked)
{
    struct memory *memory = begin(1, two_nodes, 0);

    ck_assert_int_eq(memory_follow(memory, 100, 0, 0), 0);
    finish(memory);
}

START_TEST(following_is_bounded)
{
    struct memory *memory = begin(1, two_nodes, 5 * MIB);

    /* A little more than 4 MiB moves at once; the next move must wait until a second's allowance
     * is earned. */
    ck_assert_int_eq(memory_follow(memory, 100, 0, 0), 0);
    ck_assert_int_eq(memory_follow(memory, 100, 0, NSEC_PER_SEC / 4), -EAGAIN);
    ck_assert_int_eq(memory_follow(memory, 100, 0, 2 * NSEC_PER_SEC), 0);
    ck_assert_int_eq(migrations.count, 2);
    /* Memory that is already there needs no allowance. */
    ck_assert_int_eq(memory_follow(memory, 300, 0, 2 * NSEC_PER_SEC), 0);
    ck_assert_int_eq(migrations.count, 2);
    finish(memory);
}

START_TEST(the_large_may_go_and_leave_a_debt)
{
    struct memory *memory = begin(1, two_nodes, 1 * MIB);

    ck_assert_int_eq(memory_follow(memory, 100, 0, 0), 0);
    ck_assert_int_eq(memory_follow(memory, 100, 0, 3 * NSEC_PER_SEC), -EAGAIN);
    ck_assert_int_eq(memory_follow(memory, 100, 0, 6 * NSEC_PER_SEC), 0);
    finish(memory);
}

/* The machine has one node, and the process was started on another node. */
START_TEST(memory_follows_from_nodes_beside_the_machine)
{
    struct memory *memory = begin(1, other_node_beyond, MIB);

    ck_assert(memory_may_follow(memory));
    ck_assert_int_eq(memory_home(memory, 100), -1);
    ck_assert_int_eq(memory_follow(memory, 100, 0, 0), 0);
    ck_assert_int_eq(migrations.count, 1);
    ck_assert_int_eq(migrations.pid, 100);
    ck_assert_int_eq(migrations.to, 0);
    /* Its pages on node 2 stay, because that node has no processors. */
    for (int node = 0; node < NUMA_NODES_MAX; node++)
        ck_assert_int_eq(migrations.from[node], node == 3);
    finish(memory);
}

/* ---- random processes ---- */

static int64_t put_anywhere(pid_t pid)
{
    const int64_t pages_here = below(600), pages_there = below(3) * below(3000);
    char path[32], text[128];

    snprintf(path, sizeof(path), "%d/numa_maps", (int)pid);
    snprintf(text, sizeof(text),
             "00400000 default anon=1 N0=%lld N3=%lld N2=9 kernelpagesize_kB=4\n",
             (long long)pages_here, (long long)pages_there);
    tree_write(proc_fd, path, text);
    return pages_there * 4096;
}

/* The allowance is that of one second, without what was taken since it was full. */
static void follow_anything(void)
{
    const int64_t second_bytes = between(1, 8) * MIB;
    struct memory *memory = begin(1, two_nodes, second_bytes);
    double allowed_bytes = (double)second_bytes;
    int64_t now_ns = 0;

    for (int i = 1; i <= 50; i++) {
        const int64_t away_bytes = put_anywhere(100);
        const int64_t passed_ns = below(3) * below((one_in(5) ? 3000 : 300) * NSEC_PER_MSEC);
        const double earned_bytes = (double)second_bytes * (double)passed_ns / (double)NSEC_PER_SEC;
        const double needed_bytes = (double)min_i64(away_bytes, second_bytes);
        now_ns += passed_ns;
        const int error = memory_follow(memory, 100, 0, now_ns);
        /* Rounding may lose one byte at each look. */
        const double spare_bytes = allowed_bytes + earned_bytes - needed_bytes;
        ALWAYS(error ? error == -EAGAIN && spare_bytes < i : !away_bytes || spare_bytes > -i);
        allowed_bytes = fmin(allowed_bytes + earned_bytes, (double)second_bytes);
        allowed_bytes -= error ? 0 : (double)away_bytes;
    }
    ALWAYS(memory_follow(memory, 999, 0, now_ns) == -ESRCH);
    finish(memory);
}

START_TEST(what_follows_is_what_was_allowed)
{
    live_with_seeds(50, follow_anything);
}

SUITE("memory")
