/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/spin_traps.h"

#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <unistd.h>

/* For how long a thread is let be that was caught in vain: 32 catches take half a millisecond. */
#define FREE_NS (50 * NSEC_PER_MSEC)

void spin_traps_clear(struct spin_traps *traps)
{
    traps->places_count = 0;
    spin_traps_disinherit(traps);
}

/* Places stay in falling order of samples. */
static void place_rise(struct spin_traps *traps, int i)
{
    const struct spin_trap_place place = traps->places[i];

    for (; i > 0 && traps->places[i - 1].samples_count < place.samples_count; i--)
        traps->places[i] = traps->places[i - 1];
    traps->places[i] = place;
}

bool spin_traps_add(struct spin_traps *traps, pid_t pid, uint64_t address, int samples_count)
{
    for (int i = 0; i < traps->places_count; i++) {
        if (traps->places[i].pid != pid || traps->places[i].address != address)
            continue;
        traps->places[i].samples_count += samples_count;
        place_rise(traps, i);
        return false;
    }
    if (traps->places_count == SPIN_TRAP_PLACES_MAX)
        return false;
    traps->places[traps->places_count] = (struct spin_trap_place){pid, address, samples_count};
    place_rise(traps, traps->places_count++);
    return true;
}

bool spin_traps_fit(const struct spin_traps *traps, int proc_fd, const struct thread_id *id,
                    enum spin_signal signal)
{
    for (int i = 0; i < traps->places_count; i++)
        if (traps->places[i].pid == id->pid)
            return spin_trap_is_heard(proc_fd, id, signal);
    return false;
}

/* One of those before it makes room where there is none. */
static int trap_open_instead(const struct thread_id *id, uint64_t address, enum spin_signal signal,
                             struct spin_thread_traps *before, int *fd)
{
    const int error = spin_trap_open(id, address, signal, fd);

    if (error != -ENOSPC || !before->count)
        return error;
    close(before->fds[--before->count]);
    return spin_trap_open(id, address, signal, fd);
}

static void traps_open(const struct spin_traps *traps, const struct thread_id *id,
                       struct spin_thread_traps *before, struct spin_thread_traps *thread)
{
    for (int i = 0; i < traps->places_count && thread->count < SPIN_TRAPS_MAX; i++)
        if (traps->places[i].pid == id->pid &&
            !trap_open_instead(id, traps->places[i].address, thread->signal, before,
                               &thread->fds[thread->count]))
            thread->count++;
}

static bool is_free(struct page *page, const struct thread_id *id, struct spin_thread_traps *thread,
                    int64_t now_ns)
{
    if (thread->count && page_caught_in_vain(page, id->tid, id->start_ticks)) {
        spin_traps_lift(thread);
        thread->free_until_ns = now_ns + FREE_NS;
    }
    return thread->free_until_ns > now_ns;
}

void spin_traps_set(struct spin_traps *traps, int proc_fd, struct page *page,
                    const struct thread_id *id, struct spin_thread_traps *thread, int64_t now_ns)
{
    struct spin_thread_traps next = {.signal = SPIN_SIGURG, .places_count = traps->places_count};

    if (spin_traps_inherited(traps, id, thread) || is_free(page, id, thread, now_ns))
        return;
    if (page_takes_traps(page, id->tid, id->start_ticks))
        next.signal = SPIN_SIGTRAP;
    if ((thread->count && thread->signal == next.signal &&
         thread->places_count == next.places_count) ||
        !spin_traps_fit(traps, proc_fd, id, next.signal))
        return;
    traps_open(traps, id, thread, &next);
    /* Where they are refused the others stay. */
    if (!next.count)
        return;
    spin_traps_lift(thread);
    *thread = next;
    if (next.signal == SPIN_SIGTRAP && !traps->inherited_ticks)
        traps->inherited_ticks = clock_boot_ticks();
}

void spin_traps_lift(struct spin_thread_traps *thread)
{
    while (thread->count > 0)
        close(thread->fds[--thread->count]);
}

void spin_traps_spare(int proc_fd, const struct thread_id *id, struct spin_thread_traps *thread)
{
    if (thread->count && spin_trap_is_debugged(proc_fd, id))
        spin_traps_lift(thread);
}

bool spin_traps_inherited(const struct spin_traps *traps, const struct thread_id *id,
                          const struct spin_thread_traps *thread)
{
    return !thread->count && traps->inherited_ticks && id->start_ticks >= traps->inherited_ticks;
}

void spin_traps_disinherit(struct spin_traps *traps)
{
    traps->inherited_ticks = 0;
}
