/* SPDX-License-Identifier: BSD-3-Clause */
/* What is read of a thread at one time. */
#ifndef JUGGLE_LINUX_THREAD_INFO_H
#define JUGGLE_LINUX_THREAD_INFO_H

#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/thread_id.h"

struct thread_info {
    struct thread_id id;
    pid_t parent; /* of the process */
    struct comm comm;
    bool runnable;   /* when last looked at, as all below */
    bool stopped;    /* by a signal, or a tracer */
    int64_t run_ns;  /* total */
    int64_t wait_ns; /* in run queues; 0 where the kernel does not tell */
};

#endif
