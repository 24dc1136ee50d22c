/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two processes share the table, and one of them writes: the parent. The guardian reads it only
 * after the parent's death, which may have come in the middle of a guardian_keep: `kept` is stored
 * with release order after the row is whole, and cleared before the row changes, so that the
 * guardian's acquiring load sees a whole row or none.
 *
 * Death is told by a pidfd. The end of the pipe tells it too where there are no pidfds, but a child
 * that the parent forked without executing anything may hold the pipe open.
 */
#include "libjuggle/linux/guardian.h"

#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/descent.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct row {
    atomic_bool kept;
    struct thread_id id;
    struct cpu_mask original;
};

/* The first bytes of a table: another version of juggle may read it. */
#define TABLE_MAGIC UINT64_C(0x31656c6767756a2e)

struct table {
    uint64_t magic;
    uint32_t row_size;
    uint32_t rows_count;
    struct row rows[];
};

struct guardian {
    int proc_fd;
    int pipe_fd; /* the parent's end */
    pid_t pid;
    int threads_max;
    struct table *table; /* shared */
    struct row *rows;    /* of the table */
};

/* ---- what the guardian does when its parent is dead ---- */

static bool row_holds(const struct row *row)
{
    return atomic_load_explicit(&row->kept, memory_order_acquire);
}

static const struct row *row_of(const struct guardian *guardian, pid_t tid)
{
    for (int i = 0; i < guardian->threads_max; i++)
        if (row_holds(&guardian->rows[i]) && guardian->rows[i].id.tid == tid)
            return &guardian->rows[i];
    return NULL;
}

/* Every process in the table, once. */
static int pids_collect(const struct guardian *guardian, pid_t *pids)
{
    int count = 0;

    for (int i = 0; i < guardian->threads_max; i++) {
        const struct row *row = &guardian->rows[i];
        int known = 0;
        if (!row_holds(row))
            continue;
        while (known < count && pids[known] != row->id.pid)
            known++;
        if (known == count)
            pids[count++] = row->id.pid;
    }
    return count;
}

/* The row of a thread from which this one, unknown to the parent, may have its mask. */
static const struct row *creator_of(const struct guardian *guardian, const struct thread_info *info,
                                    const struct cpu_mask *mask)
{
    for (int i = 0; i < guardian->threads_max; i++) {
        const struct row *row = &guardian->rows[i];
        struct cpu_mask pinned;
        if (row_holds(row) && (row->id.pid == info->id.pid || row->id.pid == info->parent) &&
            !cpu_mask_equal(mask, &row->original) && affinity_get(row->id.tid, &pinned) == 0 &&
            cpu_mask_equal(mask, &pinned))
            return row;
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
    const struct guardian *guardian = context;
    const struct row *creator;
    struct cpu_mask mask;

    if (row_of(guardian, info->id.tid) || affinity_get(info->id.tid, &mask))
        return;
    creator = creator_of(guardian, info, &mask);
    if (creator)
        mask_restore(info->id.tid, &creator->original);
}

/* Threads that pinned ones created since the parent looked last were born with their pin. */
static void newborns_restore(struct guardian *guardian)
{
    const struct descent_visitor visitor = {.visit = newborn_restore, .context = guardian};
    struct descent_options options = {
        .proc_fd = guardian->proc_fd,
        .roots_included = true,
        .processes_max = guardian->threads_max,
    };
    struct descent *descent;
    pid_t *pids = calloc((size_t)guardian->threads_max, sizeof(pid_t));

    if (!pids)
        return;
    options.roots = pids;
    options.roots_count = pids_collect(guardian, pids);
    if (descent_create(&options, &descent) == 0) {
        /* What it did not reach stays as it is. */
        (void)!descent_walk(descent, &visitor);
        descent_destroy(descent);
    }
    free(pids);
}

static int rows_restore(struct guardian *guardian)
{
    int restored = 0;

    for (int i = 0; i < guardian->threads_max; i++) {
        struct row *row = &guardian->rows[i];
        if (!row_holds(row))
            continue;
        if (procfs_thread_alive(guardian->proc_fd, &row->id))
            restored += affinity_set(row->id.tid, &row->original) == 0;
        /* Whoever reads the table later must not undo what the program does from now on. */
        atomic_store_explicit(&row->kept, false, memory_order_relaxed);
    }
    return restored;
}

static bool table_is_whole(const struct table *table, size_t size)
{
    return size >= sizeof(*table) && table->magic == TABLE_MAGIC &&
           table->row_size == sizeof(struct row) &&
           table->rows_count <= (size - sizeof(*table)) / sizeof(struct row);
}

int guardian_restore(int proc_fd, int table_fd)
{
    struct stat stat;
    int restored = 0;

    if (fstat(table_fd, &stat) || stat.st_size < (off_t)sizeof(struct table))
        return 0;
    const size_t size = (size_t)stat.st_size;
    struct table *table = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, table_fd, 0);
    if (table == MAP_FAILED)
        return 0;
    if (table_is_whole(table, size)) {
        struct guardian guardian = {
            .proc_fd = proc_fd,
            .threads_max = (int)table->rows_count,
            .rows = table->rows,
        };
        newborns_restore(&guardian);
        restored = rows_restore(&guardian);
    }
    munmap(table, size);
    return restored;
}

/* ---- how it waits ---- */

/* What the guardian keeps of all that its parent had open. */
struct inheritance {
    int proc_fd;
    int pipe_fd;
    int parent_fd; /* a pidfd; opened by the parent, for it may be dead before its child runs */
};

static int fd_compare(const void *left, const void *right)
{
    const int *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Pipelines must not wait for us: nothing else stays open. */
static void others_close(const struct inheritance *inheritance)
{
    int kept[] = {inheritance->proc_fd, inheritance->pipe_fd, inheritance->parent_fd};
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
    if (chdir("/") == 0 && parent_death_await(inheritance)) {
        newborns_restore(guardian);
        rows_restore(guardian);
    }
    _exit(EXIT_SUCCESS);
}

/* ---- the parent's side ---- */

static size_t table_size(int rows_count)
{
    return sizeof(struct table) + sizeof(struct row) * (size_t)rows_count;
}

/* Where nothing is written nothing is used: a large table of few rows is small. */
static int table_map(int table_fd, int rows_count, struct table **table)
{
    const int kind = table_fd < 0 ? MAP_ANONYMOUS | MAP_NORESERVE : 0;
    const size_t size = table_size(rows_count);

    if (table_fd >= 0 && ftruncate(table_fd, (off_t)size))
        return -errno;
    struct table *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | kind, table_fd, 0);
    if (mapped == MAP_FAILED)
        return table_fd < 0 ? -ENOMEM : -errno;
    mapped->magic = TABLE_MAGIC;
    mapped->row_size = sizeof(struct row);
    mapped->rows_count = (uint32_t)rows_count;
    *table = mapped;
    return 0;
}

static int guardian_fork(struct guardian *guardian)
{
    struct inheritance inheritance = {.proc_fd = guardian->proc_fd};
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
    started->threads_max = threads_max;
    error = table_map(table_fd, threads_max, &started->table);
    if (error)
        goto fail_table;
    started->rows = started->table->rows;
    error = guardian_fork(started);
    if (error)
        goto fail_fork;
    *guardian = started;
    return 0;

fail_fork:
    munmap(started->table, table_size(threads_max));
fail_table:
    free(started);
    return error;
}

void guardian_abandon(struct guardian *guardian)
{
    if (!guardian)
        return;
    close(guardian->pipe_fd);
    munmap(guardian->table, table_size(guardian->threads_max));
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
    while (waitpid(guardian->pid, NULL, 0) < 0 && errno == EINTR)
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
    struct row *row = &guardian->rows[slot];

    guardian_forget(guardian, slot);
    row->id = *id;
    row->original = *original;
    atomic_store_explicit(&row->kept, true, memory_order_release);
}

void guardian_forget(struct guardian *guardian, int slot)
{
    atomic_store_explicit(&guardian->rows[slot].kept, false, memory_order_seq_cst);
}
