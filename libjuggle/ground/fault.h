/* SPDX-License-Identifier: BSD-3-Clause */
/* Internal checks that stay in a release.
 *
 * Only the first check that fails is noted. Its caller does not do what it was about to do. The
 * owner of the fault gives the masks back and stops balancing. Nothing aborts: the process, or the
 * program that it balances, belongs to somebody else. */
#ifndef JUGGLE_GROUND_FAULT_H
#define JUGGLE_GROUND_FAULT_H

#include <stdbool.h>
#include <stddef.h>

/* All zero: no check has failed. Any thread may note and read. */
struct fault {
    const char *check; /* read and written atomically: "FILE:LINE: CONDITION" of the first check
                          that failed */
};

#define FAULT_LINE(line)  #line
#define FAULT_QUOTE(line) FAULT_LINE(line)

/* True if the condition holds; else notes the check, and is false. */
#define HOLDS(fault, condition)               \
    (__builtin_expect(!!(condition), true) || \
     fault_note((fault), __FILE__ ":" FAULT_QUOTE(__LINE__) ": " #condition))

/* For HOLDS: notes the check if it is the first that failed. Returns false. */
static inline bool fault_note(struct fault *fault, const char *check)
{
    const char *none = NULL;

    __atomic_compare_exchange_n(&fault->check, &none, check, false, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE);
    return false;
}

/* The check that was noted; NULL while all checks have held. */
static inline const char *fault_text(const struct fault *fault)
{
    return __atomic_load_n(&fault->check, __ATOMIC_ACQUIRE);
}

#endif
