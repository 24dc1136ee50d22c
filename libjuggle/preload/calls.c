/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our signals are sent to threads that run, but a thread may fall asleep meanwhile. Many programs
 * have no handlers, and take EINTR for an error. The number of the interrupted call is not known
 * any more, but the code before the call tells it, because compilers load the number last, or
 * nearly so. If it is not found, the program sees EINTR.
 *
 * glibc 2.41 and newer make calls at which a thread may be canceled in two places, with a number
 * that is a parameter. The code tells where on the stack it lies: its function has it there, or the
 * function's caller if other threads run.
 */
#include "libjuggle/preload/calls.h"

#if defined(__x86_64__)

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

enum {
    CALL_SIZE = 2, /* of `syscall` */
    LOAD_SIZE = 5, /* of `mov $number, %eax` */
    ZERO_SIZE = 2, /* of `xor %eax, %eax` */
    MOVE_SIZE = 3, /* of `mov` between two registers */
    NEAR_CALL_SIZE = 5,
    BEFORE_MAX = 21, /* bytes that are searched: loads of arguments may lie in between */
    FRAME_MAX = 128, /* bytes of stack between a function's parameters and what it calls */
    PAGE_SIZE = 4096,
    NUMBERS_END = 1024, /* beyond those of all calls */
};

/* How instructions name registers. */
enum { AX = 0, SP = 4, BP = 5, SI = 6 };

/* In glibc's __syscall_cancel_arch, before the call: the number comes in rsi. */
static const uint8_t number_in_si[] = {
    0x48, 0x89, 0xf0,             /* mov %rsi, %rax */
    0x48, 0x89, 0xd7,             /* mov %rdx, %rdi */
    0x48, 0x89, 0xce,             /* mov %rcx, %rsi */
    0x4c, 0x89, 0xc2,             /* mov %r8, %rdx */
    0x4d, 0x89, 0xca,             /* mov %r9, %r10 */
    0x4c, 0x8b, 0x44, 0x24, 0x08, /* mov 8(%rsp), %r8 */
    0x4c, 0x8b, 0x4c, 0x24, 0x10, /* mov 16(%rsp), %r9 */
    0x4c, 0x89, 0x5c, 0x24, 0x08, /* mov %r11, 8(%rsp) */
};

/* Calls that have done nothing when they fail with EINTR. Those of files fail so if a socket has a
 * timeout. */
static const uint32_t numbers[] = {
    SYS_poll,          SYS_ppoll,         SYS_select,          SYS_pselect6,     SYS_epoll_wait,
    SYS_epoll_pwait,   SYS_nanosleep,     SYS_clock_nanosleep, SYS_pause,        SYS_futex,
    SYS_accept,        SYS_accept4,       SYS_recvfrom,        SYS_recvmsg,      SYS_sendto,
    SYS_sendmsg,       SYS_semop,         SYS_semtimedop,      SYS_msgsnd,       SYS_msgrcv,
    SYS_rt_sigsuspend, SYS_io_getevents,  SYS_rt_sigtimedwait, SYS_epoll_pwait2, SYS_io_uring_enter,
    SYS_recvmmsg,      SYS_io_pgetevents, SYS_sendmmsg,        SYS_read,         SYS_readv,
    SYS_write,         SYS_writev,
};

static bool may_begin_again(uint64_t number)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* Returns how much of the code before an address may be read: what lies in the same memory page,
 * because the page before may not be mapped. */
static int readable_before(const uint8_t *code)
{
    return (int)((uintptr_t)code % PAGE_SIZE);
}

/* How compilers load zero, right before the call: `xor %eax, %eax`. */
static bool loads_zero(const uint8_t *call)
{
    return call[-2] == 0x31 && call[-1] == 0xc0;
}

/* Finds the number that is loaded last before a call. False if there is none, or if the call must
 * not be restarted. */
static bool number_in_code(const uint8_t *call, uint64_t *number)
{
    const int readable = readable_before(call);
    uint32_t loaded;

    if (readable >= ZERO_SIZE && loads_zero(call)) {
        *number = SYS_read;
        return true;
    }
    for (int before = LOAD_SIZE; before <= readable && before <= BEFORE_MAX; before++) {
        memcpy(&loaded, call - before + 1, sizeof(loaded));
        if (call[-before] == 0xb8 && loaded < NUMBERS_END) {
            *number = loaded;
            return may_begin_again(loaded);
        }
    }
    return false;
}

/* ---- numbers that lie on the stack ---- */

static uint64_t word_at(uint64_t address)
{
    uint64_t word;

    /* NOLINTNEXTLINE(performance-no-int-to-ptr): what a register holds */
    memcpy(&word, (const void *)(uintptr_t)address, sizeof(word));
    return word;
}

/* True if `mov` between two registers stands before `end`, and changes neither `target` nor the
 * registers by which the stack is found. */
static bool is_move_elsewhere(const uint8_t *end, int target)
{
    const uint8_t *code = end - MOVE_SIZE;
    const int changed = (code[2] & 7) | (code[0] & 1) << 3;

    return (code[0] & 0xfa) == 0x48 && code[1] == 0x89 && code[2] >= 0xc0 && changed != target &&
           changed != SP && changed != BP;
}

/* Finds what the code before `end` has loaded into the register `target` from the stack, if only
 * moves between registers follow. */
static bool loaded_from_stack(const uint8_t *end, int target, uint64_t sp, uint64_t bp,
                              uint64_t *value)
{
    const uint8_t by_sp[] = {0x48, 0x8b, (uint8_t)(0x44 | target << 3), 0x24};
    const uint8_t by_bp[] = {0x48, 0x8b, (uint8_t)(0x45 | target << 3)};
    int readable = readable_before(end);

    for (; readable >= MOVE_SIZE && is_move_elsewhere(end, target); readable -= MOVE_SIZE)
        end -= MOVE_SIZE;
    if (readable <= (int)sizeof(by_sp))
        return false;
    const uint64_t offset = (uint64_t)(int8_t)end[-1];
    const bool is_by_sp = !memcmp(end - 1 - sizeof(by_sp), by_sp, sizeof(by_sp));
    if (!is_by_sp && memcmp(end - 1 - sizeof(by_bp), by_bp, sizeof(by_bp)) != 0)
        return false;
    const uint64_t at = (is_by_sp ? sp : bp) + offset;
    if (at - sp >= FRAME_MAX)
        return false;
    *value = word_at(at);
    return true;
}

/* Finds the number of a call in whose function it is a parameter, in rsi: the caller has it on its
 * stack. */
static bool number_of_caller(const uint8_t *call, uint64_t sp, uint64_t bp, uint64_t *number)
{
    if (readable_before(call) < (int)sizeof(number_in_si) ||
        memcmp(call - sizeof(number_in_si), number_in_si, sizeof(number_in_si)) != 0)
        return false;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): where the function returns to */
    const uint8_t *const back = (const uint8_t *)(uintptr_t)word_at(sp);
    return readable_before(back) >= NEAR_CALL_SIZE && back[-NEAR_CALL_SIZE] == 0xe8 &&
           loaded_from_stack(back - NEAR_CALL_SIZE, SI, sp + sizeof(uint64_t), bp, number);
}

static bool number_find(const uint8_t *call, const greg_t *registers, uint64_t *number)
{
    const uint64_t sp = (uint64_t)registers[REG_RSP], bp = (uint64_t)registers[REG_RBP];

    if (loaded_from_stack(call, AX, sp, bp, number) || number_of_caller(call, sp, bp, number))
        return may_begin_again(*number);
    return number_in_code(call, number);
}

/* True if the thread was in a system call: the instruction leaves the return address in rcx and the
 * flags in r11. */
static bool was_in_a_call(const greg_t *registers)
{
    return registers[REG_RCX] == registers[REG_RIP] && registers[REG_R11] == registers[REG_EFL];
}

void call_begin_again(ucontext_t *context)
{
    greg_t *const registers = context->uc_mcontext.gregs;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): what a register holds */
    const uint8_t *const call = (const uint8_t *)(uintptr_t)registers[REG_RIP] - CALL_SIZE;
    uint64_t number;

    if (registers[REG_RAX] != -EINTR || !was_in_a_call(registers) ||
        !number_find(call, registers, &number))
        return;
    registers[REG_RAX] = (greg_t)number;
    registers[REG_RIP] -= CALL_SIZE;
}

#else

void call_begin_again(ucontext_t *context)
{
    (void)context;
}

#endif
