/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/program.h"

#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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
    struct witness witness;
    sigset_t set;
    int gate[2];

    signals_set(&set);
    int error = witness_start(&set, &witness);
    if (error)
        return error;
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, gate)) {
        error = -errno;
        goto fail;
    }
    pid_t pid = fork();
    if (pid < 0) {
        error = -errno;
        close(gate[0]);
        close(gate[1]);
        goto fail;
    }
    if (pid == 0) {
        close(gate[0]);
        child_run(argv, signals, gate[1]);
    }
    close(gate[1]);
    *program = (struct program){.pid = pid, .gate_fd = gate[0], .witness = witness};
    return 0;

fail:
    witness_end(&witness);
    return error;
}

void program_destroy(struct program *program)
{
    if (program->gate_fd >= 0)
        close(program->gate_fd);
    witness_end(&program->witness);
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

void program_signal(struct program *program, const struct signal_news *news)
{
    /* The witness is asked in any case: it has to forget the terminal's signals, too. */
    const bool group_has_it = witness_saw(&program->witness, news->number);

    if (news->from_terminal || group_has_it)
        return;
    switch (news->number) {
    case SIGINT:
    case SIGQUIT:
    case SIGTERM:
    case SIGHUP:
    case SIGUSR1:
    case SIGUSR2:
    case SIGTSTP:
    case SIGCONT:
        kill(program->pid, news->number);
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
        program->death_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        program->exit_status = WIFSIGNALED(status) ? EXIT_SIGNAL_BASE + WTERMSIG(status)
                                                   : WEXITSTATUS(status);
    }
}

void program_follow_stop(struct program *program)
{
    const int64_t stopped_ns = clock_now_ns();

    program->stopped = false;
    raise(SIGSTOP);
    program->stopped_ns += clock_now_ns() - stopped_ns;
}

void program_die_alike(const struct program *program)
{
    const struct rlimit no_core = {0};
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    sigset_t set;

    if (!program->death_signal)
        return;
    /* The program has dumped its core; one of juggle would only hide it. */
    setrlimit(RLIMIT_CORE, &no_core);
    prctl(PR_SET_DUMPABLE, 0);
    sigaction(program->death_signal, &by_default, NULL);
    sigemptyset(&set);
    sigaddset(&set, program->death_signal);
    raise(program->death_signal);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}
