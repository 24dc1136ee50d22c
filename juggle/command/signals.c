/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/command/signals.h"

#include <errno.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* The signals that juggle handles: all that a program may be sent, except SIGSTOP, SIGTTIN and
 * SIGTTOU, and those of faults such as SIGSEGV. */
static const int taken[] = {
    SIGCHLD,   SIGINT,  SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT,  SIGALRM,
    SIGVTALRM, SIGPROF, SIGXCPU, SIGIO,   SIGPWR, SIGPIPE, SIGXFSZ, SIGURG,  SIGWINCH,
#ifdef SIGSTKFLT
    SIGSTKFLT,
#endif
};

void signals_set(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < ARRAY_COUNT(taken); i++)
        sigaddset(set, taken[i]);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        sigaddset(set, number);
}

/* If juggle inherited that SIGCHLD is ignored, the exit status could not be read. Neither a
 * closed stderr (SIGPIPE) nor a report beyond a limit of file size (SIGXFSZ) may end juggle
 * before it has returned the program's status, not even in a thread that does not block them. */
static int actions_take(struct signals *signals)
{
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    const struct sigaction ignored = {.sa_handler = SIG_IGN};

    if (sigaction(SIGCHLD, &by_default, &signals->inherited_child) ||
        sigaction(SIGPIPE, &ignored, &signals->inherited_pipe) ||
        sigaction(SIGXFSZ, &ignored, &signals->inherited_file_size))
        return -errno;
    return 0;
}

/* Fails if the signals cannot be blocked: a signal that is not blocked never arrives at the
 * descriptor, and juggle would wait there forever. */
static int signals_block(const sigset_t *set, struct signals *made, const char **call)
{
    int error;

    *call = "sigprocmask";
    if (sigprocmask(SIG_BLOCK, set, &made->inherited_mask))
        return -errno;
    *call = "sigaction";
    error = actions_take(made);
    if (error)
        sigprocmask(SIG_SETMASK, &made->inherited_mask, NULL);
    return error;
}

int signals_take(struct signals *signals, const char **call)
{
    struct signals made;
    sigset_t set;

    signals_set(&set);
    *call = "signalfd";
    made.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (made.fd < 0)
        return -errno;
    const int error = signals_block(&set, &made, call);
    if (error) {
        close(made.fd);
        return error;
    }
    *signals = made;
    return 0;
}

/* To ignore a signal drops those that are pending: they may be of what juggle has written. */
void signals_give_back(const struct signals *signals)
{
    const struct sigaction ignored = {.sa_handler = SIG_IGN};

    sigaction(SIGPIPE, &ignored, NULL);
    sigaction(SIGXFSZ, &ignored, NULL);
    sigaction(SIGCHLD, &signals->inherited_child, NULL);
    sigaction(SIGPIPE, &signals->inherited_pipe, NULL);
    sigaction(SIGXFSZ, &signals->inherited_file_size, NULL);
    sigprocmask(SIG_SETMASK, &signals->inherited_mask, NULL);
}

/* Uses SIGTSTP, not SIGSTOP, so that the shell takes it for a stop by the terminal. */
void signals_stop(void)
{
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    struct sigaction inherited;
    sigset_t set, blocked;

    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    sigaction(SIGTSTP, &by_default, &inherited);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &set, &blocked);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    sigaction(SIGTSTP, &inherited, NULL);
}

/* Only for a signal from the kernel. The kernel also sends signals of timers, such as those of
 * alarm(2) before juggle was executed; they are not in this list. */
static bool is_of_group(int number)
{
    return number == SIGINT || number == SIGQUIT || number == SIGTSTP || number == SIGWINCH;
}

/* True if the signal is to have no effect. A blocked signal arrives at the descriptor even if it
 * is ignored. A process that sends SIGINT to juggle alone means it, even if juggle ignores
 * SIGINT because a script started it in the background. An ignored SIGHUP counts as ignored
 * whoever sent it, because a shell hangs up all processes that it has started. */
static bool is_ignored(int number, bool by_kernel)
{
    struct sigaction action;

    return (by_kernel || number == SIGHUP) && !sigaction(number, NULL, &action) &&
           action.sa_handler == SIG_IGN;
}

int signals_read(const struct signals *signals, struct signal_news *news)
{
    struct signalfd_siginfo info;

    if (read(signals->fd, &info, sizeof(info)) != sizeof(info))
        return -EAGAIN;
    const bool by_kernel = info.ssi_code == SI_KERNEL;
    news->number = (int)info.ssi_signo;
    news->from_terminal = by_kernel && is_of_group(news->number);
    news->ignored = is_ignored(news->number, by_kernel);
    news->sender = info.ssi_code <= 0 ? (pid_t)info.ssi_pid : 0;
    news->own = by_kernel ? news->number == SIGXCPU : news->sender == getpid();
    news->queued = info.ssi_code == SI_QUEUE;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): as it was sent */
    news->value.sival_ptr = (void *)(uintptr_t)info.ssi_ptr;
    return 0;
}
