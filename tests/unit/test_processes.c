/* SPDX-License-Identifier: BSD-3-Clause */
/* Which processes a job still has: PIDs are used again, and a process that has ended may still
 * wait for its parent. What may be known of a process, and what if no file can be opened. */
#include "tests/lib/live.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#include "juggled/care/processes.h"
#include "juggled/talk/credentials.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int proc_fd;
static const char *unopened; /* for files of this name none is free */

int openat(int folder_fd, const char *path, int flags, ...)
{
    va_list arguments;
    int mode = 0;

    va_start(arguments, flags);
    if (flags & O_CREAT)
        mode = va_arg(arguments, int);
    va_end(arguments);
    if (!unopened || !strstr(path, unopened))
        return (int)syscall(SYS_openat, folder_fd, path, flags, mode);
    errno = EMFILE;
    return -1;
}

static struct process identify(pid_t pid)
{
    struct process process;

    ck_assert_int_eq(process_identify(proc_fd, pid, &process), 0);
    return process;
}

/* Until a parent has waited for it, its PID is still its own. */
static void kill_unwaited(pid_t pid)
{
    siginfo_t info;

    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
}

START_TEST(who_has_ended_makes_room)
{
    const pid_t pid = child_start(live_forever, NULL);
    struct processes processes = {0};
    struct process earlier, process;

    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    process = earlier = identify(pid);
    earlier.start_ticks--;
    ck_assert_int_eq(processes_add(&processes, &process), 0);
    while (processes.count < PROCESSES_MAX)
        ck_assert_int_eq(processes_add(&processes, &earlier), 0);
    ck_assert_int_eq(processes_add(&processes, &process), -ENOSPC);
    processes_prune(&processes, proc_fd);
    ck_assert_int_eq(processes.count, 1);
    ck_assert_uint_eq(processes.list[0].start_ticks, process.start_ticks);
    child_end(pid);
    close(proc_fd);
}

START_TEST(a_number_that_came_again_is_not_known)
{
    const pid_t pid = child_start(live_forever, NULL);
    struct processes processes = {0};
    struct process process;

    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    process = identify(pid);
    ck_assert_int_eq(processes_add(&processes, &process), 0);
    processes_prune(&processes, proc_fd);
    ck_assert_ptr_nonnull(processes_find(&processes, &process));
    processes.list[0].start_ticks--;
    processes_prune(&processes, proc_fd);
    ck_assert_ptr_null(processes_find(&processes, &process));
    child_end(pid);
    close(proc_fd);
}

START_TEST(who_has_ended_is_gone_before_its_parent_has_waited)
{
    const pid_t pids[] = {child_start(live_forever, NULL), child_start(live_forever, NULL)};
    struct processes processes = {0};
    int pidfds[PROCESSES_MAX];

    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    for (int i = 0; i < 2; i++) {
        const struct process process = identify(pids[i]);
        ck_assert_int_eq(processes_add(&processes, &process), 0);
    }
    /* One thread each; sanitizers add threads. */
    ck_assert_int_ge(processes_threads(&processes, proc_fd), 2);
    ck_assert_int_eq(processes_open(&processes, proc_fd, pidfds), 2);
    kill_unwaited(pids[0]);
    ck_assert(!processes_close(pidfds, 2));
    ck_assert_int_eq(processes_open(&processes, proc_fd, pidfds), 1);
    ck_assert_int_eq(processes.list[0].pid, pids[1]);
    ck_assert(processes_close(pidfds, 1));
    kill_unwaited(pids[1]);
    processes_prune(&processes, proc_fd);
    ck_assert_int_eq(processes.count, 0);
    child_end(pids[0]);
    child_end(pids[1]);
    close(proc_fd);
}

/* ---- processes of a tree ---- */

enum { OTHER = 3, ALL_CAPABILITIES = 0x1ff };

static void file_write(int tree_fd, pid_t pid, const char *file, const char *text)
{
    char path[64];

    snprintf(path, sizeof(path), "%d/%s", (int)pid, file);
    tree_write(tree_fd, path, text);
}

static int capabilities_of(int tree_fd, uint64_t *capabilities)
{
    const struct process process = {.pid = OTHER, .permitted = ALL_CAPABILITIES};

    *capabilities = 1;
    return process_capabilities(tree_fd, &process, capabilities);
}

START_TEST(capabilities_count_in_our_own_user_namespace)
{
    const int tree_fd = tree_create();
    uint64_t capabilities;

    /* A kernel without user namespaces. */
    ck_assert_int_eq(capabilities_of(tree_fd, &capabilities), 0);
    ck_assert_uint_eq(capabilities, ALL_CAPABILITIES);
    file_write(tree_fd, getpid(), "uid_map", "0 0 4294967295\n");
    ck_assert_int_eq(capabilities_of(tree_fd, &capabilities), -ESRCH);
    file_write(tree_fd, OTHER, "uid_map", "0 1000 1\n");
    ck_assert_int_eq(capabilities_of(tree_fd, &capabilities), 0);
    ck_assert_uint_eq(capabilities, 0);
    file_write(tree_fd, OTHER, "uid_map", "0 0 4294967295\n");
    ck_assert_int_eq(capabilities_of(tree_fd, &capabilities), 0);
    ck_assert_uint_eq(capabilities, ALL_CAPABILITIES);
    unopened = "uid_map";
    const int error = capabilities_of(tree_fd, &capabilities);
    unopened = NULL;
    ck_assert_int_eq(error, -EMFILE);
    tree_remove(tree_fd, ".");
}

START_TEST(who_connects_and_cannot_be_examined_has_no_capabilities)
{
    static const char *const files[] = {"stat", "status", "uid_map"};
    const bool able = geteuid() == 0; /* the last file is only read of who has a capability */
    struct credentials peer;
    int ends[2];

    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    for (int i = 0; i < (able ? 3 : 2); i++) {
        unopened = files[i];
        const int error = credentials_read(ends[0], proc_fd, (gid_t)-1, &peer);
        unopened = NULL;
        ck_assert_int_eq(error, 0);
        ck_assert_int_eq(peer.unknown, -EMFILE);
        ck_assert_uint_eq(peer.capabilities, 0);
        ck_assert_int_eq(peer.process.pid, 0);
        ck_assert_uint_eq(peer.uid, geteuid());
    }
    ck_assert_int_eq(credentials_read(ends[0], proc_fd, (gid_t)-1, &peer), 0);
    ck_assert_int_eq(peer.unknown, 0);
    ck_assert_int_eq(peer.process.pid, getpid());
    ck_assert_uint_eq(peer.capabilities, peer.process.permitted);
    close(ends[0]);
    close(ends[1]);
    close(proc_fd);
}

/* Otherwise a rule with a control group would not match it. */
START_TEST(whose_control_group_cannot_be_read_now_is_not_described)
{
    struct process_description description;
    struct process process;

    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    process = identify(getpid());
    ck_assert_int_eq(process_describe(proc_fd, &process, &description), 0);
    unopened = "cgroup";
    const int error = process_describe(proc_fd, &process, &description);
    unopened = NULL;
    ck_assert_int_eq(error, -EMFILE);
    close(proc_fd);
}

enum { OF_THE_KERNEL = 0x00200000, FORKED = 0x40 };

static void stat_write(int tree_fd, pid_t pid, pid_t parent, unsigned flags)
{
    char path[64], stat[128];

    snprintf(path, sizeof(path), "%d/task/%d/stat", (int)pid, (int)pid);
    snprintf(stat, sizeof(stat), "%d (a) S %d 1 1 0 -1 %u 0 0 0 0 0 0 0 0 20 0 1 0 100 0 0 0",
             (int)pid, (int)parent, flags);
    tree_write(tree_fd, path, stat);
}

static void status_write(int tree_fd, pid_t pid, const char *status)
{
    char path[64];

    snprintf(path, sizeof(path), "%d/task/%d/status", (int)pid, (int)pid);
    tree_write(tree_fd, path, status);
}

static const char *reserved_why(int tree_fd, pid_t pid, pid_t parent, unsigned flags)
{
    struct process process;
    char status[128];

    snprintf(status, sizeof(status), "Name:\ta\nTgid:\t%d\nUid:\t5\t5\t5\t5\nGid:\t5\t5\t5\t5\n",
             (int)pid);
    status_write(tree_fd, pid, status);
    stat_write(tree_fd, pid, parent, flags);
    ck_assert_int_eq(process_identify(tree_fd, pid, &process), 0);
    return process.reserved;
}

/* In a PID namespace, such as a container's, any program may have PID 2 and have children. */
START_TEST(the_kernels_own_are_told_by_their_flag_and_not_by_their_number)
{
    const int tree_fd = tree_create();

    ck_assert_ptr_nonnull(reserved_why(tree_fd, 2, 0, OF_THE_KERNEL | FORKED));
    ck_assert_ptr_nonnull(reserved_why(tree_fd, 9, 2, OF_THE_KERNEL | FORKED));
    ck_assert_ptr_null(reserved_why(tree_fd, 2, 1, FORKED));
    ck_assert_ptr_null(reserved_why(tree_fd, 3, 2, FORKED));
    ck_assert_ptr_nonnull(reserved_why(tree_fd, getpid(), 1, FORKED));
    tree_remove(tree_fd, ".");
}

/* The line of the groups comes before that of the capabilities, and may have 720 KB. */
START_TEST(who_has_many_groups_has_its_capabilities)
{
    enum { GROUPS = 65536, SIZE = GROUPS * 8 + 256 };
    const int tree_fd = tree_create();
    char *status = malloc(SIZE), *end = status;
    struct process process;

    ck_assert_ptr_nonnull(status);
    end = stpcpy(end, "Name:\ta\nTgid:\t3\nUid:\t5\t5\t5\t5\nGid:\t5\t5\t5\t5\nGroups:\t");
    for (int i = 0; i < GROUPS; i++)
        end = stpcpy(end, "100000 ");
    strcpy(end, "\nCapPrm:\t00000000000001ff\n");
    stat_write(tree_fd, OTHER, 1, FORKED);
    status_write(tree_fd, OTHER, status);
    ck_assert_int_eq(process_identify(tree_fd, OTHER, &process), 0);
    ck_assert_uint_eq(process.permitted, ALL_CAPABILITIES);
    free(status);
    tree_remove(tree_fd, ".");
}

static void *thread_examine(void *context)
{
    const struct thread_id own = id_of(getpid(), gettid());
    struct process process = {.pid = own.tid, .start_ticks = own.start_ticks};
    int *errors = context, pidfd;

    errors[0] = process_open(proc_fd, &process, &pidfd);
    errors[1] = process_identify(proc_fd, own.tid, &process);
    return NULL;
}

/* The id of a process that has ended may become that of a thread. */
START_TEST(a_thread_is_no_process)
{
    int errors[2] = {0};
    pthread_t thread;

    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, thread_examine, errors), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(errors[0], -ESRCH);
    ck_assert_int_eq(errors[1], -ESRCH);
    close(proc_fd);
}

SUITE("processes")
