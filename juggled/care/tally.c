/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/tally.h"

void tally_add(struct user_tally *tally, uid_t uid)
{
    int fewest = 0, i = 0;

    while (i < tally->count && tally->entries[i].uid != uid) {
        if (tally->entries[i].times < tally->entries[fewest].times)
            fewest = i;
        i++;
    }
    if (i == TALLY_USERS_MAX)
        i = fewest;
    else if (i == tally->count)
        tally->count++;
    if (tally->entries[i].uid != uid)
        tally->entries[i].times = 0;
    tally->entries[i].uid = uid;
    tally->entries[i].times++;
}
