/* SPDX-License-Identifier: BSD-3-Clause */
/* A launcher is killed while its program is pinned; this test watches from outside of both. */
#include "tests/lib/live.h"
#include "tests/lib/refusal.h"
#include "tests/lib/suite.h"

#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/guardian.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS_MAX = 16, FDS_LOOKED_AT = 64, STARTS = 20 };

/* The launcher sends this when its program is pinned. */
struct report {
    pid_t guardian;
    pid_t deputy;
    pid_t program;
    pid_t newborn; /* a thread of the program that the launcher does not know */
};

struct launcher {
    bool ends_well;
    bool wrong_start; /* its table names a thread that had the TID before */
    bool has_holder;  /* has a child that was forked with all descriptors open */
    bool has_no_input;
    int report[2];
    pid_t pid;
};

static struct cpu_mask given, narrow;

static void *newborn_live(void *context)
{
    const int *told = context;
    pid_t tid = gettid();

    if (write(*told, &tid, sizeof(tid)) == sizeof(tid))
        live_forever(NULL);
    return NULL;
}

/* It is pinned from outside, then creates a thread, which is born with the pin. */
static void program_live(int start, int told)
{
    pthread_t thread;
    char unused;

    prctl(PR_SET_PDEATHSIG, 0);
    if (read(start, &unused, 1) == 1)
        pthread_create(&thread, NULL, newborn_live, &told);
    live_forever(NULL);
}

static int started(int proc_fd, struct guardian **guardian)
{
    bool renewed;
    int error = guardian_create(0, proc_fd, THREADS_MAX, guardian);

    return error ? error : guardian_renew(*guardian, &renewed);
}

static void launcher_live(void *context)
{
    const struct launcher *launcher = context;
    struct report report;
    struct guardian *guardian;
    int proc_fd, start[2], told[2];

    if (launcher->has_no_input)
        close(STDIN_FILENO);
    if (procfs_open(&proc_fd) || started(proc_fd, &guardian) || pipe(start) || pipe(told))
        _exit(EXIT_FAILURE);
    struct debts *debts = guardian_debts(guardian);
    report.guardian = guardian_pid(guardian);
    report.deputy = guardian_deputy_pid(guardian);
    report.program = fork();
    if (report.program == 0) {
        guardian_abandon(guardian);
        program_live(start[0], told[1]);
    }
    if (launcher->has_holder && fork() == 0)
        live_forever(NULL);
    struct thread_id id = id_of(report.program, report.program);
    id.start_ticks += launcher->wrong_start;
    if (debts_add_pin_masks(debts, &given, 1) || debts_keep(debts, 7, &id, &given))
        _exit(EXIT_FAILURE);
    debts_note_pin(debts, 7);
    if (affinity_set(report.program, &narrow) || write(start[1], "", 1) != 1 ||
        read(told[0], &report.newborn, sizeof(pid_t)) != sizeof(pid_t) ||
        write(launcher->report[1], &report, sizeof(report)) != sizeof(report))
        _exit(EXIT_FAILURE);
    if (!launcher->ends_well)
        live_forever(NULL);
    debts_forget(debts, 7);
    guardian_stop(guardian);
}

/* Returns false, and prints why, if no mask can be narrower than the given one. */
static bool launch(struct launcher *launcher, struct report *report)
{
    ck_assert_int_eq(affinity_get(0, &given), 0);
    cpu_mask_clear(&narrow);
    cpu_mask_add(&narrow, cpu_mask_next(&given, -1));
    if (cpu_mask_count(&given) < 2) {
        printf("skip: masks need two processors\n");
        return false;
    }
    /* Processes that the launcher leaves behind become children of this one. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    ck_assert_int_eq(pipe(launcher->report), 0);
    launcher->pid = child_start(launcher_live, launcher);
    ck_assert_int_eq(read(launcher->report[0], report, sizeof(*report)), sizeof(*report));
    return true;
}

static bool runs_on(pid_t tid, const struct cpu_mask *expected)
{
    struct cpu_mask mask;

    ck_assert_int_eq(affinity_get(tid, &mask), 0);
    return cpu_mask_equal(&mask, expected);
}

static void expect_clean_exit(pid_t pid)
{
    int status;

    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS);
}

static void end_all(pid_t program)
{
    kill(program, SIGKILL);
    ck_assert_int_eq(waitpid(program, NULL, 0), program);
}

START_TEST(a_killed_launcher_leaves_no_pins)
{
    struct launcher launcher = {0};
    struct report report;

    if (!launch(&launcher, &report))
        return;
    ck_assert(runs_on(report.program, &narrow));
    ck_assert(runs_on(report.newborn, &narrow));
    child_end(launcher.pid);
    expect_clean_exit(report.guardian);
    ck_assert(runs_on(report.program, &given));
    ck_assert(runs_on(report.newborn, &given));
    end_all(report.program);
}

/* No process that the launcher knew is left. */
START_TEST(a_deputy_restores_when_both_are_killed)
{
    struct launcher launcher = {0};
    struct report report;

    if (!launch(&launcher, &report))
        return;
    ck_assert(runs_on(report.newborn, &narrow));
    ck_assert_int_eq(kill(report.guardian, SIGKILL), 0);
    child_end(launcher.pid);
    /* The deputy becomes a child of this process when the guardian is gone. */
    ck_assert_int_eq(waitpid(report.guardian, NULL, 0), report.guardian);
    expect_clean_exit(report.deputy);
    ck_assert(runs_on(report.program, &given));
    ck_assert(runs_on(report.newborn, &given));
    end_all(report.program);
}

/* Kills the launcher, and checks the program's mask. */
static void expect_in_the_end(struct launcher launcher, const struct cpu_mask *mask)
{
    struct report report;

    if (!launch(&launcher, &report))
        return;
    child_end(launcher.pid);
    expect_clean_exit(report.guardian);
    ck_assert(runs_on(report.program, mask));
    end_all(report.program);
}

START_TEST(a_child_that_holds_all_open_does_not_matter)
{
    expect_in_the_end((struct launcher){.has_holder = true}, &given);
}

/* If the standard input was closed, /proc gets its number. */
START_TEST(what_it_keeps_may_have_the_number_of_a_standard_stream)
{
    expect_in_the_end((struct launcher){.has_no_input = true}, &given);
}

START_TEST(one_that_ends_well_is_not_followed_up)
{
    struct launcher launcher = {.ends_well = true};
    struct report report;

    if (!launch(&launcher, &report))
        return;
    expect_clean_exit(launcher.pid);
    /* The launcher has waited for the guardian, which did nothing. */
    ck_assert_int_eq(waitpid(report.guardian, NULL, 0), -1);
    ck_assert(runs_on(report.program, &narrow));
    end_all(report.program);
}

START_TEST(another_thread_with_the_number_is_not_touched)
{
    expect_in_the_end((struct launcher){.wrong_start = true}, &narrow);
}

static bool leads_its_group(void *context)
{
    const pid_t *pid = context;

    return getpgid(*pid) == *pid;
}

START_TEST(signals_to_the_terminal_pass_it_by)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE, SIGUSR1};
    struct launcher launcher = {0};
    struct report report;

    if (!launch(&launcher, &report))
        return;
    for (size_t i = 0; i < ARRAY_COUNT(signals); i++)
        ck_assert_int_eq(kill(report.guardian, signals[i]), 0);
    await(leads_its_group, &report.guardian);
    child_end(launcher.pid);
    expect_clean_exit(report.guardian);
    ck_assert(runs_on(report.program, &given));
    end_all(report.program);
}

static void expect_no_pipe_held(void)
{
    struct pollfd watched = {.events = POLLIN};
    struct guardian *guardian;
    int proc_fd, ends[2];

    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(started(proc_fd, &guardian), 0);
    close(ends[1]);
    /* End of file: no process holds the other end any more, and there is no process to wait for. */
    watched.fd = ends[0];
    ck_assert_int_eq(poll(&watched, 1, 0), 1);
    guardian_stop(guardian);
    ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
}

START_TEST(it_holds_nobodys_pipe_open_from_the_start)
{
    for (int i = 0; i < STARTS; i++)
        expect_no_pipe_held();
    refuse_call(SYS_close_range, EPERM);
    for (int i = 0; i < STARTS; i++)
        expect_no_pipe_held();
}

/* As in a root directory that has only what the program needs. */
START_TEST(it_holds_no_standard_stream_open_without_dev_null)
{
    struct pollfd watched = {.events = POLLIN};
    struct guardian *guardian;
    int proc_fd, ends[2];

    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[1], STDIN_FILENO), STDIN_FILENO);
    close(ends[1]);
    refuse_call(SYS_openat, ENOENT);
    ck_assert_int_eq(started(proc_fd, &guardian), 0);
    close(STDIN_FILENO);
    watched.fd = ends[0];
    ck_assert_int_eq(poll(&watched, 1, 0), 1);
    guardian_stop(guardian);
}

START_TEST(it_ends_though_somebody_has_stopped_it)
{
    struct guardian *guardian;
    int proc_fd, status;

    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(started(proc_fd, &guardian), 0);
    const pid_t pid = guardian_pid(guardian);
    ck_assert_int_eq(kill(pid, SIGSTOP), 0);
    ck_assert_int_eq(waitpid(pid, &status, WUNTRACED), pid);
    ck_assert(WIFSTOPPED(status));
    guardian_stop(guardian);
    ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
}

static pid_t holder_pid;

/* Forks once, because the guardian forks, too. */
static void holder_fork(void)
{
    if (holder_pid)
        return;
    holder_pid = _Fork();
    if (holder_pid)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    live_forever(NULL);
}

/* Another thread of the program may fork at any time. */
START_TEST(it_starts_while_others_fork)
{
    struct guardian *guardian;
    int proc_fd;

    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(pthread_atfork(holder_fork, NULL, NULL), 0);
    ck_assert_int_eq(started(proc_fd, &guardian), 0);
    child_end(holder_pid);
    guardian_stop(guardian);
}

/* A user may kill the guardian: the process that then waits for it lives on. */
START_TEST(leave_may_be_taken_of_one_that_was_killed)
{
    struct guardian *guardian;
    int proc_fd;

    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(started(proc_fd, &guardian), 0);
    ck_assert_int_eq(kill(guardian_deputy_pid(guardian), SIGKILL), 0);
    ck_assert_int_eq(kill(guardian_pid(guardian), SIGKILL), 0);
    ck_assert_int_eq(waitpid(guardian_pid(guardian), NULL, 0), guardian_pid(guardian));
    guardian_stop(guardian);
}

START_TEST(what_executes_does_not_hold_it)
{
    bool was_open[FDS_LOOKED_AT];
    struct guardian *guardian;
    int proc_fd;

    for (int fd = 0; fd < FDS_LOOKED_AT; fd++)
        was_open[fd] = fcntl(fd, F_GETFD) >= 0;
    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(started(proc_fd, &guardian), 0);
    for (int fd = 0; fd < FDS_LOOKED_AT; fd++) {
        int flags = fcntl(fd, F_GETFD);
        ck_assert(was_open[fd] || flags < 0 || (flags & FD_CLOEXEC));
    }
    guardian_stop(guardian);
}

/* A walk that failed has not shown that no thread is pinned. */
START_TEST(walks_that_fail_end_no_restoration)
{
    const pid_t pid = child_start(live_forever, NULL);
    struct restoration *restoration;
    struct mask_table *table;
    struct debts *debts;
    int proc_fd;

    ck_assert_int_eq(affinity_get(0, &given), 0);
    cpu_mask_clear(&narrow);
    cpu_mask_add(&narrow, cpu_mask_next(&given, -1));
    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(mask_table_create(THREADS_MAX, -1, &table), 0);
    ck_assert_int_eq(debts_create(proc_fd, table, &debts), 0);
    ck_assert_int_eq(debts_add_pin_masks(debts, &given, 1), 0);
    struct thread_id id = id_of(pid, pid);
    ck_assert_int_eq(debts_keep(debts, 0, &id, &given), 0);
    mask_table_note_pin(table, MASK_ROWS_PROCESSES, 0, 1);
    debts_forget(debts, 0);
    ck_assert_int_eq(affinity_set(pid, &narrow), 0);
    ck_assert_int_eq(restoration_begin(proc_fd, &table, 1, 2, &restoration), 0);
    const rlim_t before = limit_set(RLIMIT_NOFILE, 0);
    for (int i = 0; i < 3; i++)
        restoration_await(restoration, restoration_next_ns(restoration) + 1);
    restoration_go_on(restoration, INT64_MAX);
    limit_set(RLIMIT_NOFILE, before);
    restoration_await(restoration, INT64_MAX);
    restoration_end(restoration);
    ck_assert(runs_on(pid, &given));
    debts_destroy(debts);
    mask_table_destroy(table);
    child_end(pid);
    close(proc_fd);
}

SUITE("guardian")
