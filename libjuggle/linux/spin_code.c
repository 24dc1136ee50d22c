/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code is scanned at every byte. Bytes that look like a `pause` or a jump may be part of another
 * instruction, such as a number; a trap there would change what the program computes. A sample is
 * where an instruction begins, and from there on it is known where others do. So a loop counts in
 * two cases: its `pause` and the jump that closes it are reached from the sample; or it has nothing
 * but known instructions from its first byte to the jump, and the sample is at the beginning of one
 * of them.
 */
#include "libjuggle/linux/spin_code.h"

#include <string.h>

enum {
    PAUSE_SIZE = 2,
    /* Bytes behind a `pause` that belong to it: an interrupt that comes during a `pause` is taken
     * behind it. */
    PAUSE_SHADOW = 6,
};

/* Returns the length of the jump at an offset, and how far from its end it leads; 0: it is no
 * jump. */
static size_t jump_at(const uint8_t *code, size_t left, int64_t *distance)
{
    size_t opcode = 0;
    int32_t wide;

    if (left >= 2 && (code[0] == 0xeb || (code[0] & 0xf0) == 0x70)) {
        *distance = code[1] < 0x80 ? code[1] : code[1] - 0x100;
        return 2;
    }
    if (left >= 5 && code[0] == 0xe9)
        opcode = 1;
    else if (left >= 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80)
        opcode = 2;
    else
        return 0;
    memcpy(&wide, code + opcode, sizeof(wide));
    *distance = wide;
    return opcode + sizeof(wide);
}

/* Finds the loop that a jump at an offset closes. False if it does not lead back, or by more than
 * `most` bytes. */
static bool loop_closed_at(const uint8_t *code, size_t size, size_t at, size_t most,
                           struct spin_loop *loop)
{
    int64_t distance;
    const size_t length = jump_at(code + at, size - at, &distance);
    const int64_t end = (int64_t)(at + length);

    if (!length || distance >= 0 || distance < -(int64_t)most || end + distance < 0)
        return false;
    *loop = (struct spin_loop){(size_t)(end + distance), (size_t)end, at};
    return true;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_within(size_t at, const struct spin_loop *loop)
{
    return at >= loop->begin && at < loop->end;
}

/* ---- loops that pause ---- */

static bool is_pause(const uint8_t *code, size_t size, size_t at)
{
    return at + PAUSE_SIZE <= size && code[at] == 0xf3 && code[at + 1] == 0x90;
}

/* The length of an instruction of a loop that waits, and what it does; 0: it is not known. */
static size_t length_at(const uint8_t *code, size_t end, size_t at, struct spin_effect *effect)
{
    int64_t distance;
    const size_t length = is_pause(code, end, at) ? PAUSE_SIZE
                                                  : jump_at(code + at, end - at, &distance);

    return length ? length : spin_instruction_at(code + at, end - at, effect);
}

/* Finds the loop around a pause: the one that is closed first behind it. A shorter one may be
 * closed further on, by a path out of the loop that jumps back to the loop's end. */
static bool loop_around(const uint8_t *code, size_t size, size_t pause, struct spin_loop *loop)
{
    size_t length = 1;

    for (size_t at = pause; at < size && length; at += length) {
        if (loop_closed_at(code, size, at, SPIN_REACH, loop) && loop->begin <= pause)
            return true;
        length = spin_instruction_length(code + at, size - at);
    }
    return false;
}

/* True if an instruction begins at `to`, provided that one begins at `from`, before it. */
static bool leads_to(const uint8_t *code, size_t from, size_t to)
{
    size_t length = 1;

    for (; from < to && length; from += length)
        length = spin_instruction_length(code + from, to - from);
    return from == to;
}

/* True if the pause of a loop is reached from the sample, directly or by the loop's closing jump,
 * which leads to its beginning. */
static bool is_reached(const uint8_t *code, const struct spin_loop *loop, size_t pause,
                       size_t sampled)
{
    return sampled <= pause
               ? leads_to(code, sampled, pause)
               : leads_to(code, sampled, loop->trap) && leads_to(code, loop->begin, pause);
}

/* The length of an instruction that reads the processor's clock, be it rdtsc or rdtscp. */
static size_t clock_at(const uint8_t *code, size_t left)
{
    if (left >= 2 && code[0] == 0x0f && code[1] == 0x31)
        return 2;
    return left >= 3 && code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9 ? 3 : 0;
}

/* True if a loop that pauses looks at the clock and at no memory but the stack, as far as its code
 * is known: no other thread ends such a wait. */
static bool waits_for_a_time(const uint8_t *code, const struct spin_loop *loop)
{
    bool reads_clock = false;
    size_t length;

    for (size_t at = loop->begin; at < loop->end; at += length) {
        struct spin_effect effect = {0};
        const size_t clock = clock_at(code + at, loop->end - at);
        length = clock ? clock : length_at(code, loop->end, at, &effect);
        reads_clock |= clock > 0;
        if (!length)
            break;
        if (effect.loads && !spin_load_is_of_stack(&effect.load))
            return false;
    }
    return reads_clock;
}

static bool pauses_at(const uint8_t *code, size_t size, size_t at, struct spin_loop *loop)
{
    for (size_t pause = 0; pause < size; pause++) {
        struct spin_loop around;
        if (!is_pause(code, size, pause) || !loop_around(code, size, pause, &around) ||
            !is_reached(code, &around, pause, at) || waits_for_a_time(code, &around))
            continue;
        if (around.end - around.begin > SPIN_LOOP_MAX) {
            around.begin = pause;
            around.end = least(around.end, pause + PAUSE_SIZE + PAUSE_SHADOW);
        }
        if (!is_within(at, &around))
            continue;
        around.trap = pause;
        *loop = around;
        return true;
    }
    return false;
}

/* ---- loops that only look ---- */

static bool is_unconditional(const uint8_t *code)
{
    return code[0] == 0xeb || code[0] == 0xe9;
}

/* True if each pass through a loop does what the pass before it did, and an instruction of the loop
 * begins at `sampled`. */
static bool only_looks(const uint8_t *code, const struct spin_loop *loop, size_t closing,
                       size_t sampled)
{
    uint32_t written = 0, carried = 0;
    bool loads = false, begins = sampled == closing;
    size_t at = loop->begin;

    while (at < closing) {
        struct spin_effect effect = {0};
        int64_t distance = 0;
        size_t length = jump_at(code + at, closing - at, &distance);
        begins |= at == sampled;
        const int64_t target = (int64_t)(at + length) + distance;
        /* A jump must lead out of the loop, because otherwise it skips instructions whose registers
         * are then not written in each pass. It must be conditional, because otherwise the code
         * behind it is no part of the loop. */
        if (length && ((target >= (int64_t)loop->begin && target < (int64_t)loop->end) ||
                       is_unconditional(code + at)))
            return false;
        if (!length)
            length = spin_instruction_at(code + at, closing - at, &effect);
        if (!length)
            return false;
        carried |= effect.reads & ~written;
        written |= effect.writes;
        loads |= effect.loads;
        at += length;
    }
    return begins && at == closing && loads && !(carried & written);
}

static bool looks_at(const uint8_t *code, size_t size, size_t at, struct spin_loop *loop)
{
    const size_t last = least(size, at + SPIN_LOOK_MAX);

    for (size_t closing = at < SPIN_LOOK_MAX ? 0 : at - SPIN_LOOK_MAX; closing < last; closing++) {
        struct spin_loop closed;
        if (!loop_closed_at(code, size, closing, SPIN_LOOK_MAX, &closed) ||
            !is_within(at, &closed) || !only_looks(code, &closed, closing, at))
            continue;
        *loop = closed;
        return true;
    }
    return false;
}

bool spin_code_waits(const uint8_t *code, size_t size, size_t at, struct spin_loop *loop)
{
    return pauses_at(code, size, at, loop) || looks_at(code, size, at, loop);
}

/* ---- where a loop looks ---- */

void spin_code_watch(const uint8_t *code, const struct spin_loop *loop, struct spin_watch *watch)
{
    uint32_t written = 0;
    size_t length;

    *watch = (struct spin_watch){0};
    for (size_t at = loop->begin; at < loop->end; at += length) {
        struct spin_effect effect = {0};
        length = length_at(code, loop->end, at, &effect);
        if (!length)
            break;
        written |= effect.writes;
        if (!effect.loads || watch->count == SPIN_LOADS_MAX)
            continue;
        watch->loads[watch->count] = effect.load;
        watch->ends[watch->count++] = at + length;
    }
    for (int i = 0; i < watch->count; i++)
        if (spin_load_registers(&watch->loads[i]) & written)
            watch->count = 0;
}

/* ---- jumps ---- */

enum { CARRY = 1 << 0, PARITY = 1 << 2, ZERO = 1 << 6, SIGN = 1 << 7, OVERFLOW = 1 << 11 };

bool spin_code_jumps(const uint8_t code[SPIN_TRAP_SIZE], uint64_t flags)
{
    const bool near = code[0] == 0x0f && (code[1] & 0xf0) == 0x80;
    const int condition = near ? code[1] & 0xf : code[0] & 0xf;
    const bool less = !(flags & SIGN) != !(flags & OVERFLOW);
    const bool holds[] = {flags & OVERFLOW, flags & CARRY,  flags & ZERO, flags & (CARRY | ZERO),
                          flags & SIGN,     flags & PARITY, less,         less || flags & ZERO};

    if (!near && (code[0] & 0xf0) != 0x70)
        return true;
    return holds[condition >> 1] != (condition & 1);
}

uint64_t spin_code_next(const uint8_t code[SPIN_TRAP_SIZE], uint64_t at, uint64_t flags)
{
    int64_t distance;
    const size_t length = jump_at(code, SPIN_TRAP_SIZE, &distance);

    if (!length)
        return at + PAUSE_SIZE;
    return at + length + (spin_code_jumps(code, flags) ? (uint64_t)distance : 0);
}
