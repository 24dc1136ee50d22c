/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts how often something happened to each user. Bounded: when the table is full, the user
 * with the lowest count is replaced. Pure. */
#ifndef JUGGLE_SERVICE_TALLY_H
#define JUGGLE_SERVICE_TALLY_H

#include <stdint.h>
#include <sys/types.h>

enum { TALLY_USERS_MAX = 256 };

/* All zero at first. */
struct user_tally {
    int count;
    struct {
        uid_t uid;
        int64_t times;
    } entries[TALLY_USERS_MAX];
};

void tally_add(struct user_tally *tally, uid_t uid);

#endif
