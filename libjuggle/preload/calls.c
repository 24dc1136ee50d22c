/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our signals are sent to threads that run, but a thread may fall asleep meanwhile. Many programs
 * have no handlers, and take EINTR for an error. The number of the interrupted call is not known
 * any more, but the code before the call tells it, because compilers load the number last, or
 * nearly so. If it is not found, the program sees EINTR.
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
    CALL_SIZE = 2,   /* of `syscall` */
    LOAD_SIZE = 5,   /* of `mov $number, %eax` */
    ZERO_SIZE = 2,   /* of `xor %eax, %eax` */
    BEFORE_MAX = 21, /* bytes that are searched: loads of arguments may lie in between */
    PAGE_SIZE = 4096,
    NUMBERS_END = 1024, /* beyond those of all calls */
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

static bool may_begin_again(uint32_t number)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* How compilers load zero, right before the call: `xor %eax, %eax`. */
static bool loads_zero(const uint8_t *call)
{
    return call[-2] == 0x31 && call[-1] == 0xc0;
}

/* Finds the number that is loaded last before a call. Looks only into the memory page of the call,
 * because the one before may not be mapped. False if there is none, or if the call must not be
 * restarted. */
static bool number_find(const uint8_t *call, uint32_t *number)
{
    const int in_page = (int)((uintptr_t)call % PAGE_SIZE);

    if (in_page >= ZERO_SIZE && loads_zero(call)) {
        *number = SYS_read;
        return true;
    }
    for (int before = LOAD_SIZE; before <= in_page && before <= BEFORE_MAX; before++) {
        memcpy(number, call - before + 1, sizeof(*number));
        if (call[-before] == 0xb8 && *number < NUMBERS_END)
            return may_begin_again(*number);
    }
    return false;
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
    uint32_t number;

    if (registers[REG_RAX] != -EINTR || !was_in_a_call(registers) || !number_find(call, &number))
        return;
    registers[REG_RAX] = number;
    registers[REG_RIP] -= CALL_SIZE;
}

#else

void call_begin_again(ucontext_t *context)
{
    (void)context;
}

#endif
