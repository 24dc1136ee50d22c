/* SPDX-License-Identifier: BSD-3-Clause */
/* Discovery on recorded trees of /proc, which change while discovery reads them. */
#include "tests/lib/refusal.h"
#include "tests/lib/rosters.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#include "libjuggle/job/discovery.h"
#include "libjuggle/job/pacing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { THREADS_MAX = 64 };

/* The recordings: a shell starts mpirun; mpirun or its proxy starts three ranks. */
enum {
    OPENMPI_SHELL = 20355,
    OPENMPI_RUN = 20357,
    OPENMPI_RANK = 20362,
    MPICH_SHELL = 20570,
    MPICH_PROXY = 20573,
    MPICH_RANK = 20575,
};

struct heard {
    int arrived_count, exited_count, renamed_count;
    pid_t tid; /* of the thread that changed last */
};

#define RANK_STAT(comm) \
    "20575 (" comm ") R 20573 20575 20574 0 -1 64 9 0 8 0 1 2 0 0 20 0 2 0 328192 1148 1\n"

static struct discovery *discovery;
static struct heard heard;
static int proc_fd;

static void changed(void *context, enum roster_change change, int index,
                    const struct thread_info *info)
{
    struct heard *told = context;

    (void)index;
    told->arrived_count += change == ROSTER_ARRIVED;
    told->exited_count += change == ROSTER_EXITED;
    told->renamed_count += change == ROSTER_RENAMED;
    told->tid = info->id.tid;
}

static int scan(void)
{
    const struct roster_listener listener = {.changed = changed, .context = &heard};

    heard = (struct heard){0};
    return discovery_scan_until(discovery, 0, INT64_MAX, &listener);
}

static void discover(const char *recording, struct discovery_options options)
{
    proc_fd = tree_unpack(recording);
    options.proc_fd = proc_fd;
    options.threads_max = options.threads_max ? options.threads_max : THREADS_MAX;
    ck_assert_int_eq(discovery_create(&options, &discovery), 0);
}

static void launch(const char *recording, pid_t root)
{
    discover(recording, (struct discovery_options){.roots = &root, .roots_count = 1});
}

static void attach(const char *recording, pid_t root)
{
    discover(recording,
             (struct discovery_options){.roots = &root, .roots_count = 1, .roots_included = true});
}

static void finish(void)
{
    discovery_destroy(discovery);
    tree_remove(proc_fd, ".");
}

static bool knows(pid_t tid)
{
    return roster_index(discovery_roster(discovery), tid) >= 0;
}

START_TEST(descent_leads_through_groups_and_sessions)
{
    launch("tests/data/proc/openmpi", OPENMPI_SHELL);
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.arrived_count, 4 + 3 * 3);
    ck_assert(!knows(OPENMPI_SHELL));
    ck_assert(knows(OPENMPI_RANK));
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.arrived_count + heard.exited_count + heard.renamed_count, 0);
    finish();

    launch("tests/data/proc/mpich", MPICH_SHELL);
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.arrived_count, 1 + 1 + 3 * 2);
    ck_assert(knows(MPICH_RANK));
    finish();
}

START_TEST(what_the_files_say_is_handed_on)
{
    const struct thread_info *rank;

    launch("tests/data/proc/openmpi", OPENMPI_SHELL);
    ck_assert_int_eq(scan(), 0);
    rank = roster_thread(discovery_roster(discovery),
                         roster_index(discovery_roster(discovery), OPENMPI_RANK));
    ck_assert_int_eq(rank->id.pid, OPENMPI_RANK);
    ck_assert_uint_eq(rank->id.start_ticks, 327633);
    ck_assert_int_eq(rank->parent, OPENMPI_RUN);
    ck_assert_str_eq(rank->comm.untrusted, "ubench-mpi.open");
    ck_assert(rank->runnable);
    ck_assert_int_eq(rank->run_ns, 659367467);
    ck_assert_int_eq(rank->wait_ns, 3301076790);
    finish();
}

START_TEST(attached_processes_count_themselves)
{
    attach("tests/data/proc/mpich", MPICH_PROXY);
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.arrived_count, 1 + 3 * 2);
    ck_assert(knows(MPICH_PROXY));
    finish();
}

START_TEST(a_root_is_named_once_however_it_is_reached)
{
    const pid_t roots[] = {OPENMPI_RANK, OPENMPI_RUN, OPENMPI_RANK};

    discover("tests/data/proc/openmpi",
             (struct discovery_options){
                 .roots = roots, .roots_count = ARRAY_COUNT(roots), .roots_included = true});
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.arrived_count, 4 + 3 * 3);
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.arrived_count + heard.exited_count, 0);
    finish();
}

START_TEST(the_excluded_stay_out)
{
    launch("tests/data/proc/openmpi", OPENMPI_SHELL);
    ck_assert_int_eq(discovery_exclude(discovery, OPENMPI_RANK), 0);
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.arrived_count, 4 + 2 * 3);
    ck_assert(!knows(OPENMPI_RANK));
    finish();
}

START_TEST(exits_are_told)
{
    launch("tests/data/proc/openmpi", OPENMPI_SHELL);
    ck_assert_int_eq(scan(), 0);
    tree_remove(proc_fd, "20362/task/20366");
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.exited_count, 1);
    ck_assert_int_eq(heard.tid, 20366);
    tree_remove(proc_fd, "20362");
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.exited_count, 2);
    finish();
}

START_TEST(the_dead_that_nobody_waited_for_have_exited)
{
    launch("tests/data/proc/mpich", MPICH_SHELL);
    ck_assert_int_eq(scan(), 0);
    tree_write(
        proc_fd, "20575/task/20575/stat",
        "20575 (ubench-mpi.mpic) Z 20573 20575 20574 0 -1 4194560 1 0 8 0 139 2 0 0 20 0 2 0 "
        "328192 1148 1\n");
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.exited_count, 1);
    /* The other thread of the process lives on. */
    ck_assert(knows(20578));
    finish();
}

/* With the flag PF_NO_SETAFFINITY, which io_uring workers have from Linux 5.12 to 6.2. */
START_TEST(threads_that_nobody_can_move_are_passed_over)
{
    launch("tests/data/proc/openmpi", OPENMPI_SHELL);
    tree_write(proc_fd, "20362/task/20366/stat",
               "20366 (iou-wrk-20362) S 20357 20362 20355 0 -1 71303232 0 0 0 0 0 0 0 0 20 0 3 0 "
               "327640 1148 1\n");
    ck_assert_int_eq(scan(), 0);
    ck_assert(!knows(20366));
    ck_assert_int_eq(heard.arrived_count, 4 + 3 * 3 - 1);
    finish();
}

START_TEST(orphans_stay_ours)
{
    attach("tests/data/proc/openmpi", OPENMPI_RUN);
    ck_assert_int_eq(scan(), 0);
    tree_remove(proc_fd, "20357");
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.exited_count, 4);
    ck_assert(knows(OPENMPI_RANK));
    ck_assert_int_eq(roster_count(discovery_roster(discovery)), 9);
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.exited_count, 0);
    finish();
}

START_TEST(a_number_that_is_used_again_is_not_ours)
{
    attach("tests/data/proc/openmpi", OPENMPI_RUN);
    ck_assert_int_eq(scan(), 0);
    /* mpirun dies, and an unrelated process gets the PID of an orphan. */
    tree_remove(proc_fd, "20357");
    tree_remove(proc_fd, "20362");
    tree_write(proc_fd, "20362/task/20362/stat",
               "20362 (bash) R 1 1 1 0 -1 64 9 0 8 0 12 30 0 0 20 0 1 0 999999 2211 5 1\n");
    ck_assert_int_eq(scan(), 0);
    ck_assert(!knows(20362));
    ck_assert(knows(20361));
    finish();
}

START_TEST(a_root_whose_number_is_used_again_is_not_ours)
{
    attach("tests/data/proc/openmpi", OPENMPI_RANK);
    tree_remove(proc_fd, "20362");
    tree_write(proc_fd, "20362/task/20362/stat",
               "20362 (bash) R 1 1 1 0 -1 64 9 0 8 0 12 30 0 0 20 0 1 0 999999 2211 5 1\n");
    ck_assert_int_eq(scan(), -ESRCH);
    ck_assert_int_eq(heard.arrived_count, 0);
    finish();
}

START_TEST(nothing_left_of_the_attached_is_an_error)
{
    attach("tests/data/proc/openmpi", OPENMPI_RANK);
    ck_assert_int_eq(scan(), 0);
    tree_remove(proc_fd, "20362");
    ck_assert_int_eq(scan(), -ESRCH);
    ck_assert_int_eq(heard.exited_count, 3);
    finish();

    attach("tests/data/proc/openmpi", 1);
    ck_assert_int_eq(scan(), -ESRCH);
    finish();
}

START_TEST(a_renamed_thread_is_told)
{
    launch("tests/data/proc/mpich", MPICH_SHELL);
    ck_assert_int_eq(scan(), 0);
    tree_write(proc_fd, "20573/task/20573/stat",
               "20573 (python3) S 20572 20573 20573 0 -1 4194304 455 0 1 0 0 0 0 0 20 0 1 0 328191 "
               "7385088 1\n");
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.renamed_count, 1);
    ck_assert_int_eq(heard.arrived_count + heard.exited_count, 0);
    finish();
}

START_TEST(without_children_files_parents_are_followed)
{
    static const char *const files[] = {
        "20570/task/20570/children", "20572/task/20572/children", "20573/task/20573/children",
        "20574/task/20574/children", "20574/task/20577/children", "20575/task/20575/children",
        "20575/task/20578/children", "20576/task/20576/children", "20576/task/20579/children",
    };
    const pid_t root = MPICH_SHELL;
    struct discovery_options options = {
        .roots = &root, .roots_count = 1, .threads_max = THREADS_MAX};

    options.proc_fd = proc_fd = tree_unpack("tests/data/proc/mpich");
    for (size_t i = 0; i < ARRAY_COUNT(files); i++)
        tree_remove(proc_fd, files[i]);
    ck_assert_int_eq(discovery_create(&options, &discovery), 0);
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.arrived_count, 1 + 1 + 3 * 2);
    ck_assert(!knows(MPICH_SHELL));
    tree_remove(proc_fd, "20575");
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.exited_count, 2);
    finish();
}

START_TEST(without_schedstat_the_ticks_of_stat_do)
{
    const struct thread_info *rank;

    launch("tests/data/proc/openmpi", OPENMPI_SHELL);
    tree_remove(proc_fd, "20362/task/20362/schedstat");
    ck_assert_int_eq(scan(), 0);
    rank = roster_thread(discovery_roster(discovery),
                         roster_index(discovery_roster(discovery), OPENMPI_RANK));
    ck_assert_int_gt(rank->run_ns, 0);
    ck_assert_int_eq(rank->run_ns % (10 * NSEC_PER_MSEC), 0);
    ck_assert_int_eq(rank->wait_ns, 0);
    finish();
}

START_TEST(those_without_room_are_counted)
{
    const pid_t root = OPENMPI_SHELL;

    discover("tests/data/proc/openmpi",
             (struct discovery_options){.roots = &root, .roots_count = 1, .threads_max = 10});
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.arrived_count, 10);
    ck_assert_int_eq(discovery_overflow(discovery), 3);
    finish();
}

/* Each process has one thread. */
START_TEST(processes_without_room_are_counted)
{
    static const char *const second_threads[] = {"20574/task/20577", "20575/task/20578",
                                                 "20576/task/20579"};
    const pid_t root = MPICH_SHELL;

    discover("tests/data/proc/mpich",
             (struct discovery_options){.roots = &root, .roots_count = 1, .threads_max = 3});
    for (size_t i = 0; i < ARRAY_COUNT(second_threads); i++)
        tree_remove(proc_fd, second_threads[i]);
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.arrived_count, 3);
    ck_assert_int_gt(discovery_overflow(discovery), 0);
    finish();
}

/* Looks once, when a look is due, and returns the interval until the next one. */
static int64_t interval_after_look(int64_t *now_ns)
{
    const struct roster_listener listener = {.changed = changed, .context = &heard};

    ck_assert_int_eq(discovery_scan_until(discovery, *now_ns, INT64_MAX, &listener), 0);
    int64_t interval_ns = discovery_next_ns(discovery) - *now_ns;
    *now_ns = discovery_next_ns(discovery);
    return interval_ns;
}

START_TEST(looks_grow_rarer_until_something_changes)
{
    int64_t now_ns = 0, quiet_ns = 0, changed_ns;
    int attempts_count = 20;

    launch("tests/data/proc/mpich", MPICH_SHELL);
    for (int i = 0; i < 30; i++)
        quiet_ns = interval_after_look(&now_ns);
    ck_assert_int_ge(quiet_ns, 200 * NSEC_PER_MSEC);
    /* A look that was interrupted for long counts as expensive, which makes looks rarer. */
    do {
        tree_write(proc_fd, "20575/task/20575/stat",
                   attempts_count % 2 ? RANK_STAT("a") : RANK_STAT("b"));
        changed_ns = interval_after_look(&now_ns);
    } while (changed_ns >= quiet_ns && --attempts_count > 0);
    ck_assert_int_gt(attempts_count, 0);
    finish();
}

START_TEST(a_check_shows_new_threads_while_they_are_waited_for)
{
    int64_t now_ns = 0;

    launch("tests/data/proc/openmpi", OPENMPI_SHELL);
    for (int i = 0; i < 30; i++)
        interval_after_look(&now_ns);
    discovery_expect_threads(discovery, true);
    interval_after_look(&now_ns);
    /* The next scan would be far away; checks are not. */
    const int64_t check_ns = discovery_next_ns(discovery);
    ck_assert(!discovery_due(discovery, check_ns));
    discovery_check(discovery, check_ns);
    ck_assert(!discovery_due(discovery, check_ns));
    tree_write(proc_fd, "20362/task/99999/stat", "99999 (rank) R 1");
    const int64_t again_ns = discovery_next_ns(discovery);
    discovery_check(discovery, again_ns);
    ck_assert(discovery_due(discovery, again_ns));
    finish();
}

/* Even if a quiet program is looked at rarely, the next look comes as soon as it is asked for.
 * Asking for a later look than is due anyway changes nothing. */
START_TEST(the_next_look_is_within_what_is_asked)
{
    int64_t now_ns = 0;

    launch("tests/data/proc/openmpi", OPENMPI_SHELL);
    for (int i = 0; i < 30; i++)
        interval_after_look(&now_ns);
    const int64_t interval_ns = interval_after_look(&now_ns);
    discovery_scan_within(discovery, 2 * interval_ns);
    ck_assert_int_eq(discovery_next_ns(discovery), now_ns);
    discovery_scan_within(discovery, 50 * NSEC_PER_MSEC);
    ck_assert_int_eq(discovery_next_ns(discovery), now_ns - interval_ns + 50 * NSEC_PER_MSEC);
    finish();
}

/* A look of a millisecond each: they take a tenth of the time until the savings are spent, then
 * a hundredth. */
START_TEST(looks_at_what_always_changes_take_a_hundredth_in_the_long_run)
{
    struct pacing pacing = {0};
    int64_t now_ns = 1;
    int count = 0;

    for (; now_ns < 200 * NSEC_PER_MSEC; count++) {
        pacing_note(&pacing, now_ns, NSEC_PER_MSEC);
        now_ns += pacing_least_ns(&pacing);
    }
    ck_assert_int_eq(count, 20);
    for (; now_ns < 10 * NSEC_PER_SEC; count++) {
        pacing_note(&pacing, now_ns, NSEC_PER_MSEC);
        now_ns += pacing_least_ns(&pacing);
    }
    ck_assert_int_ge(count, 100);
    ck_assert_int_le(count, 125);
    /* After a pause, looks may be frequent again. */
    now_ns += 100 * NSEC_PER_SEC;
    pacing_note(&pacing, now_ns, NSEC_PER_MSEC);
    ck_assert_int_eq(pacing_least_ns(&pacing), 10 * NSEC_PER_MSEC);
}

static void dear_looks(struct pacing *pacing, int64_t now_ns)
{
    for (int i = 0; i < 15; i++) {
        pacing_note(pacing, now_ns, 20 * NSEC_PER_MSEC);
        ck_assert_int_eq(pacing_least_ns(pacing), 200 * NSEC_PER_MSEC);
        now_ns += pacing_least_ns(pacing);
    }
}

/* The first few looks of 20 ms at a large program are not delayed, whether it was large from the
 * beginning or has just created its threads. Time that was spent is not available again when the
 * program grows once more. */
START_TEST(dear_looks_may_be_a_few_at_once)
{
    struct pacing pacing = {0};
    int64_t now_ns = 1;

    dear_looks(&pacing, now_ns);
    pacing = (struct pacing){0};
    for (int i = 0; i < 3; i++) {
        pacing_note(&pacing, now_ns, NSEC_PER_MSEC);
        now_ns += pacing_least_ns(&pacing);
    }
    dear_looks(&pacing, now_ns);
    now_ns += 3 * NSEC_PER_SEC;
    for (int i = 0; i < 7; i++) {
        pacing_note(&pacing, now_ns, NSEC_PER_MSEC);
        now_ns += pacing_least_ns(&pacing);
        pacing_note(&pacing, now_ns, 20 * NSEC_PER_MSEC);
        now_ns += 200 * NSEC_PER_MSEC;
    }
    ck_assert_int_gt(pacing_least_ns(&pacing), NSEC_PER_SEC);
}

/* Scans with no time, so that each piece is one thread, and returns the number of pieces. */
static int pieces(pid_t left, pid_t adopted)
{
    const struct roster_listener listener = {.changed = changed, .context = &heard};
    int count = 1;
    int error;

    heard = (struct heard){0};
    while ((error = discovery_scan_until(discovery, 0, 0, &listener)) == -EAGAIN) {
        ck_assert(discovery_due(discovery, 0));
        ck_assert(discovery_is_looking(discovery));
        ck_assert_int_eq(heard.exited_count, 0);
        if (count++ == 2 && left)
            discovery_disown(discovery, left);
        if (count == 4 && adopted)
            ck_assert_int_eq(discovery_adopt(discovery, adopted), 0);
    }
    ck_assert_int_eq(error, 0);
    return count;
}

START_TEST(a_look_in_pieces_finds_the_same)
{
    const int threads_count = 4 + 3 * 3;

    launch("tests/data/proc/openmpi", OPENMPI_SHELL);
    ck_assert_int_gt(pieces(0, 0), threads_count);
    ck_assert_int_eq(heard.arrived_count, threads_count);
    ck_assert(!discovery_is_looking(discovery));
    ck_assert_int_gt(pieces(0, 0), threads_count);
    ck_assert_int_eq(heard.arrived_count + heard.renamed_count, 0);
    ck_assert_int_eq(roster_count(discovery_roster(discovery)), threads_count);
    finish();
}

START_TEST(between_two_pieces_processes_come_and_go)
{
    attach("tests/data/proc/mpich", MPICH_RANK);
    ck_assert_int_gt(pieces(0, 0), 1);
    ck_assert_int_eq(heard.arrived_count, 2);
    discovery_disown(discovery, MPICH_RANK);
    ck_assert_int_eq(discovery_adopt(discovery, MPICH_PROXY), 0);
    ck_assert_int_gt(pieces(MPICH_RANK, 0), 1 + 2 * 2);
    ck_assert(knows(MPICH_PROXY));
    finish();
}

START_TEST(a_root_that_has_left_may_come_back)
{
    attach("tests/data/proc/mpich", MPICH_RANK);
    ck_assert_int_eq(scan(), 0);
    discovery_disown(discovery, MPICH_RANK);
    ck_assert_int_eq(scan(), -ESRCH);
    ck_assert_int_eq(discovery_adopt(discovery, MPICH_RANK), 0);
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.arrived_count, 2);
    ck_assert(knows(MPICH_RANK));
    finish();
}

/* A temporary failure that affects this scan only. */
START_TEST(without_files_nobody_is_taken_for_dead)
{
    attach("tests/data/proc/mpich", MPICH_PROXY);
    ck_assert_int_eq(scan(), 0);
    const rlim_t before = limit_set(RLIMIT_NOFILE, 0);
    const int error = scan();
    limit_set(RLIMIT_NOFILE, before);
    ck_assert_int_eq(error, -EMFILE);
    ck_assert_int_eq(scan(), 0);
    ck_assert_int_eq(heard.arrived_count + heard.exited_count, 0);
    ck_assert(knows(MPICH_RANK));
    finish();
}

SUITE("discovery")
