/* SPDX-License-Identifier: BSD-3-Clause */
/* How often something happened to each user. Bounded: the user with the fewest makes room. Pure. */
#ifndef JUGGLE_SERVICE_TALLY_H
#define JUGGLE_SERVICE_TALLY_H

#include <stdint.h>
#include <sys/types.h>

enum { TALLY_USERS_MAX = 256 };

/* Begins as all zero. */
struct user_tally {
    int count;
    struct {
        uid_t uid;
        int64_t times;
    } entries[TALLY_USERS_MAX];
};

void tally_add(struct user_tally *tally, uid_t uid);

#endif
