/* SPDX-License-Identifier: BSD-3-Clause */
/* Sleeping until a word of this process changes. */
#ifndef JUGGLE_LINUX_FUTEX_H
#define JUGGLE_LINUX_FUTEX_H

#include "libjuggle/ground/units.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Sleeps while the word has this value, until `until_ns` at most (INT64_MAX: for ever). Returns
 * true if the time is over. It may return earlier, so the caller has to check the word again. */
static inline bool futex_wait_until(_Atomic uint32_t *word, uint32_t value, int64_t until_ns)
{
    const struct timespec until = {until_ns / NSEC_PER_SEC, until_ns % NSEC_PER_SEC};

    return syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value,
                   until_ns == INT64_MAX ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY) < 0 &&
           errno == ETIMEDOUT;
}

static inline void futex_wake_all(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

#endif
