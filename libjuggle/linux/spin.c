/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interleaving. The kernel writes records and then data_head of a ring; the reader loads data_head
 * (acquire), reads the records before it, and hands their room back by data_tail (release).
 */
#include "libjuggle/linux/spin.h"

#include "libjuggle/linux/spin_code.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    CODE_SIZE = 2 * SPIN_REACH,
    /* Reads of code by one probe: a thread that spins often does so at few places. */
    READS_MAX = 16,
};

/* What sample_type below makes of a record. */
struct sample_record {
    struct perf_event_header header;
    uint64_t address;
    uint32_t cpu, reserved;
};

/* Addresses of a loop that waits. */
struct known_loop {
    uint64_t begin, end;
    struct spin_place trap;
};

struct spin_probe {
    int fd;
    pid_t pid;
    int64_t period_ns;
    struct probed_code code;
    struct perf_event_mmap_page *ring;
    size_t page_size;
    struct known_loop loops[SPIN_LOOPS_MAX];
    int loops_count;
    int reads_count;
};

/* ---- memory of the thread ---- */

static ssize_t code_read(pid_t pid, uint64_t from, uint8_t *code, size_t size)
{
    const struct iovec local = {code, size};
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): an address of another process */
    const struct iovec remote = {(void *)(uintptr_t)from, size};

    return process_vm_readv(pid, &local, 1, &remote, 1, 0);
}

/* Learns the loop that an address is in, if it is one that waits. */
static int loop_learn(struct spin_probe *probe, uint64_t address)
{
    uint8_t code[CODE_SIZE];
    struct spin_loop loop;
    uint64_t from = address - min_i64(SPIN_REACH, (int64_t)(address & INT64_MAX));
    ssize_t length = code_read(probe->pid, from, code, sizeof(code));

    /* The page before may not be there. */
    if (length < 0 && errno == EFAULT) {
        from = address & ~(uint64_t)(probe->page_size - 1);
        from = address - from > SPIN_REACH ? address - SPIN_REACH : from;
        length = code_read(probe->pid, from, code, sizeof(code));
    }
    if (length < 0)
        return errno == EPERM || errno == ENOSYS ? -EPERM : 0;
    spin_places_clean(probe->code.places, probe->pid, from, code, (size_t)length);
    if (probe->loops_count < SPIN_LOOPS_MAX &&
        spin_code_waits(code, (size_t)length, (size_t)(address - from), &loop))
        probe->loops[probe->loops_count++] = (struct known_loop){
            from + loop.begin, from + loop.end, {probe->pid, from + loop.trap, code[loop.trap]}};
    return 0;
}

static const struct known_loop *loop_around(const struct spin_probe *probe, uint64_t address)
{
    for (int i = 0; i < probe->loops_count; i++)
        if (address >= probe->loops[i].begin && address < probe->loops[i].end)
            return &probe->loops[i];
    return NULL;
}

static bool is_after_call(const struct spin_probe *probe, uint64_t address)
{
    static const uint8_t syscall_code[] = {0x0f, 0x05};
    uint8_t before[sizeof(syscall_code)];

    return code_read(probe->pid, address - sizeof(before), before, sizeof(before)) ==
               sizeof(before) &&
           !memcmp(before, syscall_code, sizeof(before));
}

/* A runtime's own code is there to wait, or to hand out work; the C library waits where it has just
 * called the kernel. */
static bool is_waiting(const struct spin_probe *probe, const struct runtime_part *part,
                       uint64_t address)
{
    if (!part || part->kind == RUNTIME_VDSO)
        return false;
    return part->kind != RUNTIME_LIBC || is_after_call(probe, address);
}

/* Who is caught waits there: a trap would stop it in its handler, where none is heard. */
static bool is_handlers(const struct runtime_part *part)
{
    return part && (part->kind == RUNTIME_OWN || part->kind == RUNTIME_VDSO);
}

/* ---- samples ---- */

static void trap_note(struct spin_seen *seen, const struct spin_place *trap)
{
    int i = 0;

    while (i < seen->traps_count && seen->traps[i].address != trap->address)
        i++;
    if (i == seen->traps_count && i < SPIN_LOOPS_MAX)
        seen->traps[seen->traps_count++] = *trap;
}

static int sample_count(struct spin_probe *probe, const struct sample_record *record,
                        struct spin_seen *seen)
{
    const struct runtime_part *part = runtime_code_at(probe->code.runtime, record->address);
    const struct known_loop *loop = loop_around(probe, record->address);
    int error = 0;

    if (!loop && !is_handlers(part) && probe->reads_count < READS_MAX) {
        probe->reads_count++;
        error = loop_learn(probe, record->address);
        loop = loop_around(probe, record->address);
    }
    seen->samples_count++;
    if (loop) {
        seen->spinning_count++;
        seen->where = record->address;
        trap_note(seen, &loop->trap);
    } else {
        seen->waiting_count += is_waiting(probe, part, record->address);
    }
    return error;
}

/* Records wrap at the end of the ring. */
static void ring_copy(const struct spin_probe *probe, uint64_t at, void *to, size_t size)
{
    const uint8_t *data = (const uint8_t *)probe->ring + probe->page_size;
    const size_t offset = at & (probe->page_size - 1);
    const size_t first = (size_t)min_i64((int64_t)size, (int64_t)(probe->page_size - offset));

    memcpy(to, data + offset, first);
    memcpy((uint8_t *)to + first, data, size - first);
}

/* The kernel's counters of others' threads lag by up to a tick; this one is up to date. What is
 * left behind the last sample stands for nothing. */
static void times_read(const struct spin_probe *probe, struct spin_seen *seen)
{
    const int work_count = seen->samples_count - seen->spinning_count - seen->waiting_count;
    int64_t ran_ns;

    if (read(probe->fd, &ran_ns, sizeof(ran_ns)) != sizeof(ran_ns))
        return;
    seen->ran_ns = ran_ns - ran_ns % probe->period_ns;
    seen->work_ns = work_count * probe->period_ns;
}

/* Where samples take the kernel too much time, it leaves out those up to the next tick. */
static bool is_of_loss(uint32_t type)
{
    return type == PERF_RECORD_LOST || type == PERF_RECORD_THROTTLE;
}

int spin_probe_read(struct spin_probe *probe, struct spin_seen *seen)
{
    const uint64_t head = __atomic_load_n(&probe->ring->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = probe->ring->data_tail;
    /* What finds no room is lost, and that is written once there is room again. */
    bool lost = head - tail > probe->page_size - sizeof(struct sample_record);
    struct sample_record record;
    int error = 0;

    *seen = (struct spin_seen){0};
    while (tail < head && !error) {
        ring_copy(probe, tail, &record.header, sizeof(record.header));
        if (record.header.size < sizeof(record.header))
            break;
        lost |= is_of_loss(record.header.type);
        if (record.header.type == PERF_RECORD_SAMPLE && record.header.size == sizeof(record)) {
            ring_copy(probe, tail, &record, sizeof(record));
            error = sample_count(probe, &record, seen);
        }
        tail += record.header.size;
    }
    __atomic_store_n(&probe->ring->data_tail, head, __ATOMIC_RELEASE);
    if (!lost && !error)
        times_read(probe, seen);
    return error;
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

#if defined(__x86_64__) || defined(__i386__)
static const bool code_is_known = true;
#else
static const bool code_is_known = false;
#endif

int spin_probe_open(const struct thread_id *id, int64_t period_ns, const struct probed_code *code,
                    struct spin_probe **result)
{
    struct spin_probe *probe;
    int error;

    if (!code_is_known)
        return -ENOTSUP;
    probe = calloc(1, sizeof(*probe));
    if (!probe)
        return -ENOMEM;
    probe->pid = id->pid;
    probe->period_ns = period_ns;
    probe->code = *code;
    probe->page_size = (size_t)sysconf(_SC_PAGESIZE);
    error = event_open(id, period_ns, &probe->fd);
    if (error)
        goto free_probe;
    probe->ring = mmap(NULL, 2 * probe->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, probe->fd,
                       0);
    if (probe->ring == MAP_FAILED) {
        error = -errno;
        goto close_event;
    }
    *result = probe;
    return 0;

close_event:
    close(probe->fd);
free_probe:
    free(probe);
    return error;
}

void spin_probe_close(struct spin_probe *probe)
{
    if (!probe)
        return;
    munmap(probe->ring, 2 * probe->page_size);
    close(probe->fd);
    free(probe);
}
