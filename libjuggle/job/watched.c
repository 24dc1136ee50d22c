/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/watched.h"

#include "libjuggle/linux/clock.h"

#include <errno.h>

#define SAMPLE_PERIOD_NS (400 * NSEC_PER_USEC)

void watched_end(struct watched_threads *watched)
{
    for (int i = 0; i < watched->count; i++)
        spin_probe_close(watched->list[i].probe);
    watched->count = 0;
}

/* ---- traps ---- */

static bool is_first_of_process(const struct watched_threads *watched, int index)
{
    int i = 0;

    while (watched->list[i].id.pid != watched->list[index].id.pid)
        i++;
    return i == index;
}

static void request(const struct watched_threads *watched, const struct spin_traps *traps,
                    pid_t pid)
{
    struct thread_id threads[WATCHED_MAX];
    int count = 0;

    for (int i = 0; i < watched->count; i++)
        if (watched->list[i].id.pid == pid)
            threads[count++] = watched->list[i].id;
    spin_traps_request(traps, threads, count);
}

void watched_catch(const struct watched_threads *watched, struct spin_traps *traps, int64_t now_ns)
{
    spin_traps_hold(traps, now_ns);
    for (int i = 0; i < watched->count; i++) {
        const pid_t pid = watched->list[i].id.pid;
        if (is_first_of_process(watched, i) && spin_traps_are_due(traps, pid))
            request(watched, traps, pid);
    }
}

void watched_spare(const struct watched_threads *watched, struct spin_traps *traps)
{
    for (int i = 0; i < watched->count; i++)
        spin_traps_spare(traps, &watched->list[i].id);
}

/* ---- who is watched ---- */

bool watched_are_sampled(const struct watched_threads *watched)
{
    for (int i = 0; i < watched->count; i++)
        if (watched->list[i].probe)
            return true;
    return false;
}

/* Threads of one process follow each other mostly. There are as many places as threads. */
static const struct runtime_code *code_of(struct watched_threads *watched, pid_t pid)
{
    int i = watched->codes_count - 1;

    while (i >= 0 && watched->codes[i].pid != pid)
        i--;
    if (i < 0) {
        i = watched->codes_count++;
        watched->codes[i].pid = pid;
        runtime_code_read(watched->proc_fd, pid, &watched->codes[i].code);
    }
    return &watched->codes[i].code;
}

/* True if perf is refused. */
static bool probe_open(struct watched_threads *watched, struct watched *one)
{
    const struct probed_code code = {code_of(watched, one->id.pid), watched->places};
    const int error = spin_probe_open(&one->id, SAMPLE_PERIOD_NS, &code, &one->probe);

    return error == -EACCES || error == -EPERM || error == -ENOTSUP;
}

bool watched_renew(struct watched_threads *watched, bool sampled)
{
    struct thread_id id;
    bool refused = false;

    watched_end(watched);
    watched->threads_count = watched->codes_count = 0;
    for (int slot = 0; slot < watched->threads_max; slot++) {
        if (world_thread(watched->world, slot, &id))
            continue;
        watched->threads_count++;
        if (watched->count == WATCHED_MAX)
            continue;
        struct watched *one = &watched->list[watched->count];
        *one = (struct watched){.id = id};
        if (procfs_schedstat_read(watched->proc_fd, id.pid, id.tid, &one->before))
            continue;
        watched->count++;
        if (sampled)
            refused |= probe_open(watched, one);
    }
    return refused && !watched_are_sampled(watched);
}

int64_t watched_processes_ran_ns(const struct watched_threads *watched)
{
    int64_t sum_ns = 0;

    for (int i = 0; i < watched->count; i++) {
        if (!is_first_of_process(watched, i))
            continue;
        const int64_t ran_ns = clock_process_ns(watched->list[i].id.pid);
        if (!ran_ns)
            return 0;
        sum_ns += ran_ns;
    }
    return sum_ns;
}
