/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines functions with the names of functions of the C library, on top of other functions of its
 * own: sigaction() on __sigaction(), as the runtime of Erlang does, and others. Prints how many
 * signals came.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*handler_t)(int);

static int came_count;

static void *behind(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (!found) {
        fprintf(stderr, "namesakes: there is no %s\n", name);
        exit(1);
    }
    return found;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    int (*next)(int, const struct sigaction *, struct sigaction *) = behind("__sigaction");

    return next(number, action, before);
}

handler_t signal(int number, handler_t handler)
{
    handler_t (*next)(int, handler_t) = behind("ssignal");

    return next(number, handler);
}

handler_t __sysv_signal(int number, handler_t handler)
{
    handler_t (*next)(int, handler_t) = behind("sysv_signal");

    return next(number, handler);
}

/* Only blocks or unblocks each signal; few programs need such a function of their own. */
int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    int (*next)(int) = behind(how == SIG_BLOCK ? "sighold" : "sigrelse");

    (void)before;
    for (int i = 1; i < NSIG; i++)
        if (set && sigismember(set, i) > 0 && next(i))
            return -1;
    return 0;
}

static void come(int number)
{
    (void)number;
    came_count++;
}

int main(void)
{
    sigset_t mask;

    if (sigaction(SIGUSR1, &(struct sigaction){.sa_handler = come}, NULL) ||
        signal(SIGUSR2, come) == SIG_ERR || __sysv_signal(SIGHUP, come) == SIG_ERR)
        return 1;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    if (sigprocmask(SIG_BLOCK, &mask, NULL))
        return 1;
    raise(SIGUSR1);
    const int blocked_count = came_count;
    if (sigprocmask(SIG_UNBLOCK, &mask, NULL))
        return 1;
    raise(SIGUSR2);
    raise(SIGHUP);
    return printf("%d, then %d\n", blocked_count, came_count) < 0;
}
