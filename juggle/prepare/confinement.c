/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/prepare/confinement.h"

#include "libjuggle/linux/priority.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The number of the first PID namespace is part of the kernel's interface (linux/proc_ns.h). */
static bool in_own_pid_namespace(void)
{
    static const char first[] = "pid:[4026531836]";
    char name[64];
    const ssize_t length = readlink("/proc/self/ns/pid", name, sizeof(name) - 1);

    if (length < 0)
        return false;
    name[length] = '\0';
    return strcmp(name, first) != 0;
}

/* True if the system call is not permitted. Its arguments are wrong, so the kernel refuses them
 * with another error if it gets to look at them. Debian's kernel returns EACCES for
 * perf_event_open if perf_event_paranoid is 3. */
static bool is_filtered(long call)
{
    return syscall(call, 0L, 0L, 0L, 0L, 0L, 0L) < 0 &&
           (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

void confinement_print(FILE *file)
{
    struct priority priority;

    if (in_own_pid_namespace())
        fputs("confined   this is a PID namespace of its own: what runs outside, whose pins and "
              "balancers, is not seen\n",
              file);
    priority_raise(&priority);
    if (priority.error)
        fputs("confined   balancers get no real-time priority (CAP_SYS_NICE or ulimit -r 1; in a "
              "control group with cpu.rt_runtime_us, more than 0 there): they move threads later "
              "where all processors are busy\n",
              file);
    if (is_filtered(SYS_perf_event_open))
        fputs(
            "confined   perf_event_open is not permitted: no --progress perf, and --spin auto sees "
            "only programs that something can be loaded into\n",
            file);
    if (is_filtered(SYS_migrate_pages))
        fputs("confined   migrate_pages is not permitted: no --follow-memory\n", file);
}
