/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/ownership.h"

#include "libjuggle/job/balancers.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PID_NAME_SIZE = 16 };

bool ownership_is_juggles(const struct thread_info *info)
{
    return info->id.pid == getpid() &&
           (info->id.tid == gettid() || !strcmp(info->comm.untrusted, BALANCERS_COMM));
}

/* /proc shows processes whose memory is protected as root's. */
static bool is_foreign(const struct ownership *ownership, const struct thread_info *info)
{
    char name[PID_NAME_SIZE];
    struct stat stat;

    snprintf(name, sizeof(name), "%d", (int)info->id.pid);
    return ownership->owned &&
           (fstatat(ownership->proc_fd, name, &stat, 0) || stat.st_uid != ownership->owner);
}

bool ownership_allows(const struct ownership *ownership, const struct thread_info *info)
{
    return !ownership_is_juggles(info) && !is_foreign(ownership, info);
}
