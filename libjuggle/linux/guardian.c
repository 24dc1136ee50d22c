/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Death is told by a pidfd. The end of the pipe tells it too where there are no pidfds, but a child
 * that the parent forked without executing anything may hold the pipe open.
 */
#include "libjuggle/linux/guardian.h"

#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/descent.h"
#include "libjuggle/linux/mask_table.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct guardian {
    int proc_fd;
    int pipe_fd; /* the parent's end */
    pid_t pid;
    struct mask_table *table; /* shared */
};

/* What the guardian, or whoever comes after it, goes by. */
struct restoration {
    int proc_fd;
    struct mask_table *table;
};

/* ---- what the guardian does when its parent is dead ---- */

static const struct mask_debt *debt_to(const struct mask_table *table, pid_t tid)
{
    for (int row = 0; row < mask_table_rows(table); row++) {
        const struct mask_debt *debt = mask_table_debt(table, row);
        if (debt && debt->id.tid == tid)
            return debt;
    }
    return NULL;
}

/* Every process in the table, once. */
static int pids_collect(const struct mask_table *table, pid_t *pids)
{
    int count = 0;

    for (int row = 0; row < mask_table_rows(table); row++) {
        const struct mask_debt *debt = mask_table_debt(table, row);
        int known = 0;
        if (!debt)
            continue;
        while (known < count && pids[known] != debt->id.pid)
            known++;
        if (known == count)
            pids[count++] = debt->id.pid;
    }
    return count;
}

/* What is owed to the thread from which this one, unknown to the parent, may have its mask. */
static const struct mask_debt *creator_of(const struct mask_table *table,
                                          const struct thread_info *info,
                                          const struct cpu_mask *mask)
{
    for (int row = 0; row < mask_table_rows(table); row++) {
        const struct mask_debt *debt = mask_table_debt(table, row);
        struct cpu_mask pinned;
        if (debt && (debt->id.pid == info->id.pid || debt->id.pid == info->parent) &&
            !cpu_mask_equal(mask, &debt->original) && affinity_get(debt->id.tid, &pinned) == 0 &&
            cpu_mask_equal(mask, &pinned))
            return debt;
    }
    return NULL;
}

/* A failure means that the thread is gone, or beyond our rights: nothing is left to do for it. */
static void mask_restore(pid_t tid, const struct cpu_mask *original)
{
    (void)!affinity_set(tid, original);
}

static void newborn_restore(void *context, const struct thread_info *info)
{
    const struct restoration *restoration = context;
    const struct mask_debt *creator;
    struct cpu_mask mask;

    if (debt_to(restoration->table, info->id.tid) || affinity_get(info->id.tid, &mask))
        return;
    creator = creator_of(restoration->table, info, &mask);
    if (creator)
        mask_restore(info->id.tid, &creator->original);
}

/* Threads that pinned ones created since the parent looked last were born with their pin. */
static void newborns_restore(struct restoration *restoration)
{
    const int rows = mask_table_rows(restoration->table);
    const struct descent_visitor visitor = {.visit = newborn_restore, .context = restoration};
    struct descent_options options = {
        .proc_fd = restoration->proc_fd,
        .roots_included = true,
        .processes_max = rows,
    };
    struct descent *descent;
    pid_t *pids = calloc((size_t)rows + 1, sizeof(pid_t));

    if (!pids)
        return;
    options.roots = pids;
    options.roots_count = pids_collect(restoration->table, pids);
    if (descent_create(&options, &descent) == 0) {
        /* What it did not reach stays as it is. */
        (void)!descent_walk(descent, &visitor);
        descent_destroy(descent);
    }
    free(pids);
}

static int debts_restore(struct restoration *restoration)
{
    int restored = 0;

    for (int row = 0; row < mask_table_rows(restoration->table); row++) {
        const struct mask_debt *debt = mask_table_debt(restoration->table, row);
        if (!debt)
            continue;
        if (procfs_thread_alive(restoration->proc_fd, &debt->id))
            restored += affinity_set(debt->id.tid, &debt->original) == 0;
        /* Whoever reads the table later must not undo what the program does from now on. */
        mask_table_forget(restoration->table, row);
    }
    return restored;
}

static int restore(int proc_fd, struct mask_table *table)
{
    struct restoration restoration = {proc_fd, table};

    newborns_restore(&restoration);
    return debts_restore(&restoration);
}

int guardian_restore(int proc_fd, int table_fd)
{
    struct mask_table *table;

    if (mask_table_read(table_fd, &table))
        return 0;
    const int restored = restore(proc_fd, table);
    mask_table_destroy(table);
    return restored;
}

/* ---- how it waits ---- */

/* What the guardian keeps of all that its parent had open. */
struct inheritance {
    int proc_fd;
    int pipe_fd;
    int parent_fd; /* a pidfd; opened by the parent, for it may be dead before its child runs */
    int table_fd;
};

static int fd_compare(const void *left, const void *right)
{
    const int *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Pipelines must not wait for us: nothing else stays open. */
static void others_close(const struct inheritance *inheritance)
{
    int kept[] = {inheritance->proc_fd, inheritance->pipe_fd, inheritance->parent_fd,
                  inheritance->table_fd};
    unsigned first = STDERR_FILENO + 1;
    int null = open("/dev/null", O_RDWR);

    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    qsort(kept, ARRAY_COUNT(kept), sizeof(kept[0]), fd_compare);
    for (size_t i = 0; i < ARRAY_COUNT(kept); i++) {
        if (kept[i] > (int)first)
            close_range(first, (unsigned)kept[i] - 1, 0);
        if (kept[i] >= (int)first)
            first = (unsigned)kept[i] + 1;
    }
    close_range(first, ~0U, 0);
}

/* True if the parent died, false if it said that all is well. */
static bool parent_death_await(const struct inheritance *inheritance)
{
    struct pollfd watched[] = {
        {.fd = inheritance->pipe_fd, .events = POLLIN},
        {.fd = inheritance->parent_fd, .events = POLLIN},
    };
    char farewell;

    /* Every signal that can be is blocked: poll ends when one of the two has something to say. */
    poll(watched, ARRAY_COUNT(watched), -1);
    return !(watched[0].revents & POLLIN) || read(inheritance->pipe_fd, &farewell, 1) != 1;
}

static _Noreturn void guardian_live(struct guardian *guardian,
                                    const struct inheritance *inheritance)
{
    setsid();
    prctl(PR_SET_NAME, "juggle-guardian");
    others_close(inheritance);
    if (chdir("/") == 0 && parent_death_await(inheritance))
        restore(guardian->proc_fd, guardian->table);
    _exit(EXIT_SUCCESS);
}

/* ---- the parent's side ---- */

static int guardian_fork(struct guardian *guardian)
{
    struct inheritance inheritance = {
        .proc_fd = guardian->proc_fd,
        .table_fd = mask_table_fd(guardian->table),
    };
    sigset_t all, before;
    int ends[2];
    int error = 0;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    inheritance.pipe_fd = ends[0];
    inheritance.parent_fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    guardian->pipe_fd = ends[1];
    /* Until it has a session of its own, the terminal's signals reach the guardian, too. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    guardian->pid = fork();
    if (guardian->pid == 0) {
        close(ends[1]);
        guardian_live(guardian, &inheritance);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (guardian->pid < 0) {
        error = -errno;
        close(ends[1]);
    }
    if (inheritance.parent_fd >= 0)
        close(inheritance.parent_fd);
    close(ends[0]);
    return error;
}

int guardian_start(int proc_fd, int threads_max, struct guardian **guardian)
{
    return guardian_start_in(-1, proc_fd, threads_max, guardian);
}

int guardian_start_in(int table_fd, int proc_fd, int threads_max, struct guardian **guardian)
{
    struct guardian *started = calloc(1, sizeof(*started));
    int error;

    if (!started)
        return -ENOMEM;
    started->proc_fd = proc_fd;
    error = mask_table_create(threads_max, table_fd, &started->table);
    if (!error)
        error = guardian_fork(started);
    if (error) {
        mask_table_destroy(started->table);
        free(started);
        return error;
    }
    *guardian = started;
    return 0;
}

/* Its end is seen, and taken leave of, here or by whoever reaps all children. */
static bool is_gone(const struct guardian *guardian)
{
    return waitpid(guardian->pid, NULL, WNOHANG) == guardian->pid ||
           (kill(guardian->pid, 0) && errno == ESRCH);
}

int guardian_renew(struct guardian *guardian, bool *renewed)
{
    const int pipe_fd = guardian->pipe_fd;
    int error = 0;

    if (guardian->pid > 0 && !is_gone(guardian)) {
        *renewed = false;
        return 0;
    }
    error = guardian_fork(guardian);
    if (error) {
        guardian->pid = 0;
        guardian->pipe_fd = pipe_fd;
        return error;
    }
    close(pipe_fd);
    *renewed = true;
    return 0;
}

void guardian_abandon(struct guardian *guardian)
{
    if (!guardian)
        return;
    close(guardian->pipe_fd);
    mask_table_destroy(guardian->table);
    free(guardian);
}

void guardian_stop(struct guardian *guardian)
{
    const char farewell = 0;
    ssize_t written;

    if (!guardian)
        return;
    do
        written = write(guardian->pipe_fd, &farewell, 1);
    while (written < 0 && errno == EINTR);
    /* The caller may have reaped it among its other children. */
    while (guardian->pid > 0 && waitpid(guardian->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    guardian_abandon(guardian);
}

pid_t guardian_pid(const struct guardian *guardian)
{
    return guardian->pid;
}

void guardian_keep(struct guardian *guardian, int slot, const struct thread_id *id,
                   const struct cpu_mask *original)
{
    const struct mask_debt debt = {*id, *original};

    mask_table_keep(guardian->table, slot, &debt);
}

void guardian_forget(struct guardian *guardian, int slot)
{
    mask_table_forget(guardian->table, slot);
}
