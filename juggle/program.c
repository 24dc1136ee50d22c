/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/program.h"

#include <errno.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void child_run(char *const *argv, const struct signals *signals, int gate_fd)
{
    char go;

    if (read(gate_fd, &go, sizeof(go)) != sizeof(go))
        _exit(EXIT_JUGGLE_FAILED);
    signals_give_back(signals);
    execvp(argv[0], argv);
    int error = -errno;
    if (write(gate_fd, &error, sizeof(error)) < 0)
        _exit(EXIT_JUGGLE_FAILED);
    _exit(EXIT_NOT_EXECUTABLE);
}

int program_start(char *const *argv, const struct signals *signals, struct program *program)
{
    int gate[2];

    if (prctl(PR_SET_CHILD_SUBREAPER, 1))
        return -errno;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, gate))
        return -errno;
    pid_t pid = fork();
    if (pid < 0) {
        int error = -errno;
        close(gate[0]);
        close(gate[1]);
        return error;
    }
    if (pid == 0) {
        close(gate[0]);
        child_run(argv, signals, gate[1]);
    }
    close(gate[1]);
    *program = (struct program){.pid = pid, .gate_fd = gate[0]};
    return 0;
}

int program_release(struct program *program)
{
    const char go = 0;
    int error = 0;

    /* A child that was killed at the gate is not an error of exec: reaping tells. */
    if (send(program->gate_fd, &go, sizeof(go), MSG_NOSIGNAL) == sizeof(go) &&
        recv(program->gate_fd, &error, sizeof(error), 0) != sizeof(error))
        error = 0; /* closed by exec */
    close(program->gate_fd);
    program->gate_fd = -1;
    return error;
}

void program_signal(const struct program *program, const struct signal_news *news)
{
    switch (news->number) {
    case SIGTERM:
    case SIGHUP:
    case SIGUSR1:
    case SIGUSR2:
    case SIGTSTP:
        if (!news->from_terminal)
            kill(program->pid, news->number);
        break;
    case SIGCONT:
        kill(program->pid, SIGCONT);
        break;
    }
}

void program_reap(struct program *program)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
        if (pid != program->pid)
            continue;
        if (WIFSTOPPED(status)) {
            /* SIGSTOP was meant for the program alone: whoever sent it continues it the same way.
             */
            program->stopped = WSTOPSIG(status) != SIGSTOP;
            continue;
        }
        program->ended = true;
        program->exit_status = WIFSIGNALED(status) ? EXIT_SIGNAL_BASE + WTERMSIG(status)
                                                   : WEXITSTATUS(status);
    }
}

void program_follow_stop(struct program *program)
{
    program->stopped = false;
    raise(SIGSTOP);
}
