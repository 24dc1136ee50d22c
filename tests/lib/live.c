/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/live.h"

#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/procfs.h"

#include <check.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, AWAIT_STEP_US = 1000, AWAIT_STEPS_MAX = 60000 };

pid_t child_start(void (*live)(void *context), void *context)
{
    pid_t pid = fork();

    ck_assert_int_ge(pid, 0);
    if (pid > 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    live(context);
    _exit(EXIT_SUCCESS);
}

void child_end(pid_t pid)
{
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

void child_expect_success(pid_t pid)
{
    int status;

    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}

void live_forever(void *context)
{
    (void)context;
    for (;;)
        pause();
}

void work_for(int64_t cpu_ns)
{
    int64_t end_ns = clock_spent_ns() + cpu_ns;

    while (clock_spent_ns() < end_ns)
        continue;
}

void await(bool (*is_so)(void *context), void *context)
{
    for (int step = 0; step < AWAIT_STEPS_MAX; step++) {
        if (is_so(context))
            return;
        usleep(AWAIT_STEP_US);
    }
    ck_abort_msg("it never came to be");
}

struct thread_id id_of(pid_t pid, pid_t tid)
{
    struct thread_stat stat;
    int proc_fd;

    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(procfs_stat_read(proc_fd, pid, tid, &stat), 0);
    close(proc_fd);
    return (struct thread_id){.pid = pid, .tid = tid, .start_ticks = stat.start_ticks};
}

bool become_nobody(void)
{
    if (geteuid() != 0)
        return false;
    ck_assert_int_eq(setgroups(0, NULL), 0);
    ck_assert_int_eq(setresgid(NOBODY, NOBODY, NOBODY), 0);
    ck_assert_int_eq(setresuid(NOBODY, NOBODY, NOBODY), 0);
    /* The kernel makes a process that changed its user undumpable, which closes its /proc files
     * to other processes and to itself: make it dumpable again. */
    prctl(PR_SET_DUMPABLE, 1);
    return true;
}
