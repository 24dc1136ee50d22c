/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks all signals, and waits for SIGTRAP by each of the functions that take another mask for the
 * time of a wait. Prints "open" if the kernel does not block SIGTRAP afterwards, and "suspended" if
 * each of them calls the handler and ends the wait.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIGNALS_OF_INT = 31, SOON_US = 20000, LONG_MS = 10000, SIGSET_SIZE = 8 };

static const struct timespec long_time = {.tv_sec = 10};
static volatile sig_atomic_t traps_count, urgent_count;

static void heed(int signal)
{
    traps_count += signal == SIGTRAP;
    urgent_count += signal == SIGURG;
}

static int by_sigsuspend(const sigset_t *mask)
{
    return sigsuspend(mask);
}

static int by_ppoll(const sigset_t *mask)
{
    return ppoll(NULL, 0, &long_time, mask);
}

static int by_pselect(const sigset_t *mask)
{
    return pselect(0, NULL, NULL, NULL, &long_time, mask);
}

static int by_epoll(const sigset_t *mask)
{
    struct epoll_event event;
    const int fd = epoll_create1(EPOLL_CLOEXEC);
    const int error = epoll_pwait(fd, &event, 1, LONG_MS, mask);

    close(fd);
    return error;
}

static int by_epoll2(const sigset_t *mask)
{
    struct epoll_event event;
    const int fd = epoll_create1(EPOLL_CLOEXEC);
    const int error = epoll_pwait2(fd, &event, 1, &long_time, mask);

    close(fd);
    return error;
}

/* Called in the place of ppoll() if the compiler knows the size of `files`. */
int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout,
                const sigset_t *mask, size_t size);

static int by_checked_ppoll(const sigset_t *mask)
{
    struct pollfd file = {.fd = -1};

    return __ppoll_chk(&file, 1, &long_time, mask, sizeof(file));
}

/* Compilers warn of these two. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static int by_sigpause(const sigset_t *mask)
{
    (void)mask;
    return sigpause(SIGTRAP);
}

/* The function that programs of BSD call by the same name: it takes a mask. */
int pause_with(int mask) __asm__("sigpause");

static unsigned bits_of(const sigset_t *mask)
{
    unsigned bits = 0;

    for (int i = 1; i <= SIGNALS_OF_INT; i++)
        bits |= (unsigned)sigismember(mask, i) << (i - 1);
    return bits;
}

static int by_older_sigpause(const sigset_t *mask)
{
    return pause_with((int)bits_of(mask));
}

/* The function that both of them are in the C library. */
int __sigpause(int signal_or_mask, int is_signal);

static int by_sigpause_of_a_signal(const sigset_t *mask)
{
    (void)mask;
    return __sigpause(SIGTRAP, 1);
}

static int by_sigpause_of_a_mask(const sigset_t *mask)
{
    return __sigpause((int)bits_of(mask), 0);
}

static int (*const waits[])(const sigset_t *) = {
    by_sigsuspend,
    by_ppoll,
    by_checked_ppoll,
    by_pselect,
    by_epoll,
    by_epoll2,
    by_sigpause,
    by_older_sigpause,
    by_sigpause_of_a_signal,
    by_sigpause_of_a_mask,
};

/* As compilers write it: the number is loaded right before the call. */
static int by_bare_call(const sigset_t *mask)
{
    long result;

    __asm__ volatile("mov %[number], %%eax\n\tsyscall"
                     : "=a"(result)
                     : [number] "i"(SYS_rt_sigsuspend), "D"(mask), "S"(SIGSET_SIZE)
                     : "rcx", "r11", "memory");
    errno = (int)-result;
    return -1;
}

/* Nothing tells which call syscall() makes, so the wait may end once before the handler is called.
 */
static int by_syscall(const sigset_t *mask)
{
    const int before = traps_count;
    long result;

    do
        result = syscall(SYS_rt_sigsuspend, mask, SIGSET_SIZE);
    while (result == -1 && errno == EINTR && traps_count == before);
    return (int)result;
}

static pid_t send_soon(int number)
{
    const pid_t pid = fork();

    if (pid)
        return pid;
    usleep(SOON_US);
    _exit(kill(getppid(), number) ? 1 : 0);
}

/* True if the wait ends by this signal, once, and all signals are blocked again. */
static int ends_by(int (*wait_with)(const sigset_t *), const sigset_t *mask, int number)
{
    const int before = traps_count;
    const pid_t pid = send_soon(number);
    const int ended = wait_with(mask) == -1 && errno == EINTR;
    sigset_t now;

    return waitpid(pid, NULL, 0) == pid && ended && traps_count == before + (number == SIGTRAP) &&
           !sigprocmask(SIG_BLOCK, NULL, &now) && sigismember(&now, SIGTRAP);
}

/* A mask that blocks SIGTRAP, too, is left as it is: only the other signal ends the wait. */
static int blocks_trap(const sigset_t *others)
{
    sigset_t pending;

    return !kill(getpid(), SIGTRAP) && ends_by(by_sigsuspend, others, SIGURG) &&
           urgent_count == 1 && !sigpending(&pending) && sigismember(&pending, SIGTRAP);
}

/* In a child, because a SIGTRAP that the kernel lets through by mistake ends all traps. */
static int ends_in_child(int (*wait_with)(const sigset_t *), const sigset_t *mask)
{
    const pid_t pid = fork();
    int status;

    if (pid == 0)
        _exit(!ends_by(wait_with, mask, SIGTRAP));
    return waitpid(pid, &status, 0) == pid && status == 0;
}

/* True if the kernel does not block SIGTRAP, although the program reads that it does: as long as
 * no wait let a SIGTRAP through by mistake, traps go on. */
static int is_open(void)
{
    sigset_t now = {0};

    return !syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &now, SIGSET_SIZE) &&
           !sigismember(&now, SIGTRAP);
}

int main(void)
{
    sigset_t all, but_trap, but_urgent;

    sigfillset(&all);
    but_trap = but_urgent = all;
    sigdelset(&but_trap, SIGTRAP);
    sigdelset(&but_urgent, SIGURG);
    if (signal(SIGTRAP, heed) == SIG_ERR || signal(SIGURG, heed) == SIG_ERR ||
        sigprocmask(SIG_SETMASK, &all, NULL))
        return 1;
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
        if (!ends_by(waits[i], &but_trap, SIGTRAP)) {
            printf("wait %zu: %s, %d traps\n", i, strerror(errno), (int)traps_count);
            return 1;
        }
    if (is_open())
        puts("open");
    if (!ends_in_child(by_bare_call, &but_trap) || !ends_in_child(by_syscall, &but_trap)) {
        puts("a bare system call does not end");
        return 1;
    }
    puts(blocks_trap(&but_urgent) ? "suspended" : "a mask that blocks SIGTRAP does not");
    return 0;
}
