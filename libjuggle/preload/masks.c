/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposes the functions by which a program reads the masks of threads. While a balancer moves a
 * thread, the thread's mask has one processor. A program that reads the mask then would choose its
 * number of threads by it, or would set it again later, as MPI does when it has looked at the
 * machine, and so would seem to have pinned itself.
 */
#include "libjuggle/preload/next.h"
#include "libjuggle/preload/pause.h"
#include "libjuggle/waiting/page.h"
#include "libjuggle/preload/waiter.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LOOKS_MAX = 2000 };
#define LOOK_INTERVAL_NS (50 * NSEC_PER_USEC)

/* True, after a pause, if the mask that was read may be of a move: it is to be read again. False
 * after LOOKS_MAX pauses, because a balancer may die in a move. Only the first reader waits that
 * long for the same move. */
static bool is_of_move(uint32_t ended, int *looks)
{
    static _Atomic uint32_t stuck;

    if (!page_moved(waiter_page(), ended) || stuck == ended + 1)
        return false;
    if (*looks >= LOOKS_MAX) {
        stuck = ended + 1;
        return false;
    }
    const int error = errno;
    pause_ns(LOOK_INTERVAL_NS);
    errno = error;
    ++*looks;
    return true;
}

static uint32_t moves_ended(void)
{
    return page_moves_ended(waiter_page());
}

/* Looks up no other function, because memory allocators call this, too. */
EXPORT int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    int looks = 0;
    uint32_t ended;
    long length;

    do {
        ended = moves_ended();
        length = syscall(SYS_sched_getaffinity, pid, size, set);
    } while (length >= 0 && is_of_move(ended, &looks));
    if (length < 0)
        return -1;
    memset((char *)set + length, 0, size - (size_t)length);
    return 0;
}

EXPORT int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
    static next_t known;
    __typeof__(&pthread_getaffinity_np) next = next_find(&known, "pthread_getaffinity_np",
                                                         "/libc.");
    int looks = 0;
    uint32_t ended;
    int error;

    if (!next)
        return ENOSYS;
    do {
        ended = moves_ended();
        error = next(thread, size, set);
    } while (!error && is_of_move(ended, &looks));
    return error;
}
