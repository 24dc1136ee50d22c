/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interleaving. The kernel writes records and then data_head of a ring; the reader loads data_head
 * (acquire), reads the records before it, and hands their room back by data_tail (release).
 */
#include "libjuggle/linux/perf_sampler.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A record as sample_type below makes it. */
struct sample_record {
    struct perf_event_header header;
    uint64_t address;
    uint32_t cpu, reserved;
};

struct perf_sampler {
    int fd;
    int64_t period_ns;
    struct perf_event_mmap_page *ring;
    size_t page_size;
};

/* ---- reading ---- */

/* Records wrap at the end of the ring. */
static void ring_copy(const struct perf_sampler *sampler, uint64_t at, void *to, size_t size)
{
    const uint8_t *data = (const uint8_t *)sampler->ring + sampler->page_size;
    const size_t offset = at & (sampler->page_size - 1);
    const size_t first = (size_t)min_i64((int64_t)size, (int64_t)(sampler->page_size - offset));

    memcpy(to, data + offset, first);
    memcpy((uint8_t *)to + first, data, size - first);
}

/* Reads the event's own count, which is up to date; the kernel's counters of other threads lag by
 * up to a tick. The run time after the last sample is left out, because no sample stands for it. */
static void times_read(const struct perf_sampler *sampler, struct samples *samples)
{
    int64_t ran_ns;

    if (read(sampler->fd, &ran_ns, sizeof(ran_ns)) != sizeof(ran_ns))
        return;
    samples->ran_ns = ran_ns - ran_ns % sampler->period_ns;
    samples->each_ns = sampler->period_ns;
}

/* True for records of lost samples. If samples take the kernel too much time, it leaves out those
 * up to the next tick. */
static bool is_of_loss(uint32_t type)
{
    return type == PERF_RECORD_LOST || type == PERF_RECORD_THROTTLE;
}

void perf_sampler_read(struct perf_sampler *sampler, struct samples *samples)
{
    const uint64_t head = __atomic_load_n(&sampler->ring->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = sampler->ring->data_tail;
    /* Samples without room are lost, and the kernel says so only once there is room again. */
    bool lost = head - tail > sampler->page_size - sizeof(struct sample_record);
    struct sample_record record;

    *samples = (struct samples){0};
    while (tail < head) {
        ring_copy(sampler, tail, &record.header, sizeof(record.header));
        if (record.header.size < sizeof(record.header))
            break;
        lost |= is_of_loss(record.header.type);
        if (record.header.type == PERF_RECORD_SAMPLE && record.header.size == sizeof(record) &&
            samples->count < SAMPLES_MAX) {
            ring_copy(sampler, tail, &record, sizeof(record));
            samples->addresses[samples->count++] = record.address;
        }
        tail += record.header.size;
    }
    __atomic_store_n(&sampler->ring->data_tail, head, __ATOMIC_RELEASE);
    if (!lost)
        times_read(sampler, samples);
}

/* ---- open, close ---- */

static int event_open(const struct thread_id *id, int64_t period_ns, int *fd)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(attributes),
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = (uint64_t)period_ns,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CPU,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    long opened = syscall(SYS_perf_event_open, &attributes, id->tid, -1, -1,
                          (unsigned long)PERF_FLAG_FD_CLOEXEC);

    if (opened < 0)
        return errno == ENOSYS || errno == ENOENT || errno == EOPNOTSUPP ? -ENOTSUP : -errno;
    *fd = (int)opened;
    return 0;
}

int perf_sampler_open(const struct thread_id *id, int64_t period_ns, struct perf_sampler **result)
{
    struct perf_sampler *sampler = calloc(1, sizeof(*sampler));
    int error;

    if (!sampler)
        return -ENOMEM;
    sampler->period_ns = period_ns;
    sampler->page_size = (size_t)sysconf(_SC_PAGESIZE);
    error = event_open(id, period_ns, &sampler->fd);
    if (error)
        goto free_sampler;
    sampler->ring = mmap(NULL, 2 * sampler->page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
                         sampler->fd, 0);
    if (sampler->ring == MAP_FAILED) {
        error = -errno;
        goto close_event;
    }
    *result = sampler;
    return 0;

close_event:
    close(sampler->fd);
free_sampler:
    free(sampler);
    return error;
}

void perf_sampler_close(struct perf_sampler *sampler)
{
    if (!sampler)
        return;
    munmap(sampler->ring, 2 * sampler->page_size);
    close(sampler->fd);
    free(sampler);
}
