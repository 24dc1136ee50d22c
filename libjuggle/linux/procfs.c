/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kernel's PF_KTHREAD and PF_NO_SETAFFINITY. */
#define FLAG_KERNEL    0x00200000UL
#define FLAG_IMMOVABLE 0x04000000UL

enum {
    PATH_SIZE = 64,  /* "PID/task/TID/FILE" */
    STAT_SIZE = 512, /* up to field 39 and beyond */
    SCHEDSTAT_SIZE = 80,
    CHUNK_SIZE = 4096,
};

/* Fields of a stat file, counted from one as in proc(5). */
enum {
    FIELD_STATE = 3,
    FIELD_PARENT = 4,
    FIELD_FLAGS = 9,
    FIELD_USER = 14,
    FIELD_START = 22,
    FIELD_CPU = 39
};

int procfs_open(int *proc_fd)
{
    int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    *proc_fd = fd;
    return 0;
}

bool procfs_is_own(int proc_fd)
{
    char self[PATH_SIZE], own[PATH_SIZE];
    const ssize_t length = readlinkat(proc_fd, "self", self, sizeof(self) - 1);
    struct stat stat;

    if (length < 0)
        return fstatat(proc_fd, "self", &stat, AT_SYMLINK_NOFOLLOW);
    self[length] = '\0';
    snprintf(own, sizeof(own), "%d", (int)getpid());
    return !strcmp(self, own);
}

/* The file of a dead thread is missing; if it was opened before, reading it fails with ESRCH. */
static int gone(int error)
{
    return error == ENOENT || error == ESRCH ? -ESRCH : -error;
}

int procfs_thread_open(int proc_fd, pid_t pid, pid_t tid, const char *file, int *fd)
{
    char path[PATH_SIZE];
    int opened;

    snprintf(path, sizeof(path), "%d/task/%d/%s", pid, tid, file);
    opened = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
    if (opened < 0)
        return gone(errno);
    *fd = opened;
    return 0;
}

FILE *procfs_lines_open(int root_fd, const char *path)
{
    const int fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "r");

    if (!stream && fd >= 0)
        close(fd);
    return stream;
}

FILE *procfs_process_open(int proc_fd, pid_t pid, const char *file)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof(path), "%d/%s", (int)pid, file);
    return procfs_lines_open(proc_fd, path);
}

static ssize_t piece_read(int fd, char *text, size_t size, size_t from)
{
    ssize_t length;

    do
        length = pread(fd, text, size, (off_t)from);
    while (length < 0 && errno == EINTR);
    return length;
}

int procfs_text_read(int fd, char *text, size_t size)
{
    const ssize_t length = piece_read(fd, text, size - 1, 0);

    if (length < 0)
        return gone(errno);
    text[length] = '\0';
    return 0;
}

int procfs_pieces_read(int fd, char *text, size_t size)
{
    size_t end = 0;
    ssize_t length;

    do {
        length = piece_read(fd, text + end, size - 1 - end, end);
        if (length < 0)
            return gone(errno);
        end += (size_t)length;
    } while (length > 0);
    text[end] = '\0';
    return 0;
}

/* Reads again with twice the room until the text is shorter than that. */
static int whole_take(int fd, char **result)
{
    size_t size = CHUNK_SIZE;
    char *text = NULL;
    int error = 0;

    do {
        free(text);
        size *= 2;
        text = malloc(size);
        error = text ? procfs_pieces_read(fd, text, size) : -ENOMEM;
    } while (!error && strlen(text) == size - 1);
    if (error)
        free(text);
    else
        *result = text;
    return error;
}

int procfs_whole_read(int root_fd, const char *path, char **text)
{
    const int fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return gone(errno);
    const int error = whole_take(fd, text);
    close(fd);
    return error;
}

int procfs_thread_read(int proc_fd, pid_t pid, pid_t tid, const char *file, char *text, size_t size)
{
    int fd = -1, error;

    error = procfs_thread_open(proc_fd, pid, tid, file, &fd);
    if (error)
        return error;
    error = procfs_text_read(fd, text, size);
    close(fd);
    return error;
}

int procfs_stat_read(int proc_fd, pid_t pid, pid_t tid, struct thread_stat *stat)
{
    char text[STAT_SIZE];
    int error = procfs_thread_read(proc_fd, pid, tid, "stat", text, sizeof(text));

    return error ? error : procfs_stat_parse(text, stat);
}

int procfs_status_read(int proc_fd, pid_t pid, pid_t tid, char **status)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof(path), "%d/task/%d/status", pid, tid);
    return procfs_whole_read(proc_fd, path, status);
}

char *procfs_status_value(char *status, const char *name)
{
    const size_t length = strlen(name);

    for (char *end = strchr(status, '\n'); end; end = strchr(end + 1, '\n'))
        if (!strncmp(end + 1, name, length) && end[1 + length] == ':')
            return end + length + 2 + strspn(end + length + 2, " \t");
    return status + strlen(status);
}

int procfs_process_of(int proc_fd, pid_t tid, pid_t *pid)
{
    char *status;
    const int error = procfs_status_read(proc_fd, tid, tid, &status);

    if (error)
        return error;
    const long process = strtol(procfs_status_value(status, "Tgid"), NULL, 10);
    free(status);
    if (process <= 0)
        return -EBADMSG;
    *pid = (pid_t)process;
    return 0;
}

int procfs_schedstat_read(int proc_fd, pid_t pid, pid_t tid, struct thread_schedstat *schedstat)
{
    char text[SCHEDSTAT_SIZE];
    int error = procfs_thread_read(proc_fd, pid, tid, "schedstat", text, sizeof(text));

    return error ? error : procfs_schedstat_parse(text, schedstat);
}

/* Skips `count` fields, each ended by one blank. NULL if the text ends before. Fields are short: a
 * loop is faster than a search for each. */
static const char *fields_skip(const char *text, int count)
{
    while (text && count > 0) {
        if (!*text)
            return NULL;
        count -= *text++ == ' ';
    }
    return text;
}

int procfs_stat_brief(const char *text, char *state, int *cpu)
{
    const char *close = strrchr(text, ')');
    const char *field = close && close[1] == ' ' ? fields_skip(close + 2, FIELD_CPU - FIELD_STATE)
                                                 : NULL;

    if (!field)
        return -EBADMSG;
    *state = close[2];
    *cpu = (int)strtol(field, NULL, 10);
    return 0;
}

int procfs_stat_parse(const char *text, struct thread_stat *stat)
{
    /* A comm may hold anything, parentheses and blanks too: it ends at the last one. */
    const char *open = strchr(text, '(');
    const char *close = strrchr(text, ')');
    struct thread_stat parsed = {0};

    if (!open || !close || close < open || close[1] != ' ')
        return -EBADMSG;
    size_t length = (size_t)(close - open - 1);
    memcpy(parsed.comm.untrusted, open + 1, length < COMM_SIZE ? length : COMM_SIZE - 1);

    const char *state = close + 2;
    const char *parent = fields_skip(state, FIELD_PARENT - FIELD_STATE);
    const char *flags = fields_skip(parent, FIELD_FLAGS - FIELD_PARENT);
    const char *user = fields_skip(flags, FIELD_USER - FIELD_FLAGS);
    const char *system = fields_skip(user, 1);
    const char *start = fields_skip(state, FIELD_START - FIELD_STATE);
    if (!start)
        return -EBADMSG;
    parsed.tid = (pid_t)strtol(text, NULL, 10);
    parsed.state = *state;
    parsed.parent = (pid_t)strtol(parent, NULL, 10);
    parsed.kernel = strtoul(flags, NULL, 10) & FLAG_KERNEL;
    parsed.immovable = strtoul(flags, NULL, 10) & FLAG_IMMOVABLE;
    parsed.run_ns = (strtoll(user, NULL, 10) + strtoll(system, NULL, 10)) *
                    (NSEC_PER_SEC / sysconf(_SC_CLK_TCK));
    parsed.start_ticks = strtoull(start, NULL, 10);
    const char *cpu = fields_skip(start, FIELD_CPU - FIELD_START);
    parsed.cpu = cpu ? (int)strtol(cpu, NULL, 10) : -1;
    *stat = parsed;
    return 0;
}

int procfs_schedstat_parse(const char *text, struct thread_schedstat *schedstat)
{
    struct thread_schedstat parsed;
    char *run_end, *wait_end, *slices_end;

    parsed.run_ns = strtoll(text, &run_end, 10);
    parsed.wait_ns = strtoll(run_end, &wait_end, 10);
    parsed.slices_count = strtoll(wait_end, &slices_end, 10);
    if (run_end == text || wait_end == run_end || slices_end == wait_end)
        return -EBADMSG;
    *schedstat = parsed;
    return 0;
}

int procfs_thread_check(int proc_fd, const struct thread_id *id)
{
    struct thread_stat stat;
    int error = procfs_stat_read(proc_fd, id->pid, id->tid, &stat);

    if (error)
        return error;
    return stat.start_ticks == id->start_ticks ? 0 : -ESRCH;
}

bool procfs_thread_alive(int proc_fd, const struct thread_id *id)
{
    return procfs_thread_check(proc_fd, id) == 0;
}

/* A directory has a link for each directory in it. */
static uint64_t threads_fingerprint(int proc_fd, pid_t pid)
{
    char path[PATH_SIZE];
    struct stat stat;

    snprintf(path, sizeof(path), "%d/task", pid);
    return fstatat(proc_fd, path, &stat, 0) ? 0 : stat.st_nlink;
}

/* The length of the list of its children, in bytes. */
static uint64_t children_fingerprint(int proc_fd, pid_t pid)
{
    char chunk[CHUNK_SIZE];
    int fd = -1;

    if (procfs_thread_open(proc_fd, pid, pid, "children", &fd))
        return 0;
    const ssize_t length = read(fd, chunk, sizeof(chunk));
    close(fd);
    return length < 0 ? 0 : (uint64_t)length;
}

uint64_t procfs_fingerprint(int proc_fd, pid_t pid)
{
    return threads_fingerprint(proc_fd, pid) * CHUNK_SIZE + children_fingerprint(proc_fd, pid);
}
