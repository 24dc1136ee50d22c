/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three threads that spin at barriers, in a program that does something with signals or processes
 * of its own: trapped SHAPE. Prints the shape if all is as it would be without a balancer.
 *
 *   plain    nothing
 *
 *   number   adds up a number whose bytes are those of a `pause`
 *
 *   called   checks through a function whether it may go on, and must have slept meanwhile
 *
 *   urgent   handles SIGURG; the handler is called for its own signals only
 *
 *   blocked  its threads block all signals
 *
 *   held     its threads block all signals when they have been caught, and find them blocked; the
 *            kernel does not block SIGTRAP, so they are still caught
 *
 *   born     begins with SIGTRAP blocked, as do its threads: it reads it as blocked, and is caught
 *
 *   trap     has a handler of SIGTRAP, which is called for its own signals
 *
 *   later    sets handlers of both when its threads have been caught; they are called for its own
 *            signals, once, and sigaction() returns them
 *
 *   default  restores the default of both when its threads have been caught
 *
 *   older    does all that with the functions of older systems, when its threads have been caught
 *
 *   filter   filters its system calls when its threads have been caught: it no longer sleeps or
 *            yields
 *
 *   sealed   filters its system calls before its threads begin: no handler may return
 *
 *   bare     does so without calling prctl(), as root may
 *
 *   alarm    a handler that blocks all signals spins in the same loop, now and then
 *
 *   raise    ends by a SIGTRAP of its own
 *
 *   fork     forks children meanwhile, which spin for a moment
 *
 *   exec     executes another program, whose signals are as they were
 *
 *   ignore   ignores both when its threads have been caught; so does the program it executes
 */
#include "tests/live/programs/spinning.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 900, WORK = 600000, CHILDREN = 10, SLEEPS_MIN = 50, ALARMS_MIN = 10 };

static const char *shape;
static struct meeting meeting;
static _Atomic int ticks_count;
static volatile sig_atomic_t traps_count, urgent_count, alarms_count;

static bool is_shape(const char *name)
{
    return !strcmp(shape, name);
}

/* A loop that calls this function does not show which address it reads. */
static __attribute__((noinline)) bool has_gone_on(int before)
{
    return atomic_load(&meeting.generation) != before;
}

/* The loop is as short as loops that wait. */
static bool adds_up(long passes)
{
    uint32_t sum = 0;

#if defined(__x86_64__)
    long left = passes;
    __asm__ volatile("0: addl $0x90f3, %%eax; decq %1; jnz 0b" : "+a"(sum), "+r"(left) : : "cc");
#else
    for (long i = 0; i < passes; i++)
        sum += 0x90f3;
#endif
    return sum == (uint32_t)passes * 0x90f3;
}

static __attribute__((noinline)) void wait_while(_Atomic int *word, int value)
{
    while (atomic_load(word) == value)
        pause_once();
}

static void meet(void)
{
    const int before = atomic_load(&meeting.generation);

    if (arrives_last(&meeting, THREADS))
        return;
    if (is_shape("called"))
        while (!has_gone_on(before))
            pause_once();
    wait_while(&meeting.generation, before);
}

/* The child has only one thread, and no other thread to wait for. */
static void fork_child(void)
{
    const pid_t pid = fork();

    if (pid == 0) {
        work(WORK);
        _exit(0);
    }
    if (pid > 0 && waitpid(pid, NULL, 0) != pid)
        abort();
}

static void heed(int signal)
{
    traps_count += signal == SIGTRAP;
    urgent_count += signal == SIGURG;
}

/* ---- a handler that spins ---- */

static void *tick(void *unused)
{
    for (;;) {
        usleep(500);
        atomic_fetch_add(&ticks_count, 1);
    }
    return unused;
}

static void wait_for_tick(int signal)
{
    (void)signal;
    wait_while(&ticks_count, atomic_load(&ticks_count));
    alarms_count++;
}

static void begin_alarms(void)
{
    struct sigaction action = {.sa_handler = wait_for_tick, .sa_flags = SA_RESTART}, now;
    const struct itimerval often = {{0, 2000}, {0, 2000}};
    pthread_t thread;
    sigset_t before;

    sigfillset(&action.sa_mask);
    /* The thread blocks the alarm from its start, because its handler would wait for the thread
     * itself. */
    if (pthread_sigmask(SIG_SETMASK, &action.sa_mask, &before) ||
        pthread_create(&thread, NULL, tick, NULL) || pthread_sigmask(SIG_SETMASK, &before, NULL) ||
        sigaction(SIGALRM, &action, NULL) || signal(SIGALRM, SIG_IGN) == SIG_ERR ||
        sigaction(SIGALRM, NULL, &now) || sigismember(&now.sa_mask, SIGTRAP) != 0 ||
        sigaction(SIGALRM, &action, NULL) || sigaction(SIGALRM, NULL, &now) ||
        sigismember(&now.sa_mask, SIGTRAP) != 1 || setitimer(ITIMER_REAL, &often, NULL))
        abort();
}

static void heed_once(int signal, siginfo_t *info, void *context)
{
    (void)context;
    heed(info->si_pid == getpid() ? signal : 0);
}

/* Checks that the default was set before, and that sigaction() returns what was set. */
static void change_both(const struct sigaction *action)
{
    struct sigaction before, now;

    for (int i = 0; i < 2; i++) {
        const int number = i ? SIGTRAP : SIGURG;
        if (sigaction(number, action, &before) || before.sa_handler != SIG_DFL ||
            sigaction(number, NULL, &now) || now.sa_sigaction != action->sa_sigaction ||
            (now.sa_flags & SA_SIGINFO) != (action->sa_flags & SA_SIGINFO))
            abort();
    }
}

/* The kernel kills the program if it makes one of the calls by which a waiting thread would
 * sleep or yield. */
static void filter_calls(bool returns)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_yield, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_nanosleep, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, returns ? 0 : 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

    if ((!is_shape("bare") && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program))
        abort();
}

/* Reads the kernel's mask, without the C library. */
static bool is_blocked(int number)
{
    uint64_t blocked = 0;

    return syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, sizeof(blocked)) ||
           blocked >> (number - 1) & 1;
}

static bool seems_blocked(void)
{
    sigset_t now, now_too;

    if (pthread_sigmask(SIG_BLOCK, NULL, &now) || sigprocmask(SIG_UNBLOCK, NULL, &now_too) ||
        sigismember(&now, SIGTRAP) != sigismember(&now_too, SIGTRAP))
        abort();
    return sigismember(&now, SIGTRAP);
}

/* Blocks all signals. Returns false, and blocks nothing, if no preloaded library intercepts the
 * call. */
static bool block_all(void)
{
    sigset_t all, before;

    sigfillset(&all);
    if (seems_blocked() || pthread_sigmask(SIG_BLOCK, &all, &before) ||
        sigismember(&before, SIGTRAP) || !seems_blocked() || !is_blocked(SIGURG))
        abort();
    return !is_blocked(SIGTRAP) || pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* A signal that is sent stays pending until it is taken, as usual; then no signal is blocked any
 * more. */
static void unblock_all(void)
{
    sigset_t trap, pending, none;
    int taken = 0;

    sigemptyset(&none);
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    if (is_blocked(SIGTRAP) || pthread_kill(pthread_self(), SIGTRAP) || sigpending(&pending) ||
        !sigismember(&pending, SIGTRAP) || !seems_blocked() || sigwait(&trap, &taken) ||
        taken != SIGTRAP || sigprocmask(SIG_SETMASK, &none, NULL) || seems_blocked())
        abort();
}

/* ---- functions of older systems, about which compilers warn ---- */

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

int __sigaction(int number, const struct sigaction *action, struct sigaction *before);
void (*bsd_signal(int number, void (*handler)(int)))(int);

static int bit_of(int number)
{
    return 1 << (number - 1);
}

/* Returns false, and blocks nothing, if no preloaded library intercepts the calls. */
static bool hold_older(void)
{
    int before, now;

    if (sighold(SIGTRAP) || !seems_blocked())
        abort();
    if (is_blocked(SIGTRAP))
        return sigrelse(SIGTRAP) != 0;
    if (sigrelse(SIGTRAP) || seems_blocked())
        abort();
    before = sigblock(-1);
    now = sigblock(0);
    if (!(now & bit_of(SIGTRAP)) || !(now & bit_of(SIGURG)) || !seems_blocked() ||
        !is_blocked(SIGURG) || is_blocked(SIGTRAP) || sigsetmask(before) != now || seems_blocked())
        abort();
    if (sigset(SIGTRAP, SIG_HOLD) != SIG_DFL || sigset(SIGTRAP, SIG_HOLD) != SIG_HOLD)
        abort();
    return true;
}

/* Checks that handlers are called for the program's own signals, and that reading returns them. */
static bool heeds_older(void)
{
    struct sigaction now;

    return sigset(SIGTRAP, heed) != SIG_ERR && !seems_blocked() && !raise(SIGTRAP) &&
           traps_count == 1 && bsd_signal(SIGTRAP, SIG_DFL) == heed &&
           ssignal(SIGURG, heed) == SIG_DFL && !raise(SIGURG) && urgent_count == 1 &&
           sysv_signal(SIGURG, SIG_DFL) == heed && !sigignore(SIGTRAP) && !raise(SIGTRAP) &&
           !__sigaction(SIGTRAP, NULL, &now) && now.sa_handler == SIG_IGN;
}

static void change_mind(void)
{
    if (is_shape("filter"))
        filter_calls(true);
    if (is_shape("later"))
        change_both(&(struct sigaction){.sa_sigaction = heed_once,
                                        .sa_flags = SA_SIGINFO | (int)SA_RESETHAND});
    if (is_shape("default"))
        change_both(&(struct sigaction){.sa_handler = SIG_DFL});
    if (is_shape("ignore"))
        change_both(&(struct sigaction){.sa_handler = SIG_IGN});
}

static void *thread_main(void *argument)
{
    bool held = false;
    sigset_t all;

    sigfillset(&all);
    if (is_shape("blocked"))
        pthread_sigmask(SIG_SETMASK, &all, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        if (!is_shape("number"))
            work(WORK);
        else if (!adds_up(WORK))
            abort();
        if (!argument && is_shape("fork") && i % (ROUNDS / CHILDREN) == ROUNDS / CHILDREN - 1)
            fork_child();
        if (!argument && i == ROUNDS / 2)
            change_mind();
        if (i >= ROUNDS / 2 && !held && is_shape("held"))
            held = block_all();
        if (i >= ROUNDS / 2 && !held && is_shape("older"))
            held = hold_older();
        meet();
    }
    if (is_shape("held") && held)
        unblock_all();
    return NULL;
}

static void prepare(void)
{
    if (is_shape("urgent"))
        signal(SIGURG, heed);
    if (is_shape("trap"))
        signal(SIGTRAP, heed);
    if (is_shape("alarm"))
        begin_alarms();
    if (is_shape("sealed") || is_shape("bare"))
        filter_calls(false);
}

/* True if the signals of this program are as in a program without a balancer. */
static bool is_untouched(void)
{
    struct sigaction trap, urgent;
    sigset_t blocked;

    return !sigaction(SIGTRAP, NULL, &trap) && trap.sa_handler == SIG_DFL &&
           !sigaction(SIGURG, NULL, &urgent) && urgent.sa_handler != SIG_IGN &&
           !sigprocmask(SIG_BLOCK, NULL, &blocked) && !sigismember(&blocked, SIGURG);
}

/* A thread that only spins and yields never has a voluntary context switch. */
static bool has_slept(void)
{
    struct rusage usage;

    return !getrusage(RUSAGE_SELF, &usage) && usage.ru_nvcsw > SLEEPS_MIN;
}

static int finish(char **argv)
{
    if (is_shape("alarm") && alarms_count < ALARMS_MIN)
        return 1;
    if (is_shape("older") && !heeds_older())
        return 1;
    if (is_shape("called") && !has_slept())
        return 1;
    if (is_shape("born") && !seems_blocked())
        return 1;
    if ((is_shape("trap") || is_shape("later")) && (raise(SIGTRAP) || traps_count != 1))
        return 1;
    if ((is_shape("urgent") || is_shape("later")) && (raise(SIGURG) || urgent_count != 1))
        return 1;
    /* The handler was set for one signal only. */
    if (is_shape("later") && (raise(SIGURG) || urgent_count != 1))
        return 1;
    if (is_shape("exec") || is_shape("ignore"))
        return execl(argv[0], argv[0], is_shape("exec") ? "executed" : "ignoring", (char *)NULL);
    puts(shape);
    fflush(stdout);
    return is_shape("raise") ? raise(SIGTRAP) : 0;
}

/* Executes this program with SIGTRAP blocked, by a system call that no preloaded library
 * intercepts. */
static void begin_blocked(char **argv)
{
    const uint64_t trap = UINT64_C(1) << (SIGTRAP - 1);

    if (seems_blocked())
        return;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &trap, NULL, sizeof(trap));
    execv(argv[0], argv);
    abort();
}

static int thread_create(pthread_t *thread, intptr_t argument)
{
    pthread_attr_t attributes;
    sigset_t trap;

    pthread_attr_init(&attributes);
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    if (is_shape("born") && pthread_attr_setsigmask_np(&attributes, &trap))
        abort();
    return pthread_create(thread, &attributes, thread_main, (void *)argument);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];

    if (argc != 2)
        return 2;
    shape = argv[1];
    if (is_shape("born"))
        begin_blocked(argv);
    if (is_shape("executed"))
        return is_untouched() && puts("exec") >= 0 ? 0 : 1;
    if (is_shape("ignoring"))
        return signal(SIGTRAP, SIG_DFL) == SIG_IGN && signal(SIGURG, SIG_DFL) == SIG_IGN &&
                       puts("ignore") >= 0
                   ? 0
                   : 1;
    prepare();
    for (intptr_t i = 1; i < THREADS; i++)
        if (thread_create(&threads[i], i))
            return 1;
    thread_main(NULL);
    for (int i = 1; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return finish(argv);
}
