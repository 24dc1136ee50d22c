/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/spin.h"

#include "libjuggle/linux/spin_code.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    CODE_SIZE = 2 * SPIN_REACH,
    /* Reads of code by one look: a thread that spins a lot does so at few places. */
    READS_MAX = 16,
};

/* Addresses of a loop that waits. */
struct known_loop {
    uint64_t begin, end;
    struct spin_place trap;
};

struct look {
    pid_t pid;
    struct probed_code code;
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

/* True if the process runs 32-bit code: then its memory, and with it the vDSO, lies below 4 GB. */
static bool is_of_32_bits(const struct runtime_code *runtime)
{
    for (int i = 0; i < runtime->parts_count; i++)
        if (runtime->parts[i].kind == RUNTIME_VDSO)
            return runtime->parts[i].end <= UINT64_C(1) << 32;
    return false;
}

/* Code of 32 bits is decoded as if it had 64. Instructions that count are then taken for prefixes,
 * and a loop that computes may look like one that only looks: there only a `pause` tells. */
static bool is_told(const struct look *look, const uint8_t *trap)
{
    static const uint8_t pause = 0xf3;

    return *trap == pause || !is_of_32_bits(look->code.runtime);
}

/* Learns the loop that an address is in, if it is one that waits. */
static int loop_learn(struct look *look, uint64_t address)
{
    uint8_t code[CODE_SIZE];
    struct spin_loop loop;
    uint64_t from = address - min_i64(SPIN_REACH, (int64_t)(address & INT64_MAX));
    ssize_t length = code_read(look->pid, from, code, sizeof(code));

    /* If the page before is not mapped, reads from the beginning of the address's own page. */
    if (length < 0 && errno == EFAULT) {
        from = address & ~(uint64_t)(sysconf(_SC_PAGESIZE) - 1);
        length = code_read(look->pid, from, code, sizeof(code));
    }
    if (length < 0)
        return errno == EPERM || errno == ENOSYS ? -EPERM : 0;
    spin_places_clean(look->code.places, look->pid, from, code, (size_t)length);
    if (look->loops_count < SPIN_LOOPS_MAX &&
        spin_code_waits(code, (size_t)length, (size_t)(address - from), &loop) &&
        is_told(look, &code[loop.trap]))
        look->loops[look->loops_count++] = (struct known_loop){
            from + loop.begin, from + loop.end, {look->pid, from + loop.trap, code[loop.trap]}};
    return 0;
}

static const struct known_loop *loop_around(const struct look *look, uint64_t address)
{
    for (int i = 0; i < look->loops_count; i++)
        if (address >= look->loops[i].begin && address < look->loops[i].end)
            return &look->loops[i];
    return NULL;
}

static bool is_after_call(const struct look *look, uint64_t address)
{
    static const uint8_t syscall_code[] = {0x0f, 0x05};
    uint8_t before[sizeof(syscall_code)];

    return code_read(look->pid, address - sizeof(before), before, sizeof(before)) ==
               sizeof(before) &&
           !memcmp(before, syscall_code, sizeof(before));
}

/* True if a sample that is in no loop is of a wait: a runtime's own code is there to wait, or to
 * hand out work; the C library waits where it has just called the kernel. */
static bool is_waiting(const struct look *look, const struct runtime_part *part, uint64_t address)
{
    if (!part || part->kind == RUNTIME_VDSO)
        return false;
    return part->kind != RUNTIME_LIBC || is_after_call(look, address);
}

/* True for code in which caught threads wait: a trap there would stop a thread within the trap's
 * own handler. */
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

static int loop_find(struct look *look, uint64_t address, const struct known_loop **loop)
{
    int error = 0;

    *loop = loop_around(look, address);
    if (*loop || look->reads_count == READS_MAX)
        return 0;
    look->reads_count++;
    error = loop_learn(look, address);
    *loop = loop_around(look, address);
    return error;
}

static int sample_count(struct look *look, uint64_t address, bool maybe_of_kernel,
                        struct spin_seen *seen)
{
    const struct runtime_part *part = runtime_code_at(look->code.runtime, address);
    const struct known_loop *loop = NULL;
    int error = 0;

    if (maybe_of_kernel && is_after_call(look, address))
        return 0;
    if (!is_handlers(part))
        error = loop_find(look, address, &loop);
    seen->samples_count++;
    if (loop) {
        seen->spinning_count++;
        seen->where = address;
        trap_note(seen, &loop->trap);
    } else {
        seen->waiting_count += is_waiting(look, part, address);
    }
    return error;
}

/* ---- the whole look ---- */

#if defined(__x86_64__) || defined(__i386__)
static const bool code_is_known = true;
#else
static const bool code_is_known = false;
#endif

int spin_see(pid_t pid, const struct probed_code *code, const struct samples *samples,
             struct spin_seen *seen)
{
    struct look look = {.pid = pid, .code = *code};
    int error = code_is_known ? 0 : -ENOTSUP;

    *seen = (struct spin_seen){0};
    for (int i = 0; i < samples->count && !error; i++)
        error = sample_count(&look, samples->addresses[i], samples->of_kernel_too, seen);
    if (error)
        return error;
    seen->ran_ns = samples->ran_ns;
    seen->work_ns = samples->each_ns *
                    (seen->samples_count - seen->spinning_count - seen->waiting_count);
    return 0;
}
