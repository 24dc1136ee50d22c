/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/live.h"
#include "tests/lib/suite.h"

#include "libjuggle/linux/priority.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void expect_as_told(const struct priority *priority)
{
    int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
    int niceness = getpriority(PRIO_PROCESS, (id_t)gettid());
    char text[80];

    ck_assert_int_gt(priority_format(priority, text, sizeof(text)), 0);
    if (priority->kind == PRIORITY_FIFO) {
        ck_assert_int_eq(policy, SCHED_FIFO);
        ck_assert_str_eq(text, "SCHED_FIFO 1");
        return;
    }
    ck_assert_int_eq(policy, SCHED_OTHER);
    ck_assert_int_eq(priority->error, -EPERM);
    ck_assert_int_eq(priority->level, niceness);
    ck_assert_ptr_nonnull(strstr(text, "not permitted"));
}

static void expect_ordinary(void *context)
{
    (void)context;
    _exit(sched_getscheduler(0) == SCHED_OTHER && getpriority(PRIO_PROCESS, 0) >= 0 ? 0 : 1);
}

START_TEST(it_says_what_it_got)
{
    struct priority priority;

    priority_raise(&priority);
    expect_as_told(&priority);
}

START_TEST(children_start_as_ordinary_ones)
{
    struct priority priority;
    pid_t pid;

    priority_raise(&priority);
    pid = child_start(expect_ordinary, NULL);
    child_expect_success(pid);
}

/* A real-time program would starve a balancer of a lower priority. */
START_TEST(a_higher_level_is_kept)
{
    const struct sched_param high = {.sched_priority = 7};
    struct sched_param found;
    struct priority priority;

    if (sched_setscheduler(0, SCHED_RR, &high)) {
        printf("skip: real-time priority is not permitted here\n");
        return;
    }
    priority_raise(&priority);
    ck_assert_int_eq(priority.level, 7);
    ck_assert_int_eq(sched_getparam(0, &found), 0);
    ck_assert_int_eq(found.sched_priority, 7);
}

START_TEST(nobody_gets_what_its_limits_leave)
{
    const struct rlimit none = {0, 0}, some = {25, 25};
    struct priority priority;

    if (geteuid() != 0) {
        printf("skip: only root can become nobody\n");
        return;
    }
    ck_assert_int_eq(setrlimit(RLIMIT_RTPRIO, &none), 0);
    if (setrlimit(RLIMIT_NICE, &some) < 0) {
        printf("skip: limits may not be raised here\n");
        return;
    }
    ck_assert(become_nobody());
    priority_raise(&priority);
    ck_assert_int_eq(priority.kind, PRIORITY_NICE);
    ck_assert_int_eq(priority.level, -5);
    expect_as_told(&priority);
}

START_TEST(nobody_may_get_nothing)
{
    const struct rlimit none = {0, 0};
    struct priority priority;

    if (geteuid() != 0) {
        printf("skip: only root can become nobody\n");
        return;
    }
    ck_assert_int_eq(setrlimit(RLIMIT_RTPRIO, &none), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_NICE, &none), 0);
    ck_assert(become_nobody());
    priority_raise(&priority);
    ck_assert_int_eq(priority.kind, PRIORITY_NONE);
    expect_as_told(&priority);
}

SUITE("priority")
