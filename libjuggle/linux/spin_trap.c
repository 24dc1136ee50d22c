/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/spin_trap.h"

#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/spin_code.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PATH_SIZE = 32 };

/* ---- code ---- */

void spin_places_clean(const struct spin_places *places, pid_t pid, uint64_t from, uint8_t *code,
                       size_t size)
{
    for (int i = 0; i < places->count; i++) {
        const struct spin_place *place = &places->list[i];
        if (place->pid == pid && place->address - from < size &&
            code[place->address - from] == SPIN_INT3)
            code[place->address - from] = place->code;
    }
}

void spin_place_clean(int proc_fd, const struct spin_place *place)
{
    char path[PATH_SIZE];
    uint8_t present;

    snprintf(path, sizeof(path), "%d/mem", (int)place->pid);
    int fd = openat(proc_fd, path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    if (pread(fd, &present, 1, (off_t)place->address) == 1 && present == SPIN_INT3)
        (void)!pwrite(fd, &place->code, 1, (off_t)place->address);
    close(fd);
}

/* ---- threads ---- */

static uint64_t signals_of(char *status, const char *name)
{
    return strtoull(procfs_status_value(status, name), NULL, 16);
}

static long filters_of(char *status)
{
    return strtol(procfs_status_value(status, "Seccomp_filters"), NULL, 10);
}

static struct spin_hearing hearing_of(char *status)
{
    const uint64_t trap = UINT64_C(1) << (SIGTRAP - 1), both = trap | UINT64_C(1) << (SIGURG - 1);
    const uint64_t blocked = signals_of(status, "SigBlk");

    return (struct spin_hearing){
        .runs = *procfs_status_value(status, "State") == 'R',
        .hears = (signals_of(status, "SigCgt") & both) == both && !(blocked & both),
        .blocks = blocked & trap,
        .is_debugged = strtol(procfs_status_value(status, "TracerPid"), NULL, 10) != 0,
    };
}

/* Returns how many filters of system calls this process has, which its programs inherit. */
static long own_filters(int proc_fd)
{
    char *status;

    if (procfs_status_read(proc_fd, getpid(), getpid(), &status))
        return LONG_MAX;
    const long count = filters_of(status);
    free(status);
    return count;
}

struct spin_hearing spin_hearing_read(int proc_fd, const struct thread_id *id)
{
    char *status;

    if (procfs_status_read(proc_fd, id->pid, id->tid, &status))
        return (struct spin_hearing){0};
    struct spin_hearing hearing = hearing_of(status);
    const long filters_count = filters_of(status);
    free(status);
    if (filters_count > 0)
        hearing.hears = hearing.hears && filters_count <= own_filters(proc_fd);
    return hearing;
}

const struct thread_id *spin_hearer_find(int proc_fd, const struct thread_id *threads, int count)
{
    const struct thread_id *hearer = NULL;

    for (int i = 0; i < count; i++) {
        const struct spin_hearing hearing = spin_hearing_read(proc_fd, &threads[i]);
        if (hearing.blocks)
            return NULL;
        if (hearing.hears && hearing.runs && !hearing.is_debugged)
            hearer = &threads[i];
    }
    return hearer;
}

void spin_request(const struct thread_id *hearer, int request)
{
    siginfo_t info = {.si_signo = SIGURG, .si_code = SI_QUEUE, .si_value.sival_int = request};

    syscall(SYS_rt_tgsigqueueinfo, hearer->pid, hearer->tid, SIGURG, &info);
}
