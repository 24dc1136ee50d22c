/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposes the functions that wait with another mask of signals. A program may block all signals
 * but SIGTRAP in such a wait. The mask would then block STAND_IN, our handler would take the
 * program's SIGTRAP for one that is blocked, and send it again for ever. So a mask that does not
 * block SIGTRAP does not block STAND_IN, either.
 *
 * A mask that blocks SIGTRAP blocks it in the kernel, too. Otherwise a SIGTRAP of the program would
 * end the wait.
 */
#include "libjuggle/preload/blocking.h"

#if defined(__x86_64__)

#include "libjuggle/preload/next.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>

enum { SIGNALS_OF_INT = 31 };

/* No header declares these always. */
EXPORT int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout,
                       const sigset_t *mask, size_t size);
EXPORT int __sigpause(int signal_or_mask, int is_signal);
EXPORT int __xpg_sigpause(int number);
/* <signal.h> gives this name to __xpg_sigpause. */
EXPORT int sigpause_bsd(int mask) __asm__("sigpause");

enum { SUSPEND, PPOLL, PPOLL_CHK, PSELECT, EPOLL, EPOLL2, NEXTS_COUNT };

static struct {
    const char *name;
    next_t known;
} nexts[NEXTS_COUNT] = {
    [SUSPEND] = {.name = "sigsuspend"},    [PPOLL] = {.name = "ppoll"},
    [PPOLL_CHK] = {.name = "__ppoll_chk"}, [PSELECT] = {.name = "pselect"},
    [EPOLL] = {.name = "epoll_pwait"},     [EPOLL2] = {.name = "epoll_pwait2"},
};

static void *next_of(int function)
{
    return next_find(&nexts[function].known, nexts[function].name, "/libc.");
}

/* Handlers may call these functions, and must not search for them. */
__attribute__((constructor)) static void find_all(void)
{
    for (int function = 0; function < NEXTS_COUNT; function++)
        (void)next_of(function);
}

static int is_missing(void)
{
    errno = ENOSYS;
    return -1;
}

/* Returns the mask that the kernel gets, which may be in `room`. */
static const sigset_t *mask_for_kernel(const sigset_t *mask, sigset_t *room)
{
    if (!mask || sigismember(mask, SIGTRAP) > 0)
        return mask;
    *room = *mask;
    sigdelset(room, STAND_IN);
    return room;
}

EXPORT int sigsuspend(const sigset_t *mask)
{
    __typeof__(&sigsuspend) next = next_of(SUSPEND);
    sigset_t room;

    return next ? next(mask_for_kernel(mask, &room)) : is_missing();
}

EXPORT int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout,
                 const sigset_t *mask)
{
    __typeof__(&ppoll) next = next_of(PPOLL);
    sigset_t room;

    return next ? next(files, count, timeout, mask_for_kernel(mask, &room)) : is_missing();
}

EXPORT int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout,
                       const sigset_t *mask, size_t size)
{
    __typeof__(&__ppoll_chk) next = next_of(PPOLL_CHK);
    sigset_t room;

    return next ? next(files, count, timeout, mask_for_kernel(mask, &room), size) : is_missing();
}

EXPORT int pselect(int limit, fd_set *readable, fd_set *writable, fd_set *exceptional,
                   const struct timespec *timeout, const sigset_t *mask)
{
    __typeof__(&pselect) next = next_of(PSELECT);
    sigset_t room;

    return next
               ? next(limit, readable, writable, exceptional, timeout, mask_for_kernel(mask, &room))
               : is_missing();
}

EXPORT int epoll_pwait(int epoll_fd, struct epoll_event *events, int max, int timeout_ms,
                       const sigset_t *mask)
{
    __typeof__(&epoll_pwait) next = next_of(EPOLL);
    sigset_t room;

    return next ? next(epoll_fd, events, max, timeout_ms, mask_for_kernel(mask, &room))
                : is_missing();
}

EXPORT int epoll_pwait2(int epoll_fd, struct epoll_event *events, int max,
                        const struct timespec *timeout, const sigset_t *mask)
{
    __typeof__(&epoll_pwait2) next = next_of(EPOLL2);
    sigset_t room;

    return next ? next(epoll_fd, events, max, timeout, mask_for_kernel(mask, &room)) : is_missing();
}

/* ---- functions of older systems ---- */

EXPORT int __xpg_sigpause(int number)
{
    sigset_t mask;

    if (sigprocmask(SIG_BLOCK, NULL, &mask) || sigdelset(&mask, number))
        return -1;
    return sigsuspend(&mask);
}

EXPORT int sigpause_bsd(int bits)
{
    sigset_t mask = {0};

    for (int i = 1; i <= SIGNALS_OF_INT; i++)
        if ((unsigned)bits >> (i - 1) & 1)
            sigaddset(&mask, i);
    return sigsuspend(&mask);
}

EXPORT int __sigpause(int signal_or_mask, int is_signal)
{
    return is_signal ? __xpg_sigpause(signal_or_mask) : sigpause_bsd(signal_or_mask);
}

#endif
