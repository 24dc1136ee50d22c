/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that sleeps in system calls gets a signal of ours again and again; the calls must not
 * show it. */
#include "libjuggle/ground/units.h"
#include "libjuggle/preload/calls.h"
#include "tests/lib/suite.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Calls wait for longer than any signal takes to come, even on a loaded machine. */
enum { SIGNALS_MIN = 20, WAIT_S = 60, WAIT_MS = WAIT_S * 1000 };

static volatile sig_atomic_t signals_count;
static bool begins_again;

static void handle(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    signals_count = signals_count + 1;
    if (begins_again && signals_count < SIGNALS_MIN)
        call_begin_again(context);
}

/* ---- calls that time out after WAIT_S; they return negative errors, or 0 if nothing came in
 * time ---- */

static const struct timespec wait_time = {WAIT_S, 0};
static int sockets[2];

static int error_of(long result)
{
    return result < 0 ? -errno : 0;
}

static int by_poll(void)
{
    return error_of(poll(NULL, 0, WAIT_MS));
}

static int by_ppoll(void)
{
    return error_of(ppoll(NULL, 0, &wait_time, NULL));
}

static int by_select(void)
{
    struct timeval left = {WAIT_S, 0};

    return error_of(select(0, NULL, NULL, NULL, &left));
}

static int by_pselect(void)
{
    return error_of(pselect(0, NULL, NULL, NULL, &wait_time, NULL));
}

static int by_epoll(void)
{
    struct epoll_event event;
    const int fd = epoll_create1(EPOLL_CLOEXEC);
    const int error = error_of(epoll_wait(fd, &event, 1, WAIT_MS));

    close(fd);
    return error;
}

static int by_nanosleep(void)
{
    return error_of(nanosleep(&wait_time, NULL));
}

static int by_clock_nanosleep(void)
{
    return -clock_nanosleep(CLOCK_MONOTONIC, 0, &wait_time, NULL);
}

static int by_recv(void)
{
    char byte;

    return error_of(recv(sockets[0], &byte, 1, 0)) == -EAGAIN ? 0 : error_of(-1);
}

static int by_recvfrom(void)
{
    char byte;

    return error_of(recvfrom(sockets[0], &byte, 1, 0, NULL, NULL)) == -EAGAIN ? 0 : error_of(-1);
}

static int by_recvmsg(void)
{
    struct msghdr message = {0};

    return error_of(recvmsg(sockets[0], &message, 0)) == -EAGAIN ? 0 : error_of(-1);
}

static int by_recvmmsg(void)
{
    struct mmsghdr message = {0};

    return error_of(recvmmsg(sockets[0], &message, 1, 0, NULL)) == -EAGAIN ? 0 : error_of(-1);
}

static int by_read(void)
{
    char byte;

    return error_of(read(sockets[0], &byte, 1)) == -EAGAIN ? 0 : error_of(-1);
}

static int by_readv(void)
{
    char byte;
    const struct iovec room = {&byte, 1};

    return error_of(readv(sockets[0], &room, 1)) == -EAGAIN ? 0 : error_of(-1);
}

static int by_futex(void)
{
    struct timespec until;
    sem_t sem;

    sem_init(&sem, 0, 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WAIT_S;
    const int error = error_of(sem_timedwait(&sem, &until));
    return error == -ETIMEDOUT ? 0 : error;
}

static int by_semtimedop(void)
{
    struct sembuf take = {.sem_op = -1};
    const int id = semget(IPC_PRIVATE, 1, 0600);
    const int error = error_of(semtimedop(id, &take, 1, &wait_time));

    semctl(id, 0, IPC_RMID);
    return error == -EAGAIN ? 0 : error;
}

static int by_sigtimedwait(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    return error_of(sigtimedwait(&set, NULL, &wait_time)) == -EAGAIN ? 0 : error_of(-1);
}

static int (*const calls[])(void) = {
    by_poll,     by_ppoll,     by_select,          by_pselect,
    by_epoll,    by_nanosleep, by_clock_nanosleep, by_recv,
    by_recvfrom, by_recvmsg,   by_recvmmsg,        by_read,
    by_readv,    by_futex,     by_semtimedop,      by_sigtimedwait};

/* ---- the sender of the signals ---- */

static int call_while_interrupted(int (*call)(void), bool again)
{
    const struct itimerspec often = {{0, 1000000}, {0, 1000000}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG};
    timer_t timer;

    signals_count = 0;
    begins_again = again;
    ck_assert_int_eq(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    timer_settime(timer, 0, &often, NULL);
    const int error = call();
    timer_delete(timer);
    return error;
}

static void setup(void)
{
    const struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART};
    const struct timeval timeout = {WAIT_S, 0};

    ck_assert_int_eq(sigaction(SIGURG, &action, NULL), 0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    ck_assert_int_eq(setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)), 0);
}

/* Each call waits until a signal ends it, so each was interrupted; the last signal is let
 * through. */
static void begins_again_by(const char *how, size_t number, int (*call)(void))
{
    ck_assert_msg(call_while_interrupted(call, false) == -EINTR, "%s call %zu", how, number);
    const int error = call_while_interrupted(call, true);
    ck_assert_msg(error == -EINTR && signals_count >= SIGNALS_MIN, "%s call %zu: error %d after %d",
                  how, number, error, signals_count);
}

static void all_begin_again(const char *how)
{
#if !defined(__x86_64__)
    printf("skip: the code of calls is known on x86-64 only\n");
    return;
#elif defined(__SANITIZE_THREAD__)
    printf("skip: this sanitizer keeps signals back until the call is over\n");
    return;
#endif
    setup();
    for (size_t i = 0; i < ARRAY_COUNT(calls); i++)
        begins_again_by(how, i, calls[i]);
}

START_TEST(calls_that_a_signal_interrupts_begin_again)
{
    all_begin_again("lone");
}

static void *wait_for(void *end)
{
    while (sem_wait(end) && errno == EINTR)
        continue;
    return NULL;
}

/* C libraries make calls in other ways if there are other threads, or if the thread must not be
 * canceled. */
START_TEST(calls_beside_other_threads_begin_again)
{
    pthread_t other;
    sigset_t urgent;
    sem_t end;

    sem_init(&end, 0, 0);
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, &urgent, NULL), 0);
    ck_assert_int_eq(pthread_create(&other, NULL, wait_for, &end), 0);
    ck_assert_int_eq(pthread_sigmask(SIG_UNBLOCK, &urgent, NULL), 0);
    all_begin_again("cancelable");
    ck_assert_int_eq(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL), 0);
    all_begin_again("uncancelable");
    sem_post(&end);
    ck_assert_int_eq(pthread_join(other, NULL), 0);
}

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
typedef long calling(long a, long b, long c, long d, long e, long f, long number);

calling own_by_sp, own_by_bp, own_of_caller_by_sp, own_of_caller_by_bp;

/* As glibc 2.41 and its compilers make calls, with frame pointers and without. */
__asm__(".text\n"
        ".balign 256\n"
        "own_by_sp:\n"
        "    push %rbx\n"
        "    mov 16(%rsp), %rax\n"
        "    mov %rcx, %r10\n"
        "    syscall\n"
        "    pop %rbx\n"
        "    ret\n"
        "own_by_bp:\n"
        "    push %rbp\n"
        "    mov %rsp, %rbp\n"
        "    mov 16(%rbp), %rax\n"
        "    mov %rcx, %r10\n"
        "    syscall\n"
        "    pop %rbp\n"
        "    ret\n"
        "own_of_caller_by_sp:\n"
        "    push %rbx\n"
        "    push %r9\n"
        "    mov %rcx, %r9\n"
        "    mov %rsi, %rcx\n"
        "    push %r8\n"
        "    mov 32(%rsp), %rsi\n"
        "    mov %rdx, %r8\n"
        "    mov %rdi, %rdx\n"
        "    call own_call\n"
        "    add $16, %rsp\n"
        "    pop %rbx\n"
        "    ret\n"
        "own_of_caller_by_bp:\n"
        "    push %rbp\n"
        "    mov %rsp, %rbp\n"
        "    push %r9\n"
        "    mov %rcx, %r9\n"
        "    mov %rsi, %rcx\n"
        "    push %r8\n"
        "    mov 16(%rbp), %rsi\n"
        "    mov %rdx, %r8\n"
        "    mov %rdi, %rdx\n"
        "    call own_call\n"
        "    leave\n"
        "    ret\n"
        ".balign 64\n"
        "own_call:\n"
        "    mov %rdi, %r11\n"
        "    mov %rsi, %rax\n"
        "    mov %rdx, %rdi\n"
        "    mov %rcx, %rsi\n"
        "    mov %r8, %rdx\n"
        "    mov %r9, %r10\n"
        "    mov 8(%rsp), %r8\n"
        "    mov 16(%rsp), %r9\n"
        "    mov %r11, 8(%rsp)\n"
        "    syscall\n"
        "    ret\n");

static calling *own;

static int by_own(void)
{
    struct timespec left = wait_time;

    return (int)own(0, 0, (long)(uintptr_t)&left, 0, 0, 0, SYS_ppoll);
}
#endif

START_TEST(a_number_on_the_stack_is_found)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    calling *const ways[] = {own_by_sp, own_by_bp, own_of_caller_by_sp, own_of_caller_by_bp};

    setup();
    for (size_t i = 0; i < ARRAY_COUNT(ways); i++) {
        own = ways[i];
        begins_again_by("own", i, by_own);
    }
#endif
}

/* The thread computes when it is interrupted, and is in no system call. */
START_TEST(who_was_in_no_call_goes_on_where_it_was)
{
    int64_t sum = 0;

    setup();
    begins_again = true;
    signals_count = 0;
    for (int64_t i = 0; i < 200; i++) {
        errno = 0;
        raise(SIGURG);
        sum += i;
        ck_assert_int_eq(close(-1), -1);
        ck_assert_int_eq(errno, EBADF);
    }
    ck_assert_int_eq(sum, 199 * 100);
    ck_assert_int_eq(signals_count, 200);
}

#if defined(__x86_64__)
/* The code ends with `syscall` and one more instruction; the call has failed. A word behind where
 * rsp and rbp point is the number; the word itself is the return address, `back` bytes behind the
 * beginning of the code. */
static bool begins_again_in(const uint8_t *code, size_t size, size_t back, uint64_t number,
                            bool bp_is_elsewhere)
{
    static _Alignas(256) uint8_t place[256];
    static uint64_t elsewhere[] = {0, SYS_poll};
    uint8_t *begin = place + sizeof(place) / 2;
    uint64_t stack[] = {(uintptr_t)(begin + back), number, number, number};
    ucontext_t context = {0};
    greg_t *const registers = context.uc_mcontext.gregs;

    memcpy(begin, code, size);
    const greg_t next = (greg_t)(uintptr_t)(begin + size - 1);
    registers[REG_RAX] = -EINTR;
    registers[REG_RIP] = registers[REG_RCX] = next;
    registers[REG_RSP] = (greg_t)(uintptr_t)stack;
    registers[REG_RBP] = (greg_t)(uintptr_t)(bp_is_elsewhere ? elsewhere : stack);
    call_begin_again(&context);
    return registers[REG_RAX] != -EINTR || registers[REG_RIP] != next;
}
#endif

/* connect() continues in the kernel when it is interrupted, and the bytes before it look like
 * the number of another call. */
START_TEST(a_call_that_must_not_begin_again_is_not_taken_for_another)
{
#if defined(__x86_64__)
    static const uint8_t code[] = {0xb8, 1, 0, 0, 0, 0xb8, 42, 0, 0, 0, 0x0f, 5, 0xc3};

    ck_assert(!begins_again_in(code, sizeof(code), 0, 0, false));
#endif
}

START_TEST(a_number_on_the_stack_is_taken_only_if_it_is_surely_that_of_the_call)
{
#if defined(__x86_64__)
    /* mov 8(%rsp), %rax; mov %rcx, %r10 */
    static const uint8_t by_sp[] = {0x48, 0x8b, 0x44, 0x24, 8, 0x49, 0x89, 0xca, 0x0f, 5, 0xc3};
    /* mov 8(%rbp), %rax */
    static const uint8_t by_bp[] = {0x48, 0x8b, 0x45, 8, 0x0f, 5, 0xc3};
    /* mov 8(%rsp), %rax; mov %rdi, %rax */
    static const uint8_t changes[] = {0x48, 0x8b, 0x44, 0x24, 8, 0x48, 0x89, 0xf8, 0x0f, 5, 0xc3};
    /* mov 8(%rsp), %rsi; call; then as in glibc */
    static const uint8_t called[] = {
        0x48, 0x8b, 0x74, 0x24, 8,    0xe8, 0,    0,    0,    0,    0x48, 0x89, 0xf0, 0x48, 0x89,
        0xd7, 0x48, 0x89, 0xce, 0x4c, 0x89, 0xc2, 0x4d, 0x89, 0xca, 0x4c, 0x8b, 0x44, 0x24, 8,
        0x4c, 0x8b, 0x4c, 0x24, 0x10, 0x4c, 0x89, 0x5c, 0x24, 8,    0x0f, 5,    0xc3};
    /* The same, but with push %r8 before the call */
    static const uint8_t pushes[] = {
        0x48, 0x8b, 0x74, 0x24, 8,    0x41, 0x50, 0xe8, 0,    0,    0,    0,    0x48, 0x89, 0xf0,
        0x48, 0x89, 0xd7, 0x48, 0x89, 0xce, 0x4c, 0x89, 0xc2, 0x4d, 0x89, 0xca, 0x4c, 0x8b, 0x44,
        0x24, 8,    0x4c, 0x8b, 0x4c, 0x24, 0x10, 0x4c, 0x89, 0x5c, 0x24, 8,    0x0f, 5,    0xc3};

    ck_assert(begins_again_in(by_sp, sizeof(by_sp), 0, SYS_poll, true));
    ck_assert(!begins_again_in(by_sp, sizeof(by_sp), 0, SYS_connect, true));
    ck_assert(!begins_again_in(by_sp, sizeof(by_sp), 0, UINT64_MAX, true));
    ck_assert(begins_again_in(by_bp, sizeof(by_bp), 0, SYS_poll, false));
    ck_assert(!begins_again_in(by_bp, sizeof(by_bp), 0, SYS_poll, true));
    ck_assert(!begins_again_in(changes, sizeof(changes), 0, SYS_poll, true));
    ck_assert(begins_again_in(called, sizeof(called), 10, SYS_poll, true));
    ck_assert(!begins_again_in(pushes, sizeof(pushes), 12, SYS_poll, true));
#endif
}

SUITE("calls")
