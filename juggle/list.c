/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/actions.h"

#include "cli/foreign.h"
#include "juggle/command/program.h"
#include "cli/options.h"
#include "libjuggle/linux/claims.h"
#include "libjuggle/linux/numbers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TASK_SIZE = 32 };

static int threads_count(int proc_fd, pid_t pid)
{
    char name[TASK_SIZE];
    DIR *directory;
    int count = 0;

    snprintf(name, sizeof(name), "%d/task", (int)pid);
    if (numbers_open(proc_fd, name, &directory))
        return 0;
    while (numbers_next(directory))
        count++;
    closedir(directory);
    return count;
}

/* Leaves out a juggle that has claimed itself, which only keeps other balancers away from it. */
static void print(void *context, const struct claim *claim)
{
    const int *proc_fd = context;

    if (claim->pid == claim->holder && !strcmp(FOREIGN(claim->comm), "juggle"))
        return;
    printf("%7d %-15s %7d %7d %s\n", (int)claim->pid, FOREIGN(claim->comm),
           threads_count(*proc_fd, claim->pid), (int)claim->holder, FOREIGN(claim->holder_comm));
}

int list(void)
{
    int proc_fd;
    int error = procfs_open(&proc_fd);

    if (!error) {
        printf("%7s %-15s %7s %7s %s\n", "PID", "COMMAND", "THREADS", "BY", "BALANCER");
        error = claims_list(proc_fd, print, &proc_fd);
        close(proc_fd);
    }
    if (!error)
        error = stdout_flush();
    if (error)
        complain("juggle", "cannot list: %s", strerror(-error));
    return error ? EXIT_JUGGLE_FAILED : 0;
}
