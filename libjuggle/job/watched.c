/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/watched.h"

#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <string.h>

#define SAMPLE_PERIOD_NS (400 * NSEC_PER_USEC)

static void close_all(struct watched *list, int count)
{
    for (int i = 0; i < count; i++) {
        spin_probe_close(list[i].probe);
        spin_traps_lift(&list[i].traps);
    }
}

void watched_end(struct watched_threads *watched)
{
    close_all(watched->list, watched->count);
    watched->count = 0;
}

/* ---- traps ---- */

static void traps_set(struct watched_threads *watched, struct watched *one,
                      struct spin_traps *traps, int64_t now_ns)
{
    spin_traps_set(traps, watched->proc_fd, watched->page, &one->id, &one->traps, now_ns);
}

void watched_catch(struct watched_threads *watched, struct spin_traps *traps, int64_t now_ns)
{
    for (int i = 0; i < watched->count; i++)
        traps_set(watched, &watched->list[i], traps, now_ns);
}

/* Who is caught already stays so. */
static void traps_renew(struct watched_threads *watched, struct watched *one,
                        struct spin_traps *traps, int before_count, int64_t now_ns)
{
    for (int i = 0; i < before_count; i++) {
        struct watched *before = &watched->before[i];
        if (!thread_id_equal(&before->id, &one->id))
            continue;
        one->traps = before->traps;
        one->stays = true;
        before->traps.count = 0;
        break;
    }
    traps_set(watched, one, traps, now_ns);
}

/* Who was born with traps and stays gets its own, so that it can be let be. */
static void traps_hand_out(struct watched_threads *watched, struct spin_traps *traps,
                           int64_t now_ns)
{
    bool inherited = false;

    for (int i = 0; i < watched->count; i++) {
        const struct watched *one = &watched->list[i];
        inherited |= one->stays && spin_traps_inherited(traps, &one->id, &one->traps);
    }
    if (!inherited)
        return;
    for (int i = 0; i < watched->count; i++)
        spin_traps_lift(&watched->list[i].traps);
    spin_traps_disinherit(traps);
    watched_catch(watched, traps, now_ns);
}

static void traps_spare(struct watched_threads *watched)
{
    for (int i = 0; i < watched->count; i++)
        spin_traps_spare(watched->proc_fd, &watched->list[i].id, &watched->list[i].traps);
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
    const int error = spin_probe_open(&one->id, SAMPLE_PERIOD_NS, code_of(watched, one->id.pid),
                                      &one->probe);
    return error == -EACCES || error == -EPERM || error == -ENOTSUP;
}

bool watched_renew(struct watched_threads *watched, bool sampled, struct spin_traps *traps,
                   int64_t now_ns)
{
    const int before_count = watched->count;
    struct thread_id id;
    bool refused = false;

    memcpy(watched->before, watched->list, sizeof(watched->before));
    watched->count = watched->threads_count = watched->codes_count = 0;
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
        if (traps)
            traps_renew(watched, one, traps, before_count, now_ns);
        if (sampled)
            refused |= probe_open(watched, one);
    }
    close_all(watched->before, before_count);
    if (traps) {
        traps_hand_out(watched, traps, now_ns);
        traps_spare(watched);
    }
    return refused && !watched_are_sampled(watched);
}

static bool is_first_of_process(const struct watched_threads *watched, int index)
{
    int i = 0;

    while (watched->list[i].id.pid != watched->list[index].id.pid)
        i++;
    return i == index;
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
