/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/spin_trap.h"

#include "libjuggle/linux/kernel_version.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STATUS_SIZE = 1 << 14, TRAPS_MAJOR = 5, TRAPS_MINOR = 18 };

static int breakpoint_open(const struct thread_id *id, uint64_t address, bool traps, int *fd)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_BREAKPOINT,
        .size = sizeof(attributes),
        .bp_type = HW_BREAKPOINT_X,
        .bp_addr = address,
        .bp_len = sizeof(long),
        .sample_period = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .sigtrap = traps,
        .remove_on_exec = traps,
        .inherit = traps,
        .inherit_thread = traps,
    };
    long opened = syscall(SYS_perf_event_open, &attributes, id->tid, -1, -1,
                          (unsigned long)PERF_FLAG_FD_CLOEXEC);

    if (opened < 0)
        return errno == ENOSYS || errno == ENOENT || errno == EOPNOTSUPP ? -ENOTSUP : -errno;
    *fd = (int)opened;
    return 0;
}

/* The signal first: without one it would be SIGIO, which ends who does not expect it. */
static int signal_ask(int fd, pid_t tid)
{
    const struct f_owner_ex owner = {F_OWNER_TID, tid};

    return fcntl(fd, F_SETSIG, SIGURG) || fcntl(fd, F_SETOWN_EX, &owner) ||
                   fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK)
               ? -errno
               : 0;
}

/* Before, a trap ended a thread that had blocked the signal. */
static bool is_offered(enum spin_signal signal)
{
    return signal == SPIN_SIGURG || kernel_is_at_least(TRAPS_MAJOR, TRAPS_MINOR);
}

int spin_trap_open(const struct thread_id *id, uint64_t address, enum spin_signal signal,
                   int *result)
{
    int fd = -1, error = 0;

    if (!is_offered(signal))
        return -ENOTSUP;
    error = breakpoint_open(id, address, signal == SPIN_SIGTRAP, &fd);
    if (!error && signal == SPIN_SIGURG)
        error = signal_ask(fd, id->tid);
    if (error && fd >= 0)
        close(fd);
    if (!error)
        *result = fd;
    return error;
}

/* A number in a status file, such as of "\nSigBlk:\t". */
static uint64_t number_of(const char *status, const char *name, int base)
{
    const char *found = strstr(status, name);

    return found ? strtoull(found + strlen(name), NULL, base) : 0;
}

static bool is_debugged(const char *status)
{
    return number_of(status, "\nTracerPid:\t", 10);
}

bool spin_trap_is_heard(int proc_fd, const struct thread_id *id, enum spin_signal signal)
{
    static const int numbers[SPIN_SIGNALS_COUNT] = {SIGURG, SIGTRAP};
    const uint64_t bit = UINT64_C(1) << (numbers[signal] - 1);
    char status[STATUS_SIZE];

    if (!is_offered(signal) ||
        procfs_thread_read(proc_fd, id->pid, id->tid, "status", status, sizeof(status)))
        return false;
    return number_of(status, "\nSigCgt:\t", 16) & bit &&
           !(number_of(status, "\nSigBlk:\t", 16) & bit) && !is_debugged(status);
}

bool spin_trap_is_debugged(int proc_fd, const struct thread_id *id)
{
    char status[STATUS_SIZE];

    return !procfs_thread_read(proc_fd, id->pid, id->tid, "status", status, sizeof(status)) &&
           is_debugged(status);
}
