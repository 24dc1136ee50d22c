/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/watched.h"

#include "libjuggle/linux/clock.h"
#include "libjuggle/waiting/page_samples.h"
#include "libjuggle/waiting/page_traps.h"

#include <errno.h>

/* How long threads go on sampling themselves when they are not asked again: longer than any
 * look. */
#define TOLD_NS NSEC_PER_SEC

_Static_assert((int)PAGE_SAMPLED_MAX == (int)WATCHED_MAX, "a thread's number is that on the page");
_Static_assert((int)PAGE_SAMPLES_MAX <= (int)SAMPLES_MAX, "what it notes finds room");

void watched_end(struct watched_threads *watched)
{
    if (watched_sample_themselves(watched))
        page_samples_hold(watched->page, 0);
    for (int i = 0; i < watched->count; i++)
        perf_sampler_close(watched->list[i].sampler);
    watched->count = 0;
    watched->sampled = false;
}

/* ---- processes ---- */

static bool is_first_of_process(const struct watched_threads *watched, int index)
{
    int i = 0;

    while (watched->list[i].id.pid != watched->list[index].id.pid)
        i++;
    return i == index;
}

/* Searches from the end, because threads of one process mostly follow each other. There are as many
 * places as threads. */
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

/* Asks a process for what is due, by one of its threads. */
static void request(const struct watched_threads *watched, pid_t pid, int what)
{
    struct thread_id threads[WATCHED_MAX];
    const struct thread_id *hearer;
    int count = 0;

    for (int i = 0; i < watched->count; i++)
        if (watched->list[i].id.pid == pid)
            threads[count++] = watched->list[i].id;
    hearer = spin_hearer_find(watched->proc_fd, threads, count);
    /* It may have fallen asleep while the others were looked at. */
    if (hearer && spin_hearing_read(watched->proc_fd, hearer).runs)
        spin_request(hearer, what);
}

/* ---- traps ---- */

void watched_catch(const struct watched_threads *watched, struct spin_traps *traps, int64_t now_ns)
{
    spin_traps_hold(traps, now_ns);
    for (int i = 0; i < watched->count; i++) {
        const pid_t pid = watched->list[i].id.pid;
        const int due = is_first_of_process(watched, i) ? spin_traps_due(traps, pid) : -1;
        if (due >= 0)
            request(watched, pid, PAGE_TRAPS_REQUEST + due);
    }
}

void watched_spare(const struct watched_threads *watched, struct spin_traps *traps)
{
    for (int i = 0; i < watched->count; i++)
        spin_traps_spare(traps, &watched->list[i].id);
}

/* ---- which threads are watched ---- */

/* False if perf is refused. */
static bool sampler_open(struct watched *one, int64_t period_ns)
{
    const int error = perf_sampler_open(&one->id, period_ns, &one->sampler);

    return error != -EACCES && error != -EPERM && error != -ENOTSUP;
}

static bool some_hear(const struct watched_threads *watched)
{
    for (int i = 0; i < watched->count; i++)
        if (spin_hearing_read(watched->proc_fd, &watched->list[i].id).hears)
            return true;
    return false;
}

/* True if all processes have a runtime of OpenMP. A thread that falls asleep while it is asked is
 * woken, and the waits of these runtimes bear that. */
static bool all_sleep_in_runtimes(struct watched_threads *watched)
{
    for (int i = 0; i < watched->count; i++)
        if (is_first_of_process(watched, i) &&
            !runtime_code_has(code_of(watched, watched->list[i].id.pid), RUNTIME_WAITS))
            return false;
    return true;
}

/* Asks all threads for samples; true if one of them at least can hear it. */
static bool samples_ask(const struct watched_threads *watched)
{
    for (int i = 0; i < watched->count; i++)
        page_sample_ask(watched->page, i, watched->list[i].id.pid, watched->list[i].id.tid);
    return some_hear(watched);
}

bool watched_renew(struct watched_threads *watched, int64_t period_ns, bool by_themselves)
{
    struct thread_id id;
    bool refused = false, some_are_sampled = false;

    watched_end(watched);
    watched->sampled = period_ns > 0;
    watched->by_themselves = by_themselves;
    watched->codes_count = 0;
    for (int index = 0; index < watched->threads_max && watched->count < WATCHED_MAX; index++) {
        if (world_thread(watched->world, index, &id))
            continue;
        struct watched *one = &watched->list[watched->count];
        *one = (struct watched){.id = id};
        if (procfs_schedstat_read(watched->proc_fd, id.pid, id.tid, &one->before))
            continue;
        one->ran_before_ns = one->before.run_ns;
        watched->count++;
        if (watched->sampled && !watched->refused && !watched->by_themselves)
            refused |= !sampler_open(one, period_ns);
        some_are_sampled |= one->sampler != NULL;
    }
    watched->refused |= refused && !some_are_sampled;
    if (watched->sampled && watched->by_themselves && !all_sleep_in_runtimes(watched))
        watched->sampled = false;
    return watched_sample_themselves(watched) && !samples_ask(watched);
}

/* ---- samples ---- */

bool watched_sample_themselves(const struct watched_threads *watched)
{
    return watched->sampled && (watched->by_themselves || watched->refused);
}

bool watched_ask(const struct watched_threads *watched, int64_t now_ns)
{
    bool due = false;

    page_samples_hold(watched->page, now_ns + TOLD_NS);
    for (int i = 0; i < watched->count; i++) {
        if (!page_sample_is_due(watched->page, i))
            continue;
        due = true;
        if (is_first_of_process(watched, i))
            request(watched, watched->list[i].id.pid, PAGE_SAMPLES_REQUEST);
    }
    return due;
}

/* The run times that the kernel shows of other threads lag by a tick at most, which is what a
 * sample stands for. */
static void told_read(const struct watched_threads *watched, int index, struct samples *samples)
{
    const struct watched *one = &watched->list[index];

    samples->of_kernel_too = true;
    samples->count = page_samples_read(watched->page, index, samples->addresses);
    if (samples->count == 0 || samples->count == PAGE_SAMPLES_MAX)
        return;
    samples->ran_ns = one->before.run_ns - one->ran_before_ns;
    samples->each_ns = samples->ran_ns / samples->count;
}

int watched_see(struct watched_threads *watched, int index, struct spin_seen *seen)
{
    const struct watched *one = &watched->list[index];
    struct samples samples = {0};

    if (one->sampler)
        perf_sampler_read(one->sampler, &samples);
    else if (watched_sample_themselves(watched))
        told_read(watched, index, &samples);
    const struct probed_code code = {code_of(watched, one->id.pid), watched->places};
    return spin_see(one->id.pid, &code, &samples, seen);
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
