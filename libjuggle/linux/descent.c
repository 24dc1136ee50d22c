/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - life
 * - sets of processes: roots, known ones, excluded ones
 * - the walk: from the roots down, in pieces */
#include "libjuggle/linux/descent.h"

#include "libjuggle/ground/fault.h"
#include "libjuggle/linux/children.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/numbers.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_SIZE = 64,
    FINGERPRINT_SPREAD = 31, /* so that the same change of two processes does not cancel */
};

/* The start time of its first thread tells a process from a later one with its number. */
struct descendant {
    pid_t pid;
    uint64_t start_ticks;
    bool met; /* in the walk under way; only set in `known` */
};

/* A walk under way. */
struct walk {
    bool begun;
    int root;       /* the next one to be visited or pushed */
    int at;         /* index in `found` of the process that is being visited, or of the next one */
    DIR *directory; /* of the threads of the root or process that is being visited, or NULL */
};

struct descent {
    struct fault fault;
    int proc_fd;
    struct descendant *roots;
    int roots_count;
    bool roots_included;
    pid_t *excluded;
    int excluded_count;
    int processes_max;
    struct descendant *found; /* by this walk, as a queue */
    int found_count;
    struct descendant *known; /* found by the walk before, sorted by pid */
    int known_count;
    struct children children;
    struct walk walk;
};

/* ---- life ---- */

/* A root that is gone already keeps the start time 0, so that a later process with its number is
 * not taken for it. */
static void roots_note(struct descent *descent, const pid_t *pids)
{
    struct thread_stat stat;

    for (int i = 0; i < descent->roots_count; i++) {
        descent->roots[i].pid = pids[i];
        if (procfs_stat_read(descent->proc_fd, pids[i], pids[i], &stat) == 0)
            descent->roots[i].start_ticks = stat.start_ticks;
    }
}

int descent_create(const struct descent_options *options, struct descent **descent)
{
    struct descent *created = calloc(1, sizeof(*created));

    if (!created)
        return -ENOMEM;
    created->proc_fd = options->proc_fd;
    created->roots_count = options->roots_count;
    created->roots_included = options->roots_included;
    created->processes_max = options->processes_max;
    created->roots = calloc((size_t)options->roots_count, sizeof(struct descendant));
    created->found = calloc((size_t)options->processes_max, sizeof(struct descendant));
    created->known = calloc((size_t)options->processes_max, sizeof(struct descendant));
    if (!created->roots || !created->found || !created->known)
        goto fail;
    roots_note(created, options->roots);
    if (children_init(options->proc_fd, options->roots, options->roots_count, &created->children))
        goto fail;
    *descent = created;
    return 0;

fail:
    descent_destroy(created);
    return -ENOMEM;
}

void descent_destroy(struct descent *descent)
{
    if (!descent)
        return;
    descent_abandon(descent);
    children_release(&descent->children);
    free(descent->known);
    free(descent->found);
    free(descent->excluded);
    free(descent->roots);
    free(descent);
}

/* ---- sets of processes ---- */

static bool is_root(const struct descent *descent, pid_t pid)
{
    for (int i = 0; i < descent->roots_count; i++)
        if (descent->roots[i].pid == pid)
            return true;
    return false;
}

static bool is_excluded(const struct descent *descent, pid_t pid)
{
    for (int i = 0; i < descent->excluded_count; i++)
        if (descent->excluded[i] == pid)
            return true;
    return false;
}

/* True if the process has died or is hidden from us (set-user-id programs under hidepid). Any other
 * failure must end the walk, because the threads that it leaves out would be taken for dead. */
static bool is_gone(int error)
{
    return error == -ESRCH || error == -EACCES || error == -EPERM;
}

static int process_compare(const void *left, const void *right)
{
    const struct descendant *a = left, *b = right;

    return (a->pid > b->pid) - (a->pid < b->pid);
}

static struct descendant *known_find(const struct descent *descent, pid_t pid)
{
    const struct descendant key = {.pid = pid};

    return bsearch(&key, descent->known, (size_t)descent->known_count, sizeof(key),
                   process_compare);
}

bool descent_has(const struct descent *descent, pid_t pid)
{
    return is_root(descent, pid) || known_find(descent, pid);
}

int descent_adopt(struct descent *descent, pid_t pid)
{
    struct thread_stat stat;

    if (known_find(descent, pid))
        return 0;
    if (!HOLDS(&descent->fault, descent->known_count <= descent->processes_max))
        return -ENOSPC;
    if (procfs_stat_read(descent->proc_fd, pid, pid, &stat))
        return -ESRCH;
    if (descent->known_count == descent->processes_max)
        return -ENOSPC;
    descent->known[descent->known_count++] = (struct descendant){pid, stat.start_ticks, false};
    qsort(descent->known, (size_t)descent->known_count, sizeof(struct descendant), process_compare);
    return 0;
}

int descent_exclude(struct descent *descent, pid_t pid)
{
    if (is_excluded(descent, pid))
        return 0;
    const size_t count = (size_t)descent->excluded_count + 1;
    pid_t *larger = realloc(descent->excluded, count * sizeof(*larger));

    if (!larger)
        return -ENOMEM;
    larger[descent->excluded_count++] = pid;
    descent->excluded = larger;
    return 0;
}

static bool descends_from(const struct descent *descent, pid_t pid, pid_t ancestor)
{
    struct thread_stat stat;

    while (pid > 0 && pid != ancestor)
        pid = procfs_stat_read(descent->proc_fd, pid, pid, &stat) ? 0 : stat.parent;
    return pid > 0;
}

/* Roots keep their places: one with the start time 0 counts as gone. */
void descent_disown(struct descent *descent, pid_t pid)
{
    int kept = 0;

    descent_abandon(descent);
    for (int i = 0; i < descent->roots_count; i++)
        if (descends_from(descent, descent->roots[i].pid, pid))
            descent->roots[i].start_ticks = 0;
    for (int i = 0; i < descent->known_count; i++)
        if (!descends_from(descent, descent->known[i].pid, pid))
            descent->known[kept++] = descent->known[i];
    descent->known_count = kept;
}

static void found_push(void *context, pid_t pid)
{
    struct descent *descent = context;
    struct descendant *known = known_find(descent, pid);

    if (!HOLDS(&descent->fault, pid > 0) ||
        !HOLDS(&descent->fault, descent->found_count <= descent->processes_max) ||
        is_excluded(descent, pid) || descent->found_count == descent->processes_max ||
        (known && known->met))
        return;
    if (known)
        known->met = true;
    descent->found[descent->found_count++] = (struct descendant){.pid = pid};
}

/* The next walk knows the processes that this one has found. */
static void walk_end(struct descent *descent)
{
    struct descendant *recycled = descent->known;

    descent->known = descent->found;
    descent->known_count = descent->found_count;
    descent->found = recycled;
    qsort(descent->known, (size_t)descent->known_count, sizeof(struct descendant), process_compare);
}

/* ---- the walk ---- */

static void thread_visit(const struct descent *descent, pid_t pid, const struct thread_stat *stat,
                         const struct descent_visitor *visitor)
{
    struct thread_info info = {
        .id = {.pid = pid, .tid = stat->tid, .start_ticks = stat->start_ticks},
        .parent = stat->parent,
        .runnable = stat->state == 'R',
        .stopped = stat->state == 'T' || stat->state == 't',
        .run_ns = stat->run_ns,
    };
    struct thread_schedstat schedstat;

    /* Leaves out a thread that is dead but not reaped yet, and one that cannot be moved, such as a
     * worker of io_uring in kernels from 5.12 to 6.2. */
    if (stat->state == 'Z' || stat->state == 'X' || stat->immovable)
        return;
    info.comm = stat->comm;
    if (procfs_schedstat_read(descent->proc_fd, pid, stat->tid, &schedstat) == 0) {
        info.run_ns = schedstat.run_ns;
        info.wait_ns = schedstat.wait_ns;
    }
    visitor->visit(visitor->context, &info);
}

static int task_visit(struct descent *descent, struct descendant *process, pid_t tid,
                      const struct descent_visitor *visitor)
{
    const struct children_visitor children = {found_push, descent};
    struct thread_stat stat;
    int error = procfs_stat_read(descent->proc_fd, process->pid, tid, &stat);

    if (error)
        return error == -ESRCH ? 0 : error;
    if (tid == process->pid)
        process->start_ticks = stat.start_ticks;
    if (visitor)
        thread_visit(descent, process->pid, &stat, visitor);
    children_of_thread(&descent->children, process->pid, tid, &children);
    return 0;
}

static int directory_open(struct descent *descent, pid_t pid)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof(path), "%d/task", pid);
    return numbers_open(descent->proc_fd, path, &descent->walk.directory);
}

static void directory_close(struct descent *descent)
{
    if (descent->walk.directory)
        closedir(descent->walk.directory);
    descent->walk.directory = NULL;
}

/* Visits its threads if a visitor is given, and pushes its children. -EAGAIN: not all yet. */
static int process_visit(struct descent *descent, struct descendant *process,
                         const struct descent_visitor *visitor, int64_t until_ns)
{
    const struct children_visitor children = {found_push, descent};
    int error = descent->walk.directory ? 0 : directory_open(descent, process->pid);
    pid_t tid;

    if (error)
        return error;
    while (!error && (tid = numbers_next(descent->walk.directory))) {
        error = task_visit(descent, process, tid, visitor);
        /* Only after a thread was visited, so that each piece gets on. */
        if (!error && clock_is_past(until_ns))
            return -EAGAIN;
    }
    directory_close(descent);
    children_of_process(&descent->children, process->pid, &children);
    return error;
}

/* Pushes a process if it lives. A later one with its number does not count. */
static int living_push(struct descent *descent, const struct descendant *process)
{
    const struct thread_id leader = {process->pid, process->pid, process->start_ticks};
    const int error = procfs_thread_check(descent->proc_fd, &leader);

    if (!error)
        found_push(descent, process->pid);
    return is_gone(error) ? 0 : error;
}

/* Pushes a root that lives, or visits it for its children alone. */
static int root_visit(struct descent *descent, struct descendant *root, int64_t until_ns)
{
    return descent->roots_included ? living_push(descent, root)
                                   : process_visit(descent, root, NULL, until_ns);
}

static int roots_visit(struct descent *descent, int64_t until_ns)
{
    struct walk *walk = &descent->walk;

    for (; walk->root < descent->roots_count; walk->root++) {
        const int error = root_visit(descent, &descent->roots[walk->root], until_ns);
        if (error && error != -ESRCH)
            return error;
    }
    return 0;
}

/* Visits the processes that were found but not visited yet, and those that are found on the way. */
static int found_visit(struct descent *descent, const struct descent_visitor *visitor,
                       int64_t until_ns)
{
    struct walk *walk = &descent->walk;

    if (!HOLDS(&descent->fault, walk->at >= 0 && walk->at <= descent->found_count))
        return -EINVAL;
    for (; walk->at < descent->found_count; walk->at++) {
        const int error = process_visit(descent, &descent->found[walk->at], visitor, until_ns);
        if (error && !is_gone(error))
            return error;
    }
    return 0;
}

/* Pushes the known processes that the walk from the roots has not met: orphans, and processes that
 * were adopted during the walk. */
static int orphans_push(struct descent *descent)
{
    int error = 0;

    for (int i = 0; !error && i < descent->known_count; i++)
        if (!descent->known[i].met)
            error = living_push(descent, &descent->known[i]);
    return error;
}

static int walk_begin(struct descent *descent)
{
    descent->walk = (struct walk){.begun = true};
    descent->found_count = 0;
    for (int i = 0; i < descent->known_count; i++)
        descent->known[i].met = false;
    return children_begin(&descent->children);
}

static int walk_go_on(struct descent *descent, const struct descent_visitor *visitor,
                      int64_t until_ns)
{
    int error = roots_visit(descent, until_ns);

    while (!error) {
        error = found_visit(descent, visitor, until_ns);
        if (!error)
            error = orphans_push(descent);
        if (descent->walk.at == descent->found_count)
            break;
    }
    return error;
}

void descent_abandon(struct descent *descent)
{
    directory_close(descent);
    descent->walk.begun = false;
}

const char *descent_fault(const struct descent *descent)
{
    return fault_text(&descent->fault);
}

bool descent_is_walking(const struct descent *descent)
{
    return descent->walk.begun;
}

int descent_walk_until(struct descent *descent, const struct descent_visitor *visitor,
                       int64_t until_ns)
{
    int error = descent->walk.begun ? 0 : walk_begin(descent);

    if (!error)
        error = walk_go_on(descent, visitor, until_ns);
    if (error == -EAGAIN)
        return error;
    descent_abandon(descent);
    if (!error)
        walk_end(descent);
    return error;
}

uint64_t descent_fingerprint(const struct descent *descent)
{
    uint64_t seen = 0;
    for (int i = 0; i < descent->known_count; i++)
        seen = seen * FINGERPRINT_SPREAD +
               procfs_fingerprint(descent->proc_fd, descent->known[i].pid);
    return seen;
}
