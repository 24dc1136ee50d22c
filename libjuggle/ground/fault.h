/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that stay in a release: what the code promises itself.
 *
 * A check that fails is noted, the first one alone, and its caller leaves undone what it was about
 * to do. Whoever owns the fault gives the masks back and stops balancing. Nothing aborts: the
 * process, or the program that it balances, is somebody else's. */
#ifndef JUGGLE_GROUND_FAULT_H
#define JUGGLE_GROUND_FAULT_H

#include <stdbool.h>
#include <stddef.h>

/* Zero is whole. Any thread may note and read. */
struct fault {
    const char *check; /* read and written atomically: "FILE:LINE: CONDITION" of the first check
                          that failed */
};

#define FAULT_LINE(line)  #line
#define FAULT_QUOTE(line) FAULT_LINE(line)

/* True if the condition holds. */
#define HOLDS(fault, condition)               \
    (__builtin_expect(!!(condition), true) || \
     fault_note((fault), __FILE__ ":" FAULT_QUOTE(__LINE__) ": " #condition))

/* For HOLDS: false. */
static inline bool fault_note(struct fault *fault, const char *check)
{
    const char *none = NULL;

    __atomic_compare_exchange_n(&fault->check, &none, check, false, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE);
    return false;
}

/* NULL while all checks have held. */
static inline const char *fault_text(const struct fault *fault)
{
    return __atomic_load_n(&fault->check, __ATOMIC_ACQUIRE);
}

#endif
