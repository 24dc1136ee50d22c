/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define REST " 1 1 0 -1 64 9 0 8 0 12 30 0 0 20 0 4 0 327621 221118464 5176 184467"

START_TEST(a_stat_line_is_read)
{
    struct thread_stat stat;

    ck_assert_int_eq(procfs_stat_parse("20358 (mpirun) S 20355" REST, &stat), 0);
    ck_assert_int_eq(stat.tid, 20358);
    ck_assert_int_eq(stat.parent, 20355);
    ck_assert_int_eq(stat.state, 'S');
    ck_assert_str_eq(stat.comm.untrusted, "mpirun");
    ck_assert_uint_eq(stat.start_ticks, 327621);
    ck_assert_int_eq(stat.run_ns, 42 * (NSEC_PER_SEC / sysconf(_SC_CLK_TCK)));
}

START_TEST(threads_of_the_kernel_are_known_by_a_flag)
{
    struct thread_stat stat;

    ck_assert_int_eq(procfs_stat_parse("20358 (mpirun) S 20355" REST, &stat), 0);
    ck_assert(!stat.kernel);
    ck_assert_int_eq(procfs_stat_parse("2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 1 0 0 20 0 1 0 "
                                       "5 0 0 18446744073709551615",
                                       &stat),
                     0);
    ck_assert(stat.kernel);
    ck_assert(!stat.immovable);
}

START_TEST(a_comm_may_hold_anything)
{
    static const char *const comms[] = {"a b", "(sd-pam)", ") R 1 (",        "))",
                                        "",    "\n",       "fifteen letters"};
    char line[256];
    struct thread_stat stat;

    for (size_t i = 0; i < ARRAY_COUNT(comms); i++) {
        snprintf(line, sizeof(line), "7 (%s) R 3" REST, comms[i]);
        ck_assert_int_eq(procfs_stat_parse(line, &stat), 0);
        ck_assert_str_eq(stat.comm.untrusted, comms[i]);
        ck_assert_int_eq(stat.parent, 3);
    }
    ck_assert_int_eq(procfs_stat_parse("7 (longer than the kernel has) R 3" REST, &stat), 0);
    ck_assert_str_eq(stat.comm.untrusted, "longer than the");
}

#define REST_TO_CPU REST " 0 0 0 0 0 0 0 0 0 0 0 0 17 "

START_TEST(a_brief_stat_tells_state_and_processor)
{
    char state = 0;
    int cpu = -5;

    ck_assert_int_eq(procfs_stat_brief("7 (a) R (b)) S 3" REST_TO_CPU "11 0 0", &state, &cpu), 0);
    ck_assert_int_eq(state, 'S');
    ck_assert_int_eq(cpu, 11);
    ck_assert_int_eq(procfs_stat_brief("7 (a) R 3" REST, &state, &cpu), -EBADMSG);
    ck_assert_int_eq(procfs_stat_brief("7", &state, &cpu), -EBADMSG);
    ck_assert_int_eq(cpu, 11);
}

START_TEST(what_is_cut_short_is_refused)
{
    static const char *const wrong[] = {
        "",      "7",      "7 (x",    ("7 x) R 3" REST),
        "7 (x)", "7 (x) ", "7 (x) R", "7 (x) R 3 1 1 0 -1 64 9 0 8 0 12 30"};
    struct thread_stat stat = {.tid = -5};

    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++)
        ck_assert_msg(procfs_stat_parse(wrong[i], &stat) == -EBADMSG, "'%s' was taken", wrong[i]);
    ck_assert_int_eq(stat.tid, -5);
}

START_TEST(a_schedstat_line_is_read)
{
    struct thread_schedstat schedstat = {.run_ns = -5};

    ck_assert_int_eq(procfs_schedstat_parse("", &schedstat), -EBADMSG);
    ck_assert_int_eq(procfs_schedstat_parse("1 2\n", &schedstat), -EBADMSG);
    ck_assert_int_eq(schedstat.run_ns, -5);
    ck_assert_int_eq(procfs_schedstat_parse("816266004 3044752836 8505\n", &schedstat), 0);
    ck_assert_int_eq(schedstat.run_ns, 816266004);
    ck_assert_int_eq(schedstat.wait_ns, 3044752836);
    ck_assert_int_eq(schedstat.slices_count, 8505);
}

START_TEST(the_absent_and_the_replaced_are_dead)
{
    int proc_fd = tree_unpack("tests/data/proc/openmpi");
    struct thread_id id = {.pid = 20357, .tid = 20358, .start_ticks = 327621};
    struct thread_schedstat schedstat;
    struct thread_stat stat;

    ck_assert(procfs_thread_alive(proc_fd, &id));
    id.start_ticks++;
    ck_assert(!procfs_thread_alive(proc_fd, &id));
    ck_assert_int_eq(procfs_stat_read(proc_fd, 20357, 99, &stat), -ESRCH);
    ck_assert_int_eq(procfs_schedstat_read(proc_fd, 99, 99, &schedstat), -ESRCH);
    tree_remove(proc_fd, ".");
}

SUITE("procfs")
