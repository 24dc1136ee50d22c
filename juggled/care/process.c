/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/process.h"

#include "juggled/rules/trusted.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    NAME_SIZE = 32,
    STATUS_SIZE = 4096,
};

/* Reads a file of the process as text. */
static int file_read(int proc_fd, pid_t pid, const char *file, char *text, size_t size)
{
    char name[NAME_SIZE];

    snprintf(name, sizeof(name), "%d/%s", (int)pid, file);
    int fd = openat(proc_fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int error = procfs_text_read(fd, text, size);
    close(fd);
    return error;
}

/* The process may also end while its files are read. */
static int error_of_process(int error)
{
    return error == -ENOENT ? -ESRCH : error;
}

/* Reads the real, effective and saved id of that name. */
static int ids_find(char *status, const char *name, unsigned ids[3])
{
    const char *value = procfs_status_value(status, name);

    return sscanf(value, "%u %u %u", &ids[0], &ids[1], &ids[2]) == 3 ? 0 : -EBADMSG;
}

/* Whether the process has the user namespace of this service. In one of its own any process may
 * have all capabilities, and the user who has made the namespace may place it. */
static int has_our_users(int proc_fd, pid_t pid, bool *has)
{
    char ours[STATUS_SIZE], theirs[STATUS_SIZE];
    int error = file_read(proc_fd, getpid(), "uid_map", ours, sizeof(ours));

    if (error == -ENOENT) { /* this kernel has no user namespaces */
        *has = true;
        return 0;
    }
    if (!error)
        error = file_read(proc_fd, pid, "uid_map", theirs, sizeof(theirs));
    if (error)
        return error_of_process(error);
    *has = !strcmp(ours, theirs);
    return 0;
}

int process_capabilities(int proc_fd, const struct process *process, uint64_t *capabilities)
{
    bool counts = false;
    const int error = process->permitted ? has_our_users(proc_fd, process->pid, &counts) : 0;

    if (!error)
        *capabilities = counts ? process->permitted : 0;
    return error;
}

static const char *reserved_why(const struct thread_stat *stat)
{
    if (stat->tid == getpid())
        return "that process is juggled itself";
    return stat->kernel ? "that process is a thread of the kernel, which no program may balance"
                        : NULL;
}

/* -ESRCH: it is the number of another process's thread, which has a directory in /proc, too. */
static int status_parse(char *status, struct process *process)
{
    unsigned uids[3], gids[3];

    if (strtol(procfs_status_value(status, "Tgid"), NULL, 10) != process->pid)
        return -ESRCH;
    if (ids_find(status, "Uid", uids) || ids_find(status, "Gid", gids))
        return -EBADMSG;
    process->uid = uids[1];
    process->gid = gids[1];
    process->foreign = uids[0] != uids[1] || uids[0] != uids[2];
    process->permitted = strtoull(procfs_status_value(status, "CapPrm"), NULL, 16);
    return 0;
}

int process_identify(int proc_fd, pid_t pid, struct process *process)
{
    char *status = NULL;
    struct thread_stat stat;
    int error = pid > 0 ? procfs_stat_read(proc_fd, pid, pid, &stat) : -ESRCH;

    if (!error)
        error = procfs_status_read(proc_fd, pid, pid, &status);
    if (!error) {
        *process = (struct process){
            .pid = pid, .start_ticks = stat.start_ticks, .reserved = reserved_why(&stat)};
        error = status_parse(status, process);
    }
    free(status);
    return error_of_process(error);
}

bool process_ended(int pidfd)
{
    struct pollfd ended = {.fd = pidfd, .events = POLLIN};

    return poll(&ended, 1, 0) == 1;
}

int process_open(int proc_fd, const struct process *process, int *pidfd)
{
    struct thread_stat stat;
    int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);

    /* Now it is the id of a thread of another process: -EINVAL, since Linux 6.15 -ENOENT. */
    if (fd < 0)
        return errno == EINVAL ? -ESRCH : error_of_process(-errno);
    /* The pidfd keeps its process: if that is the right one now, it remains so. */
    int error = process_ended(fd) ? -ESRCH
                                  : procfs_stat_read(proc_fd, process->pid, process->pid, &stat);
    if (!error && stat.start_ticks != process->start_ticks)
        error = -ESRCH;
    if (error) {
        close(fd);
        return error_of_process(error);
    }
    *pidfd = fd;
    return 0;
}

long process_threads(int proc_fd, const struct process *process)
{
    char name[NAME_SIZE];
    struct stat task;

    snprintf(name, sizeof(name), "%d/task", (int)process->pid);
    /* The link count of a directory is 2 plus the number of its subdirectories, one per thread. */
    return fstatat(proc_fd, name, &task, 0) ? 0 : (long)task.st_nlink - 2;
}

json_t *process_to_json(const struct process *process)
{
    return json_pack("{s:i, s:I}", "pid", (int)process->pid, "start_ticks",
                     (json_int_t)process->start_ticks);
}

static const char *executable_read(int proc_fd, pid_t pid, char *path, size_t size)
{
    char name[NAME_SIZE];

    snprintf(name, sizeof(name), "%d/exe", (int)pid);
    const ssize_t length = readlinkat(proc_fd, name, path, size - 1);
    if (length < 0)
        return NULL;
    path[length] = '\0';
    return path;
}

/* The unified hierarchy's line is "0::PATH". */
static const char *cgroup_find(char *text)
{
    static const char unified[] = "0::";

    for (char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, unified, strlen(unified)) != 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        return line + strlen(unified);
    }
    return NULL;
}

int process_describe(int proc_fd, const struct process *process,
                     struct process_description *description)
{
    struct thread_stat stat;
    int error = procfs_stat_read(proc_fd, process->pid, process->pid, &stat);

    if (error)
        return error;
    error = file_read(proc_fd, process->pid, "cgroup", description->cgroup,
                      sizeof(description->cgroup));
    /* Otherwise a rule with a control group would not match, and a later one might. */
    if (trusted_is_passing(error))
        return error;
    description->comm = stat.comm;
    description->facts = (struct process_facts){
        .executable = executable_read(proc_fd, process->pid, description->executable,
                                      sizeof(description->executable)),
        .comm = description->comm.untrusted,
        .cgroup = error ? NULL : cgroup_find(description->cgroup),
        .uid = process->uid,
        .gid = process->gid,
    };
    return 0;
}
