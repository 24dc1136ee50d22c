/* SPDX-License-Identifier: BSD-3-Clause */
/* The guardian learns of its parent's death from a pidfd. Without pidfds it learns it from the end
 * of the line, but a child that the parent forked without executing anything may hold the line
 * open. The line is a pair of sockets, not a pipe, because a parent that stops a guardian which was
 * killed must not get SIGPIPE.
 *
 * If tables are not in files, the guardian has a child, the deputy, which waits for the end of
 * parent and guardian and then restores what is owed. If only the guardian is killed, the parent
 * starts another one, with a deputy of its own, and the first deputy exits.
 *
 * The parts, in this order:
 * - how it waits
 * - the deputy
 * - the guardian
 * - the parent's side */
#include "libjuggle/linux/guardian.h"

#include "libjuggle/linux/mask_table.h"
#include "libjuggle/linux/numbers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* How often a deputy whose guardian is dead looks whether there is another one. */
enum { RENEWAL_LOOK_MS = 100 };

struct guardian {
    int proc_fd;
    int line_fd;  /* the parent's end; -1: there is no process */
    bool in_file; /* the table, which another guardian restores */
    pid_t pid;
    struct guardian_duty duty;
    struct mask_table *table; /* shared with the guardian's process */
    struct debts *debts;      /* through which the table is written */
};

/* ---- how it waits ---- */

/* The file descriptors that the guardian keeps of all that its parent had open. */
struct inheritance {
    int proc_fd;
    int line_fd;
    int parent_fd; /* a pidfd; opened by the parent, which may be dead before its child runs */
    int kept_fd;
    int settled_fd;  /* gets a byte once the deputy is known, and is closed then */
    int guardian_fd; /* the deputy's pidfd of the guardian; opened once the rest is closed */
};

enum { KEPT_COUNT = 5 };

static int fd_compare(const void *left, const void *right)
{
    const int *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static bool is_kept(const int kept[KEPT_COUNT], int fd)
{
    for (int i = 0; i < KEPT_COUNT; i++)
        if (kept[i] == fd)
            return true;
    return false;
}

/* Closes all descriptors above the standard ones. For use if a seccomp filter refuses to close them
 * in ranges. */
static void each_close(int proc_fd, const int kept[KEPT_COUNT])
{
    DIR *directory;
    int fd;

    if (numbers_open(proc_fd, "self/fd", &directory))
        return;
    while ((fd = numbers_next(directory)))
        if (fd > STDERR_FILENO && fd != dirfd(directory) && !is_kept(kept, fd))
            close(fd);
    closedir(directory);
}

/* Closes all other descriptors: a pipeline must not wait for us, and a listening socket must not
 * stay open after its owner's death. The standard ones become /dev/null, or are closed where there
 * is none, except for a number that a kept descriptor has, as it may if the program had closed a
 * standard one. */
static void others_close(const struct inheritance *inheritance)
{
    int kept[KEPT_COUNT] = {inheritance->proc_fd, inheritance->line_fd, inheritance->parent_fd,
                            inheritance->kept_fd, inheritance->settled_fd};
    unsigned first = STDERR_FILENO + 1;
    int null = open("/dev/null", O_RDWR);
    bool refused = false;

    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (!is_kept(kept, fd) && dup2(null, fd) < 0)
            close(fd);
    qsort(kept, KEPT_COUNT, sizeof(kept[0]), fd_compare);
    for (int i = 0; i < KEPT_COUNT; i++) {
        if (kept[i] > (int)first)
            refused |= close_range(first, (unsigned)kept[i] - 1, 0) < 0;
        if (kept[i] >= (int)first)
            first = (unsigned)kept[i] + 1;
    }
    if (close_range(first, ~0U, 0) < 0 || refused)
        each_close(inheritance->proc_fd, kept);
}

enum { LINE, PARENT, GUARDIAN, WATCHED };

/* Waits until the other end is shut, or no process has it open any more. For use if poll(2) is
 * refused, as by a seccomp filter. */
static void line_end_await(int line_fd)
{
    char unused;
    ssize_t length;

    do
        length = read(line_fd, &unused, 1);
    while (length > 0 || (length < 0 && errno == EINTR));
}

/* Waits until the parent has died or said that all is well, or the guardian has died if
 * guardian_too, or the time is over. True in the first two cases. Every signal that can be blocked
 * is blocked. */
static bool end_await(const struct inheritance *inheritance, bool guardian_too, int timeout_ms)
{
    struct pollfd watched[WATCHED] = {
        [LINE] = {.fd = inheritance->line_fd, .events = POLLIN},
        [PARENT] = {.fd = inheritance->parent_fd, .events = POLLIN},
        [GUARDIAN] = {.fd = inheritance->guardian_fd, .events = POLLIN},
    };

    if (poll(watched, guardian_too ? WATCHED : GUARDIAN, timeout_ms) < 0 && errno != EINTR) {
        line_end_await(inheritance->line_fd);
        return true;
    }
    return watched[LINE].revents || watched[PARENT].revents;
}

/* Restores what is owed. Does nothing if all is well; if all was given back, no row is kept. */
static void restore(const struct guardian *guardian)
{
    struct mask_table *const table = guardian->table;

    if (mask_table_notice(table)->all_is_well)
        return;
    if (guardian->duty.restore)
        guardian->duty.restore(guardian->duty.context);
    else
        restoration_run(guardian->proc_fd, &table, 1);
}

/* ---- the deputy ---- */

/* Waits for the end of the guardian, which restores first; if it was killed, the deputy does. False
 * if its end cannot be seen. */
static bool guardian_end_await(const struct inheritance *inheritance)
{
    struct pollfd guardian = {.fd = inheritance->guardian_fd, .events = POLLIN};

    return poll(&guardian, 1, -1) > 0;
}

static _Noreturn void deputy_live(const struct guardian *guardian, pid_t guardian_pid,
                                  const struct inheritance *inheritance)
{
    struct mask_table_notice *notice = mask_table_notice(guardian->table);
    bool over;

    setsid();
    prctl(PR_SET_NAME, "juggle-deputy");
    close(inheritance->settled_fd);
    over = end_await(inheritance, true, -1);
    while (!over && notice->guardian_pid == guardian_pid)
        over = end_await(inheritance, false, RENEWAL_LOOK_MS);
    if (over && !notice->all_is_well && chdir("/") == 0 && guardian_end_await(inheritance))
        restore(guardian);
    _exit(EXIT_SUCCESS);
}

/* Returns the number of the deputy's process, or 0: the guardian does without a deputy if there can
 * be none. */
static pid_t deputy_start(const struct guardian *guardian, struct inheritance *inheritance)
{
    const pid_t own = getpid();
    pid_t pid;

    inheritance->guardian_fd = (int)syscall(SYS_pidfd_open, own, 0);
    if (inheritance->guardian_fd < 0)
        return 0;
    pid = fork();
    if (pid == 0)
        deputy_live(guardian, own, inheritance);
    close(inheritance->guardian_fd);
    inheritance->guardian_fd = -1;
    return pid < 0 ? 0 : pid;
}

/* ---- the guardian ---- */

static _Noreturn void guardian_live(const struct guardian *guardian,
                                    struct inheritance *inheritance)
{
    struct mask_table_notice *notice = mask_table_notice(guardian->table);
    pid_t deputy_pid = 0;

    setsid();
    prctl(PR_SET_NAME, "juggle-guardian");
    notice->guardian_pid = getpid();
    others_close(inheritance);
    if (!guardian->duty.restore)
        deputy_pid = deputy_start(guardian, inheritance);
    notice->deputy_pid = deputy_pid;
    (void)!write(inheritance->settled_fd, "", 1);
    close(inheritance->settled_fd);
    while (!end_await(inheritance, false, -1))
        continue;
    if (chdir("/") == 0)
        restore(guardian);
    if (deputy_pid && notice->all_is_well)
        waitpid(deputy_pid, NULL, 0);
    _exit(EXIT_SUCCESS);
}

/* ---- the parent's side ---- */

/* Waits until the guardian knows its deputy, or is dead. Does not wait for the pipe's end, because
 * a child that another thread forks meanwhile may hold it open. */
static void settled_await(int fd)
{
    char unused;

    while (read(fd, &unused, 1) < 0 && errno == EINTR)
        continue;
}

static int fork_with(struct guardian *guardian, struct inheritance *inheritance, int await_fd)
{
    sigset_t all, before;
    int error = 0;

    /* Until the guardian has a session of its own, the terminal's signals reach it, too. */
    sigfillset(&all);
    const bool blocked = !pthread_sigmask(SIG_SETMASK, &all, &before);
    guardian->pid = fork();
    if (guardian->pid == 0) {
        close(guardian->line_fd);
        guardian_live(guardian, inheritance);
    }
    if (guardian->pid < 0)
        error = -errno;
    if (blocked)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(inheritance->settled_fd);
    if (!error)
        settled_await(await_fd);
    close(await_fd);
    return error;
}

static int guardian_fork(struct guardian *guardian)
{
    struct inheritance inheritance = {
        .proc_fd = guardian->proc_fd,
        .kept_fd = guardian->duty.restore ? guardian->duty.fd : -1,
        .guardian_fd = -1,
    };
    int ends[2], settled[2];
    int error;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return -errno;
    if (pipe2(settled, O_CLOEXEC) < 0) {
        error = -errno;
        close(ends[0]);
        close(ends[1]);
        return error;
    }
    inheritance.line_fd = ends[0];
    inheritance.settled_fd = settled[1];
    inheritance.parent_fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    guardian->line_fd = ends[1];
    error = fork_with(guardian, &inheritance, settled[0]);
    if (error) {
        close(ends[1]);
        guardian->line_fd = -1;
    }
    if (inheritance.parent_fd >= 0)
        close(inheritance.parent_fd);
    close(ends[0]);
    return error;
}

int guardian_create(int table_fd, int proc_fd, int threads_max, struct guardian **guardian)
{
    struct guardian *made = calloc(1, sizeof(*made));
    int error;

    if (!made)
        return -ENOMEM;
    made->proc_fd = proc_fd;
    made->line_fd = -1;
    made->in_file = table_fd > 0;
    error = mask_table_create(threads_max, made->in_file ? table_fd : -1, &made->table);
    if (!error)
        error = debts_create(proc_fd, made->table, &made->debts);
    if (error) {
        guardian_abandon(made);
        return error;
    }
    *guardian = made;
    return 0;
}

int guardian_start_for(const struct guardian_duty *duty, int proc_fd, struct guardian **guardian)
{
    struct guardian *started;
    int error = guardian_create(0, proc_fd, 1, &started);

    if (error)
        return error;
    started->duty = *duty;
    error = guardian_fork(started);
    if (error) {
        guardian_abandon(started);
        return error;
    }
    *guardian = started;
    return 0;
}

/* True if the guardian has ended and was reaped, here or by other code that reaps all children. */
static bool is_gone(const struct guardian *guardian)
{
    return waitpid(guardian->pid, NULL, WNOHANG) == guardian->pid ||
           (kill(guardian->pid, 0) && errno == ESRCH);
}

int guardian_renew(struct guardian *guardian, bool *renewed)
{
    const int line_fd = guardian->line_fd;
    int error = 0;

    if (guardian->in_file || (guardian->pid > 0 && !is_gone(guardian))) {
        *renewed = false;
        return 0;
    }
    error = guardian_fork(guardian);
    if (error) {
        guardian->pid = 0;
        guardian->line_fd = line_fd;
        return error;
    }
    if (line_fd >= 0)
        close(line_fd);
    *renewed = true;
    return 0;
}

void guardian_abandon(struct guardian *guardian)
{
    if (!guardian)
        return;
    if (guardian->line_fd >= 0)
        close(guardian->line_fd);
    debts_destroy(guardian->debts);
    mask_table_destroy(guardian->table);
    free(guardian);
}

/* Waits for the end of the guardian's process; if that is stopped, it is continued. The caller may
 * have reaped it among its other children. */
static void process_await(pid_t pid)
{
    if (pid <= 0 || waitpid(pid, NULL, WNOHANG))
        return;
    kill(pid, SIGCONT);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

void guardian_stop(struct guardian *guardian)
{
    if (!guardian)
        return;
    mask_table_notice(guardian->table)->all_is_well = true;
    /* If the line cannot be shut it is closed, but a child without exec(3) may hold it open. */
    if (guardian->line_fd >= 0 && shutdown(guardian->line_fd, SHUT_RDWR)) {
        close(guardian->line_fd);
        guardian->line_fd = -1;
    }
    process_await(guardian->pid);
    guardian_abandon(guardian);
}

int guardian_restore(struct guardian *guardian, int quiet_walks, struct restoration **restoration)
{
    return restoration_begin(guardian->proc_fd, &guardian->table, 1, quiet_walks, restoration);
}

pid_t guardian_pid(const struct guardian *guardian)
{
    return guardian->pid;
}

pid_t guardian_deputy_pid(const struct guardian *guardian)
{
    return mask_table_notice(guardian->table)->deputy_pid;
}

struct debts *guardian_debts(const struct guardian *guardian)
{
    return guardian->debts;
}
