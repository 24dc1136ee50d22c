/* SPDX-License-Identifier: BSD-3-Clause */
/* Claims on living processes: the kernel's locks cannot be played. */
#include "tests/lib/live.h"
#include "tests/lib/suite.h"

#include "cli/foreign.h"
#include "libjuggle/linux/claims.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MARK = 11, OTHER_MARK = 12 };

static int proc_fd;

static struct claims *claims_of(int mark)
{
    struct claims *claims;

    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(claims_create(proc_fd, mark, &claims), 0);
    return claims;
}

/* What the other user has said of the process; for good. */
static void locks_foreign(void *context)
{
    const pid_t *pid = context;
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/limits", (int)*pid);
    if (become_nobody() && fcntl(open(path, O_RDONLY), F_SETLK, &lock) == 0)
        raise(SIGSTOP);
    pause();
}

START_TEST(two_balancers_of_one_process_exclude_each_other)
{
    struct claims *first = claims_of(MARK), *second = claims_of(OTHER_MARK);
    const pid_t pid = child_start(live_forever, NULL);
    struct claim other;
    char text[128];

    ck_assert_int_eq(claims_take(first, pid, &other), 0);
    ck_assert_int_eq(claims_take(first, pid, &other), 0);
    ck_assert_int_eq(claims_take(second, pid, &other), -EBUSY);
    ck_assert_int_eq(other.pid, pid);
    ck_assert_int_eq(other.holder, getpid());
    claim_format(&other, text, sizeof(text));
    ck_assert_ptr_nonnull(strstr(text, "already"));
    /* It was taken twice. */
    claims_drop(first, pid);
    claims_outdate(second);
    ck_assert_int_eq(claims_take(second, pid, &other), -EBUSY);
    claims_drop(first, pid);
    claims_outdate(second);
    ck_assert_int_eq(claims_take(second, pid, &other), 0);
    child_end(pid);
    claims_destroy(second);
    claims_destroy(first);
}
END_TEST

START_TEST(a_claim_covers_what_descends_from_the_process)
{
    struct claims *first = claims_of(MARK), *second = claims_of(OTHER_MARK);
    const pid_t pid = child_start(live_forever, NULL);
    struct claim other;

    ck_assert_int_eq(claims_take(first, getpid(), &other), 0);
    ck_assert_int_eq(claims_take(first, pid, &other), 0);
    claims_drop(first, pid);
    ck_assert_int_eq(claims_take(second, pid, &other), -EBUSY);
    ck_assert_int_eq(other.pid, pid);
    ck_assert_int_eq(other.holder, getpid());
    claims_destroy(first);
    claims_outdate(second);
    ck_assert_int_eq(claims_take(second, pid, &other), 0);
    child_end(pid);
    claims_destroy(second);
}
END_TEST

/* A balancer in another process: it says what came of it, and lives on. */
static void claims_elsewhere(void *context)
{
    const pid_t *pid = context;
    struct claim other;

    if (claims_take(claims_of(OTHER_MARK), *pid, &other) == 0)
        raise(SIGSTOP);
    _exit(EXIT_SUCCESS);
}

START_TEST(who_is_killed_claims_nothing_any_more)
{
    struct claims *claims = claims_of(MARK);
    const pid_t pid = child_start(live_forever, NULL);
    pid_t context = pid;
    const pid_t balancer = child_start(claims_elsewhere, &context);
    struct claim other;
    int status;

    ck_assert_int_eq(waitpid(balancer, &status, WUNTRACED), balancer);
    ck_assert(WIFSTOPPED(status));
    ck_assert_int_eq(claims_take(claims, pid, &other), -EBUSY);
    ck_assert_int_eq(other.holder, balancer);
    child_end(balancer);
    claims_outdate(claims);
    ck_assert_int_eq(claims_take(claims, pid, &other), 0);
    child_end(pid);
    claims_destroy(claims);
}
END_TEST

struct tally {
    pid_t holder;
    int count;
};

/* Others may balance on this machine, too. */
static void count(void *context, const struct claim *claim)
{
    struct tally *tally = context;

    tally->count += claim->holder == tally->holder;
}

START_TEST(what_another_user_says_does_not_count)
{
    struct claims *claims = claims_of(MARK);
    const pid_t pid = child_start(live_forever, NULL);
    pid_t context = pid;
    struct claim other;
    int status;

    if (getuid() != 0) {
        printf("skip: needs root\n");
        child_end(pid);
        claims_destroy(claims);
        return;
    }
    const pid_t foreign_pid = child_start(locks_foreign, &context);
    ck_assert_int_eq(waitpid(foreign_pid, &status, WUNTRACED), foreign_pid);
    ck_assert(WIFSTOPPED(status));
    ck_assert_int_eq(claims_take(claims, pid, &other), 0);
    struct tally foreign = {.holder = foreign_pid}, own = {.holder = getpid()};
    ck_assert_int_eq(claims_list(proc_fd, count, &foreign), 0);
    ck_assert_int_eq(foreign.count, 0);
    ck_assert_int_eq(claims_list(proc_fd, count, &own), 0);
    ck_assert_int_eq(own.count, 1);
    child_end(foreign_pid);
    child_end(pid);
    claims_destroy(claims);
}
END_TEST

START_TEST(names_are_the_kernels_as_foreign_text)
{
    const char name[] = "a\033[31m\nb";
    struct claims *first = claims_of(MARK), *second = claims_of(OTHER_MARK);
    struct claim other;

    prctl(PR_SET_NAME, name);
    ck_assert_int_eq(claims_take(first, getpid(), &other), 0);
    ck_assert_int_eq(claims_take(second, getpid(), &other), -EBUSY);
    ck_assert_str_eq(FOREIGN(other.comm), "a\\x1b[31m\\x0ab");
    ck_assert_str_eq(FOREIGN(other.holder_comm), "a\\x1b[31m\\x0ab");
    claims_destroy(second);
    claims_destroy(first);
}
END_TEST

SUITE("claims", two_balancers_of_one_process_exclude_each_other,
      a_claim_covers_what_descends_from_the_process, who_is_killed_claims_nothing_any_more,
      what_another_user_says_does_not_count, names_are_the_kernels_as_foreign_text)
