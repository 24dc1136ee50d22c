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

#define EXPORT __attribute__((visibility("default")))

enum { SIGNALS_OF_INT = 31 };

/* No header declares these always. */
EXPORT int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout,
                       const sigset_t *mask, size_t size);
EXPORT int __sigpause(int signal_or_mask, int is_signal);
EXPORT int __xpg_sigpause(int number);
/* <signal.h> gives this name to __xpg_sigpause. */
EXPORT int sigpause_bsd(int mask) __asm__("sigpause");

typedef int suspend_function(const sigset_t *);
typedef int ppoll_function(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
typedef int ppoll_chk_function(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *,
                               size_t);
typedef int pselect_function(int, fd_set *, fd_set *, fd_set *, const struct timespec *,
                             const sigset_t *);
typedef int epoll_function(int, struct epoll_event *, int, int, const sigset_t *);
typedef int epoll2_function(int, struct epoll_event *, int, const struct timespec *,
                            const sigset_t *);

static next_t next_suspend, next_ppoll, next_ppoll_chk, next_pselect, next_epoll, next_epoll2;

static suspend_function *suspend_find(void)
{
    return next_find(&next_suspend, "sigsuspend", "/libc.");
}

static ppoll_function *ppoll_find(void)
{
    return next_find(&next_ppoll, "ppoll", "/libc.");
}

static ppoll_chk_function *ppoll_chk_find(void)
{
    return next_find(&next_ppoll_chk, "__ppoll_chk", "/libc.");
}

static pselect_function *pselect_find(void)
{
    return next_find(&next_pselect, "pselect", "/libc.");
}

static epoll_function *epoll_find(void)
{
    return next_find(&next_epoll, "epoll_pwait", "/libc.");
}

static epoll2_function *epoll2_find(void)
{
    return next_find(&next_epoll2, "epoll_pwait2", "/libc.");
}

/* Handlers may call these functions, and must not search for them. */
__attribute__((constructor)) static void find_all(void)
{
    (void)suspend_find();
    (void)ppoll_find();
    (void)ppoll_chk_find();
    (void)pselect_find();
    (void)epoll_find();
    (void)epoll2_find();
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
    suspend_function *next = suspend_find();
    sigset_t room;

    return next ? next(mask_for_kernel(mask, &room)) : is_missing();
}

EXPORT int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout,
                 const sigset_t *mask)
{
    ppoll_function *next = ppoll_find();
    sigset_t room;

    return next ? next(files, count, timeout, mask_for_kernel(mask, &room)) : is_missing();
}

EXPORT int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout,
                       const sigset_t *mask, size_t size)
{
    ppoll_chk_function *next = ppoll_chk_find();
    sigset_t room;

    return next ? next(files, count, timeout, mask_for_kernel(mask, &room), size) : is_missing();
}

EXPORT int pselect(int limit, fd_set *readable, fd_set *writable, fd_set *exceptional,
                   const struct timespec *timeout, const sigset_t *mask)
{
    pselect_function *next = pselect_find();
    sigset_t room;

    return next
               ? next(limit, readable, writable, exceptional, timeout, mask_for_kernel(mask, &room))
               : is_missing();
}

EXPORT int epoll_pwait(int epoll_fd, struct epoll_event *events, int max, int timeout_ms,
                       const sigset_t *mask)
{
    epoll_function *next = epoll_find();
    sigset_t room;

    return next ? next(epoll_fd, events, max, timeout_ms, mask_for_kernel(mask, &room))
                : is_missing();
}

EXPORT int epoll_pwait2(int epoll_fd, struct epoll_event *events, int max,
                        const struct timespec *timeout, const sigset_t *mask)
{
    epoll2_function *next = epoll2_find();
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
