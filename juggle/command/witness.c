/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/command/witness.h"

#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A pid that no process has. */
enum { NOBODY = INT_MAX };

/* The witness's loop. Each byte that it reads names a pending signal to consume; it answers with
 * the same byte when that is done. */
static _Noreturn void testify(int line_fd)
{
    const struct timespec at_once = {0};
    unsigned char number;

    /* Closes all other descriptors, so that no process waits for the end of a pipe or for a file
     * lock that the witness holds. */
    line_fd = dup2(line_fd, STDIN_FILENO);
    close_range(STDIN_FILENO + 1, ~0U, 0);
    prctl(PR_SET_NAME, "juggle-witness");
    while (read(line_fd, &number, sizeof(number)) == sizeof(number)) {
        sigset_t forgotten;
        sigemptyset(&forgotten);
        sigaddset(&forgotten, number);
        while (sigtimedwait(&forgotten, NULL, &at_once) > 0)
            ;
        if (write(line_fd, &number, sizeof(number)) < 0)
            break;
    }
    _exit(0);
}

int witness_start(const sigset_t *set, struct witness *witness)
{
    int line[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line))
        return -errno;
    const pid_t pid = fork();
    if (pid < 0) {
        const int error = -errno;
        close(line[0]);
        close(line[1]);
        return error;
    }
    if (pid == 0) {
        sigprocmask(SIG_BLOCK, set, NULL);
        testify(line[1]);
    }
    close(line[1]);
    *witness = (struct witness){.pid = pid, .line_fd = line[0]};
    return 0;
}

static bool is_pending(pid_t pid, int number, bool *stopped)
{
    int proc_fd;
    char *status;

    *stopped = false;
    if (procfs_open(&proc_fd))
        return false;
    const int error = procfs_status_read(proc_fd, pid, pid, &status);
    close(proc_fd);
    if (error)
        return false;
    const unsigned long long pending = strtoull(procfs_status_value(status, "ShdPnd"), NULL, 16);
    *stopped = *procfs_status_value(status, "State") == 'T';
    free(status);
    return pending >> (number - 1) & 1;
}

static void forget(const struct witness *witness, int number)
{
    unsigned char byte = (unsigned char)number;

    if (send(witness->line_fd, &byte, sizeof(byte), MSG_NOSIGNAL) == sizeof(byte))
        (void)!recv(witness->line_fd, &byte, sizeof(byte), 0);
}

bool witness_saw(const struct witness *witness, int number)
{
    bool stopped;

    if (!is_pending(witness->pid, number, &stopped))
        return false;
    /* The witness was stopped with the group, and only juggle was continued. */
    if (stopped) {
        kill(witness->pid, SIGCONT);
        forget(witness, SIGCONT);
    }
    /* If the same signal arrives again before the answer, it is consumed with the first. juggle
     * gets both as one signal, too. */
    forget(witness, number);
    return true;
}

void witness_reaped(struct witness *witness, pid_t pid)
{
    if (pid == witness->pid)
        witness->pid = NOBODY;
}

void witness_dismiss(const struct witness *witness)
{
    kill(witness->pid, SIGKILL); /* a child may have inherited line_fd */
}

void witness_end(struct witness *witness)
{
    witness_dismiss(witness);
    close(witness->line_fd);
    waitpid(witness->pid, NULL, 0);
}
