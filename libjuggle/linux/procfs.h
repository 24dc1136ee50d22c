/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the few files of /proc that juggle needs, under a root directory, so that a recorded tree
 * can stand in for it. Functions that return a stream or a text of any length allocate; a forked
 * child may call all others. */
#ifndef JUGGLE_LINUX_PROCFS_H
#define JUGGLE_LINUX_PROCFS_H

#include "libjuggle/linux/comm.h"
#include "libjuggle/linux/thread_id.h"
#include "libjuggle/ground/units.h"

#include <stdio.h>

/* What the first fields of a stat file say. */
struct thread_stat {
    pid_t tid;
    pid_t parent; /* the process that would be told of the exit */
    char state;
    bool kernel;    /* a thread of the kernel's own */
    bool immovable; /* the kernel lets nobody set its mask, and says -EINVAL */
    struct comm comm;
    int64_t run_ns; /* user + system time, in steps of a clock tick */
    uint64_t start_ticks;
    int cpu; /* the processor where it is or was last; -1: the kernel does not tell */
};

struct thread_schedstat {
    int64_t run_ns;
    int64_t wait_ns;
    int64_t slices_count;
};

/* "/proc" itself; the descriptor is closed on exec. */
int procfs_open(int *proc_fd) MUST_CHECK;
/* False if this /proc shows the numbers of another PID namespace, which belong to other processes
 * here. */
bool procfs_is_own(int proc_fd);

/* Threads may die while their files are read. Then all of these return -ESRCH, whatever the kernel
 * said. -EACCES: hidden from us; -EBADMSG: not the format that proc(5) describes. */
int procfs_stat_read(int proc_fd, pid_t pid, pid_t tid, struct thread_stat *stat) MUST_CHECK;
int procfs_schedstat_read(int proc_fd, pid_t pid, pid_t tid,
                          struct thread_schedstat *schedstat) MUST_CHECK;

/* Reads a thread's status file, to be freed. Its length has no bound: a process may have thousands
 * of groups. */
int procfs_status_read(int proc_fd, pid_t pid, pid_t tid, char **status) MUST_CHECK;
/* Returns the value in such a text that has a name such as "SigBlk", with all lines that follow. An
 * empty text: there is no such value. */
char *procfs_status_value(char *status, const char *name);

/* Finds the process of a thread. The number of a process gives itself. */
int procfs_process_of(int proc_fd, pid_t tid, pid_t *pid) MUST_CHECK;

/* Opens a file of a thread, such as "schedstat", to be read again and again with pread. */
int procfs_thread_open(int proc_fd, pid_t pid, pid_t tid, const char *file, int *fd) MUST_CHECK;

/* Reads the file's text from its beginning, cut at size - 1 bytes and ended by zero. */
int procfs_text_read(int fd, char *text, size_t size) MUST_CHECK;

/* The same for a file that the kernel may hand out piece by piece. A text of size - 1 bytes may
 * have been cut. */
int procfs_pieces_read(int fd, char *text, size_t size) MUST_CHECK;

/* Reads a file below /proc, /sys or a tree that stands in for them, however long it is, and ends it
 * by zero. The text is to be freed. */
int procfs_whole_read(int root_fd, const char *path, char **text) MUST_CHECK;

/* Opens, reads and closes a file of a thread; cut as by procfs_text_read. */
int procfs_thread_read(int proc_fd, pid_t pid, pid_t tid, const char *file, char *text,
                       size_t size) MUST_CHECK;

/* Opens a file below /proc, /sys or a tree that stands in for them, to be read line by line.
 * Returns NULL with errno set. */
FILE *procfs_lines_open(int root_fd, const char *path);
/* As procfs_lines_open, for a file of a process, such as "maps". */
FILE *procfs_process_open(int proc_fd, pid_t pid, const char *file);

int procfs_stat_parse(const char *text, struct thread_stat *stat) MUST_CHECK;
/* Parses only what changes from turn to turn. */
int procfs_stat_brief(const char *text, char *state, int *cpu) MUST_CHECK;
int procfs_schedstat_parse(const char *text, struct thread_schedstat *schedstat) MUST_CHECK;

/* Returns a number that changes when the process gets or loses threads, or its first thread
 * children. It takes a few microseconds, and may not change if as many came as went. */
uint64_t procfs_fingerprint(int proc_fd, pid_t pid);

/* Returns 0 if this very thread still lives, -ESRCH if not, another error if that cannot be
 * told. */
int procfs_thread_check(int proc_fd, const struct thread_id *id) MUST_CHECK;
/* True if procfs_thread_check returns 0. */
bool procfs_thread_alive(int proc_fd, const struct thread_id *id);

#endif
