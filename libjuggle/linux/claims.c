/* SPDX-License-Identifier: BSD-3-Clause */
/* A POSIX lock belongs to a process: its children do not inherit it. But it ends when the process
 * closes any descriptor of the file. So the lock is on a file that nobody reads otherwise, and the
 * file is opened only if this process is known to hold no lock on it: the lock table shows none, or
 * no balancer of the family, which has all balancers of this process, has claimed that process.
 *
 * A claim is written first and checked then, so that two claims that are made at once see each
 * other: both give way and try again after different times.
 *
 * The parts, in this order:
 * - processes: whose they are, and whether they may be balanced
 * - create, destroy
 * - looking: who holds a process, or a relative of it
 * - claiming
 * - telling */
#include "libjuggle/linux/claims.h"

#include "libjuggle/ground/fault.h"
#include "libjuggle/linux/lock_table.h"
#include "libjuggle/linux/numbers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum {
    PATH_SIZE = 32,
    MAP_SIZE = 4096, /* of users: as much as is compared */
    CAPABILITY_NICE = 23,
    DEPTH_MAX = 256, /* of a descent: parents that change meanwhile may form a loop */
    TRIES_MAX = 8,
    ROOM_FIRST = 16,
    /* Lines of the table that are read before a process is claimed: others wait meanwhile. */
    LOCKS_MAX = 8192,
};

struct claimed_process {
    pid_t pid;
    int fd; /* -1: it could not be opened */
    int count;
};

struct claims {
    struct fault fault;
    int proc_fd;
    int mark;
    struct claims_family *family;
    struct claims *next; /* of the family */
    int count, room;
    struct claimed_process *list;
    bool is_known; /* `locks` is up to date */
    struct lock_table locks;
};

void claim_format(const struct claim *claim, char *text, size_t size)
{
    if (claim->pid == claim->holder)
        snprintf(text, size, "process %d (%s) is a balancer, or balances itself", (int)claim->pid,
                 claim->comm.untrusted);
    else
        snprintf(text, size, "process %d (%s) is balanced by %s (process %d) already",
                 (int)claim->pid, claim->comm.untrusted, claim->holder_comm.untrusted,
                 (int)claim->holder);
}

/* ---- processes ---- */

static struct comm comm_of(int proc_fd, pid_t pid)
{
    struct thread_stat stat;

    if (procfs_stat_read(proc_fd, pid, pid, &stat))
        stat.comm = (struct comm){"?"};
    return stat.comm;
}

/* Reads the real and effective user of a process, and whether it has CAP_SYS_NICE. */
static int rights_read(int proc_fd, pid_t pid, unsigned *real, unsigned *effective, bool *may_nice)
{
    char *status;
    const int error = procfs_status_read(proc_fd, pid, pid, &status);

    if (error)
        return error;
    const bool known = sscanf(procfs_status_value(status, "Uid"), "%u %u", real, effective) == 2;
    *may_nice = strtoull(procfs_status_value(status, "CapEff"), NULL, 16) >> CAPABILITY_NICE & 1;
    free(status);
    return known ? 0 : -EBADMSG;
}

/* True if a process has our user namespace: in one of its own any process has all capabilities. */
static bool has_our_users(int proc_fd, pid_t pid)
{
    char ours[MAP_SIZE], theirs[MAP_SIZE];

    return !procfs_thread_read(proc_fd, getpid(), getpid(), "uid_map", ours, sizeof(ours)) &&
           !procfs_thread_read(proc_fd, pid, pid, "uid_map", theirs, sizeof(theirs)) &&
           !strcmp(ours, theirs);
}

/* True if `holder` may set the masks of `pid`, as the kernel decides it. */
static bool may_balance(int proc_fd, pid_t holder, pid_t pid)
{
    unsigned real, effective, of_pid, of_pid_effective;
    bool may_nice, unused;
    int error = rights_read(proc_fd, holder, &real, &effective, &may_nice);

    if (!error)
        error = rights_read(proc_fd, pid, &of_pid, &of_pid_effective, &unused);
    /* Without memory to find out, a claim counts. */
    if (error)
        return error == -ENOMEM;
    return effective == of_pid || effective == of_pid_effective ||
           (may_nice && has_our_users(proc_fd, holder));
}

static void claim_fill(int proc_fd, pid_t pid, pid_t holder, struct claim *claim)
{
    *claim = (struct claim){.pid = pid, .holder = holder};
    claim->comm = comm_of(proc_fd, pid);
    claim->holder_comm = comm_of(proc_fd, holder);
}

static pid_t parent_of(int proc_fd, pid_t pid)
{
    struct thread_stat stat;

    return procfs_stat_read(proc_fd, pid, pid, &stat) ? 0 : stat.parent;
}

/* ---- create, destroy ---- */

int claims_create(int proc_fd, int mark, struct claims_family *family, struct claims **result)
{
    struct claims *claims = calloc(1, sizeof(*claims));

    if (!claims)
        return -ENOMEM;
    claims->proc_fd = proc_fd;
    claims->mark = mark;
    claims->family = family;
    if (family) {
        claims->next = family->first;
        family->first = claims;
    }
    *result = claims;
    return 0;
}

static void family_leave(struct claims *claims)
{
    struct claims **at = &claims->family->first;

    while (*at && *at != claims)
        at = &(*at)->next;
    if (HOLDS(&claims->fault, *at == claims))
        *at = claims->next;
}

void claims_destroy(struct claims *claims)
{
    if (!claims)
        return;
    for (int i = 0; i < claims->count; i++)
        if (claims->list[i].fd >= 0)
            close(claims->list[i].fd);
    if (claims->family)
        family_leave(claims);
    free(claims->list);
    lock_table_release(&claims->locks);
    free(claims);
}

void claims_outdate(struct claims *claims)
{
    if (claims)
        claims->is_known = false;
}

/* ---- looking ---- */

static struct claimed_process *taken_find(const struct claims *claims, pid_t pid)
{
    for (int i = 0; i < claims->count; i++)
        if (claims->list[i].pid == pid)
            return &claims->list[i];
    return NULL;
}

static bool relative_has(const struct claims *claims, pid_t pid)
{
    for (const struct claims *other = claims->family->first; other; other = other->next)
        if (other != claims && taken_find(other, pid))
            return true;
    return false;
}

/* Returns the balancer that has claimed this very process, by the lock table; 0: none but this one
 * has. */
static pid_t holder_listed(const struct claims *claims, pid_t pid)
{
    unsigned long inode;

    if (!claims->locks.count || !lock_bearer_inode(claims->proc_fd, pid, &inode))
        return 0;
    for (int i = 0; i < claims->locks.count; i++) {
        const struct kernel_lock *lock = &claims->locks.list[i];
        const bool is_ours = lock->holder == getpid() && lock->mark == claims->mark;
        if (lock->inode == inode && !is_ours && may_balance(claims->proc_fd, lock->holder, pid))
            return lock->holder;
    }
    return 0;
}

/* True if a claim of this process on an ancestor does not cover the process that is asked for,
 * because the two have different users. A process with balancers of several jobs, as the service
 * is, leaves such descendants alone. */
static bool is_beyond(const struct claims *claims, pid_t holder, pid_t ancestor, pid_t asked)
{
    unsigned real, of_ancestor, of_asked;
    bool unused;

    return holder == getpid() && ancestor != asked &&
           !rights_read(claims->proc_fd, ancestor, &real, &of_ancestor, &unused) &&
           !rights_read(claims->proc_fd, asked, &real, &of_asked, &unused) &&
           of_ancestor != of_asked;
}

static int table_know(struct claims *claims)
{
    const int error = claims->is_known
                          ? 0
                          : lock_table_read(claims->proc_fd, LOCKS_MAX, &claims->locks);

    claims->is_known = !error;
    return error;
}

/* Finds the holder without the lock table. Returns false if the table is needed: the kernel tells
 * of one lock only, and behind one that does not count there may be another. */
static bool holder_ask(const struct claims *claims, pid_t pid, pid_t *holder)
{
    *holder = relative_has(claims, pid) ? getpid() : 0;
    if (*holder || taken_find(claims, pid))
        return true;
    *holder = lock_bearer_holder(claims->proc_fd, pid);
    return !*holder || may_balance(claims->proc_fd, *holder, pid);
}

static int holder_find(struct claims *claims, pid_t pid, bool listed, pid_t *holder)
{
    if (!listed && holder_ask(claims, pid, holder))
        return 0;
    const int error = table_know(claims);
    *holder = error ? 0 : holder_listed(claims, pid);
    return error;
}

/* Looks for another balancer that has claimed the process or an ancestor: -EBUSY. Ends at a process
 * that we have claimed, because its ancestors were looked at then. */
static int others_find(struct claims *claims, pid_t asked, bool listed, struct claim *other)
{
    pid_t pid = asked, holder;
    int error = 0;

    for (int depth = 0; !error && pid > 0 && depth < DEPTH_MAX; depth++) {
        error = holder_find(claims, pid, listed, &holder);
        if (holder && !is_beyond(claims, holder, pid, asked)) {
            claim_fill(claims->proc_fd, asked, holder, other);
            error = -EBUSY;
        } else if (taken_find(claims, pid)) {
            break;
        }
        pid = parent_of(claims->proc_fd, pid);
    }
    return error;
}

/* ---- claiming ---- */

/* Locks the file. -EAGAIN: another process holds a lock there that the look before did not find. */
static int lock_set(const struct claims *claims, pid_t pid, int *fd)
{
    struct flock lock = {
        .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = claims->mark, .l_len = 1};
    struct flock others = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char path[PATH_SIZE];

    *fd = -1;
    snprintf(path, sizeof(path), "%d/" LOCK_BEARER, (int)pid);
    const int opened = openat(claims->proc_fd, path, O_RDONLY | O_CLOEXEC);
    if (opened < 0)
        return 0;
    *fd = opened;
    if (!fcntl(opened, F_SETLK, &lock) && !fcntl(opened, F_GETLK, &others) &&
        others.l_type != F_UNLCK)
        return -EAGAIN;
    return 0;
}

/* Looks for other claims, locks, and looks again if there are other locks: one that counts is found
 * by the next look at the table; one that does not is harmless. */
static int claim_write(struct claims *claims, pid_t pid, int *fd, struct claim *other)
{
    for (int i = 0; i < TRIES_MAX; i++) {
        const struct timespec pause = {0, (getpid() % 7 + 1) * NSEC_PER_MSEC / 4};
        int error = others_find(claims, pid, !claims->family, other);
        if (error)
            return error;
        if (!lock_set(claims, pid, fd))
            return 0;
        /* Reads the table, because lock_bearer_holder closes the file, which would drop the
         * claim. */
        claims_outdate(claims);
        error = others_find(claims, pid, true, other);
        if (!error)
            return 0;
        close(*fd);
        if (error != -EBUSY)
            return error;
        nanosleep(&pause, NULL);
        claims_outdate(claims);
    }
    return -EBUSY;
}

int claims_take(struct claims *claims, pid_t pid, struct claim *other)
{
    struct claimed_process *known = claims ? taken_find(claims, pid) : NULL;
    int fd = -1;

    if (known)
        known->count++;
    if (known || !claims)
        return 0;
    if (!HOLDS(&claims->fault, pid > 0) || !HOLDS(&claims->fault, claims->count <= claims->room))
        return -EINVAL;
    if (claims->count == claims->room) {
        const int larger = claims->room ? 2 * claims->room : ROOM_FIRST;
        void *moved = realloc(claims->list, (size_t)larger * sizeof(*claims->list));
        if (!moved)
            return -ENOMEM;
        claims->list = moved;
        claims->room = larger;
    }
    const int error = claim_write(claims, pid, &fd, other);
    if (error)
        return error;
    claims->list[claims->count++] = (struct claimed_process){pid, fd, 1};
    return 0;
}

void claims_drop(struct claims *claims, pid_t pid)
{
    struct claimed_process *known = claims ? taken_find(claims, pid) : NULL;

    if (!known || !HOLDS(&claims->fault, known->count > 0) || --known->count > 0)
        return;
    if (known->fd >= 0)
        close(known->fd);
    if (HOLDS(&claims->fault, claims->count > 0))
        *known = claims->list[--claims->count];
}

/* ---- telling ---- */

const char *claims_fault(const struct claims *claims)
{
    return claims ? fault_text(&claims->fault) : NULL;
}

void claims_explain(int proc_fd, pid_t pid, char *text, size_t size)
{
    struct claims looking = {.proc_fd = proc_fd};
    struct claim other;

    if (others_find(&looking, pid, true, &other) == -EBUSY)
        claim_format(&other, text, size);
    else
        snprintf(text, size, "process %d was balanced by another balancer a moment ago: try again",
                 (int)pid);
    lock_table_release(&looking.locks);
}

static void process_tell(int proc_fd, const struct lock_table *locks, pid_t pid,
                         void (*told)(void *context, const struct claim *claim), void *context)
{
    struct claim claim;
    unsigned long inode;

    if (!lock_bearer_inode(proc_fd, pid, &inode))
        return;
    for (int i = 0; i < locks->count; i++) {
        const pid_t holder = locks->list[i].holder;
        if (locks->list[i].inode != inode || !may_balance(proc_fd, holder, pid))
            continue;
        claim_fill(proc_fd, pid, holder, &claim);
        told(context, &claim);
    }
}

int claims_list(int proc_fd, void (*told)(void *context, const struct claim *claim), void *context)
{
    struct lock_table locks = {0};
    DIR *directory = NULL;
    int error = lock_table_read(proc_fd, INT_MAX, &locks);
    pid_t pid;

    if (!error && locks.count)
        error = numbers_open(proc_fd, ".", &directory);
    while (directory && (pid = numbers_next(directory)))
        process_tell(proc_fd, &locks, pid, told, context);
    if (directory)
        closedir(directory);
    lock_table_release(&locks);
    return error;
}
