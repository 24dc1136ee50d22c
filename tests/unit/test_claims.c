/* SPDX-License-Identifier: BSD-3-Clause */
/* Claims on living processes, because the kernel's locks cannot be simulated. */
#include "tests/lib/live.h"
#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"

#include "cli/foreign.h"
#include "libjuggle/linux/claims.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MARK = 11, OTHER_MARK = 12, LOCKS_LOOKED_AT = 8192 };

static int proc_fd;

static struct claims *claims_create_checked(int mark, struct claims_family *family)
{
    struct claims *claims;

    ck_assert_int_eq(claims_create(proc_fd, mark, family, &claims), 0);
    return claims;
}

static struct claims *claims_of(int mark)
{
    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    return claims_create_checked(mark, NULL);
}

/* Creates the claims of a process that has no other claims. */
static struct claims *claims_within(struct claims_family *family, int mark)
{
    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    return claims_create_checked(mark, family);
}

/* Another user sets the lock that says that the process is balanced, and keeps it. */
static void lock_as_other_user(void *context)
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
    /* It was taken twice, so dropping it once is not enough. */
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

/* A balancer in another process: it stops if it could take the claim, and exits if it could not. */
static void claims_elsewhere(void *context)
{
    const pid_t *pid = context;
    struct claim other;

    if (claims_take(claims_of(OTHER_MARK), *pid, &other) == 0)
        raise(SIGSTOP);
    _exit(EXIT_SUCCESS);
}

/* The other balancer gives up at once; if it could take the claim, it would stop. */
static void elsewhere_refused_check(pid_t pid)
{
    pid_t context = pid;
    const pid_t balancer = child_start(claims_elsewhere, &context);
    int status;

    ck_assert_int_eq(waitpid(balancer, &status, 0), balancer);
    ck_assert(WIFEXITED(status));
}

static void killed_check(struct claims *claims)
{
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

START_TEST(who_is_killed_claims_nothing_any_more)
{
    struct claims_family family = {0};

    killed_check(claims_of(MARK));
    killed_check(claims_within(&family, MARK));
}

/* The claims stay while the family looks at other processes and at descendants of a claimed one. */
START_TEST(a_family_keeps_what_it_has_claimed)
{
    struct claims_family family = {0};
    struct claims *claims = claims_within(&family, MARK);
    const pid_t pid = child_start(live_forever, NULL);
    struct claim other;

    ck_assert_int_eq(claims_take(claims, getpid(), &other), 0);
    ck_assert_int_eq(claims_take(claims, pid, &other), 0);
    claims_drop(claims, pid);
    ck_assert_int_eq(claims_take(claims, pid, &other), 0);
    elsewhere_refused_check(pid);
    claims_drop(claims, pid);
    elsewhere_refused_check(pid); /* it descends from this process */
    child_end(pid);
    claims_destroy(claims);
}

START_TEST(two_of_a_family_exclude_each_other)
{
    struct claims_family family = {0};
    struct claims *first = claims_within(&family, MARK);
    struct claims *second = claims_create_checked(OTHER_MARK, &family);
    const pid_t pid = child_start(live_forever, NULL);
    struct claim other;

    ck_assert_int_eq(claims_take(first, pid, &other), 0);
    ck_assert_int_eq(claims_take(second, pid, &other), -EBUSY);
    ck_assert_int_eq(other.holder, getpid());
    elsewhere_refused_check(pid);
    claims_destroy(first);
    ck_assert_int_eq(claims_take(second, pid, &other), 0);
    elsewhere_refused_check(pid);
    child_end(pid);
    claims_destroy(second);
    ck_assert_ptr_null(family.first);
}

/* Makes a directory with these processes and a table of locks, in which the holder of a lock on
 * one's file is named behind others. */
static int forged_proc(const char *directory, pid_t pid, pid_t holder, int others_count)
{
    char path[64], target[80];
    struct stat bearer, root;

    const int fd = open(directory, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%d", (int)(i ? holder : pid));
        snprintf(target, sizeof(target), "/proc/%s", path);
        ck_assert_int_eq(symlinkat(target, fd, path), 0);
    }
    snprintf(path, sizeof(path), "%d/limits", (int)pid);
    ck_assert_int_eq(fstatat(fd, path, &bearer, 0), 0);
    ck_assert_int_eq(fstat(fd, &root), 0);
    FILE *table = fdopen(openat(fd, "locks", O_WRONLY | O_CREAT, 0600), "w");
    ck_assert_ptr_nonnull(table);
    for (int i = 0; i < others_count; i++)
        fputs("1: FLOCK  ADVISORY  WRITE 7 00:15:4 0 EOF\n", table);
    fprintf(table, "1: POSIX  ADVISORY  READ %d %02x:%02x:%lu 77 77\n", (int)holder,
            major(root.st_dev), minor(root.st_dev), (unsigned long)bearer.st_ino);
    fclose(table);
    return fd;
}

struct tally {
    pid_t holder;
    int count;
};

/* Counts only this holder's claims, because other programs may balance on this machine. */
static void count(void *context, const struct claim *claim)
{
    struct tally *tally = context;

    tally->count += claim->holder == tally->holder;
}

static void table_check(int others_count, int expected)
{
    const pid_t pid = child_start(live_forever, NULL), holder = child_start(live_forever, NULL);
    struct claims_family family = {0};
    char directory[64];
    struct claim other;

    scratch_folder(directory, sizeof(directory));
    proc_fd = forged_proc(directory, pid, holder, others_count);
    struct claims *reading = claims_create_checked(MARK, NULL);
    struct claims *asking = claims_create_checked(OTHER_MARK, &family);
    ck_assert_int_eq(claims_take(reading, pid, &other), expected);
    if (expected == -EBUSY)
        ck_assert_int_eq(other.holder, holder);
    claims_destroy(reading);
    ck_assert_int_eq(claims_take(asking, pid, &other), 0);
    claims_destroy(asking);
    struct tally listed = {.holder = holder};
    ck_assert_int_eq(claims_list(proc_fd, count, &listed), 0);
    ck_assert_int_eq(listed.count, 1);
    close(proc_fd);
    scratch_remove(directory);
    child_end(holder);
    child_end(pid);
}

/* Reading the table takes a grace period of the kernel, during which the locks of other
 * processes wait, too. */
START_TEST(a_family_does_not_read_the_table_without_need)
{
    table_check(0, -EBUSY);
}

/* With 100,000 locks of one user it would take seconds. A caller that lists all claims waits for
 * the whole table. */
START_TEST(who_reads_the_table_does_not_read_it_for_long)
{
    table_check(LOCKS_LOOKED_AT - 1, -EBUSY);
    table_check(LOCKS_LOOKED_AT, 0);
}

static void other_user_check(struct claims *claims)
{
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
    const pid_t foreign_pid = child_start(lock_as_other_user, &context);
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

START_TEST(what_another_user_says_does_not_count)
{
    struct claims_family family = {0};

    other_user_check(claims_of(MARK));
    other_user_check(claims_within(&family, MARK));
}

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

SUITE("claims")
