/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/limit.h"

#include <stdio.h>

void limit_tell(int limit, const char *what, const char *key, char told[LIMIT_TOLD_SIZE])
{
    snprintf(told, LIMIT_TOLD_SIZE, "more than %d %s, see %s in juggle.conf", limit, what, key);
}
