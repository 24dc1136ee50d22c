/* SPDX-License-Identifier: BSD-3-Clause */
/* Traps: the half that is loaded into the program, which is this test. */
#include "tests/lib/live.h"
#include "tests/lib/named_page.h"
#include "tests/lib/refusal.h"
#include "tests/lib/suite.h"

#include "libjuggle/linux/clock.h"
#include "libjuggle/preload/next.h"
#include "libjuggle/preload/traps.h"
#include "libjuggle/preload/waiter.h"
#include "libjuggle/waiting/page.h"
#include "libjuggle/waiting/page_traps.h"

#if defined(__x86_64__)

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { PROCESS = 77, INT3 = 0xcc, CODE_SIZE = 64 };

static struct page *page; /* the balancer's */
static _Atomic int32_t released;
static _Atomic int met_count, stayed_count;

/* A loop, the place of its trap, and how often one pass reaches it. */
struct shape {
    const char *name;
    size_t trap;
    uint8_t code[CODE_SIZE];
};

static const struct shape shapes[] = {
    /* L: pause; cmpl $0,(%rdi); je L; ret */
    {"a pause", 0, {0xf3, 0x90, 0x83, 0x3f, 0x00, 0x74, 0xf9, 0xc3}},
    /* L: cmpl $0,(%rdi); je L; ret */
    {"a jump", 3, {0x83, 0x3f, 0x00, 0x74, 0xfb, 0xc3, 0x90, 0x90, 0x90}},
    /* L: cmpl $0,(%rdi); je L; ret, with a jump of four bytes */
    {"a far jump", 3, {0x83, 0x3f, 0x00, 0x0f, 0x84, 0xf7, 0xff, 0xff, 0xff, 0xc3}},
    /* L: cmpl $0,(%rdi); jne out; jmp L; out: ret */
    {"a jump without condition", 5, {0x83, 0x3f, 0x00, 0x75, 0x02, 0xeb, 0xf9, 0xc3, 0x90, 0x90}},
};

static void heed(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    struct trap *trap = trap_at((uint64_t)registers[REG_RIP] - 1);

    if (signal != SIGTRAP || info->si_code != SI_KERNEL || !trap)
        abort();
    registers[REG_RIP] = (greg_t)trap_next(trap, (uint64_t)registers[REG_EFL]);
    met_count++;
    stayed_count += trap_goes_on(trap, (uint64_t)registers[REG_EFL]);
    if (!trap_holds(trap))
        trap_take_out(trap);
    else if (met_count >= 10)
        released = 1;
}

static void setup(void)
{
    page = waiter_page();
    ck_assert_ptr_nonnull(page);
    for (int i = 0; i < PAGE_TRAPS_MAX; i++)
        page_trap_drop(page, i);
    met_count = stayed_count = released = 0;
    ck_assert_int_eq(
        sigaction(SIGTRAP, &(struct sigaction){.sa_sigaction = heed, .sa_flags = SA_SIGINFO}, NULL),
        0);
}

static uint8_t *map(const struct shape *shape)
{
    const int fd = memfd_create(shape->name, 0);

    ck_assert_int_eq(write(fd, shape->code, CODE_SIZE), CODE_SIZE);
    uint8_t *code = mmap(NULL, CODE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    ck_assert_ptr_ne(code, MAP_FAILED);
    close(fd);
    return code;
}

static uint64_t ask(const uint8_t *code, const struct shape *shape, int index)
{
    const uint64_t at = (uint64_t)(uintptr_t)code + shape->trap;

    page_trap_ask(page, index, PROCESS, at);
    page_traps_hold(page, clock_now_ns() + 100 * NSEC_PER_SEC);
    return at;
}

static void spin(const uint8_t *code)
{
    void (*loop)(_Atomic int32_t *);

    memcpy(&loop, &code, sizeof(loop));
    loop(&released);
}

START_TEST(who_comes_to_a_trap_is_stopped_and_goes_on_as_without)
{
    setup();
    for (size_t i = 0; i < ARRAY_COUNT(shapes); i++) {
        const uint8_t *code = map(&shapes[i]);
        met_count = stayed_count = released = 0;
        const uint64_t at = ask(code, &shapes[i], (int)i);
        traps_set((int)i);
        ck_assert_msg(!page_trap_is_due(page, (int)i), "%s", shapes[i].name);
        ck_assert_uint_eq(code[shapes[i].trap], INT3);
        ck_assert_ptr_nonnull(trap_at(at));
        spin(code);
        ck_assert_int_ge(met_count, 10);
        ck_assert_int_ge(stayed_count, 10);
    }
}

static void *release_later(void *unused)
{
    usleep(20000);
    released = 1;
    return unused;
}

START_TEST(who_comes_to_one_that_has_lapsed_takes_it_out)
{
    pthread_t thread;

    setup();
    const uint8_t *code = map(&shapes[0]);
    const uint64_t at = ask(code, &shapes[0], 3);
    traps_set(3);
    page_traps_hold(page, 0);
    ck_assert(!trap_holds(trap_at(at)));
    ck_assert_int_eq(pthread_create(&thread, NULL, release_later, NULL), 0);
    spin(code);
    pthread_join(thread, NULL);
    ck_assert_int_eq(met_count, 1);
    ck_assert_mem_eq(code, shapes[0].code, CODE_SIZE);
    /* A balancer goes on after a while, and asks again. */
    ck_assert(page_trap_is_due(page, 3));
    page_traps_hold(page, clock_now_ns() + 100 * NSEC_PER_SEC);
    traps_set(3);
    ck_assert_uint_eq(code[0], INT3);
    released = met_count = 0;
    spin(code);
    ck_assert_int_ge(met_count, 10);
    /* The same for a trap that is not wanted any more. */
    page_trap_drop(page, 3);
    spin(code);
    ck_assert_mem_eq(code, shapes[0].code, CODE_SIZE);
}

START_TEST(nothing_but_loops_that_wait_is_changed)
{
    /* L: mov %eax,(%rdi); inc %eax; cmp %esi,%eax; jne L; ret */
    static const struct shape work = {
        "work", 6, {0x89, 0x07, 0xff, 0xc0, 0x39, 0xf0, 0x75, 0xf8, 0xc3}};

    setup();
    const uint8_t *code = map(&work);
    ask(code, &work, 0);
    page_trap_ask(page, 1, PROCESS, 16);
    /* In the middle of an instruction of a loop that waits, and at an address beside its trap. */
    const uint8_t *waits = map(&shapes[0]);
    page_trap_ask(page, 2, PROCESS, (uint64_t)(uintptr_t)waits + 1);
    page_trap_ask(page, 4, PROCESS + 1, (uint64_t)(uintptr_t)waits);
    traps_set(0);
    for (int i = 0; i < 3; i++)
        ck_assert(!page_trap_is_due(page, i));
    ck_assert_mem_eq(code, work.code, CODE_SIZE);
    ck_assert_mem_eq(waits, shapes[0].code, CODE_SIZE);
    /* The trap is another process's. */
    ck_assert(page_trap_is_due(page, 4));
    traps_set(-1);
    traps_set(PAGE_TRAPS_MAX);
}

START_TEST(where_code_cannot_be_written_the_trap_is_refused)
{
    setup();
    const uint8_t *code = map(&shapes[0]);
    ask(code, &shapes[0], 0);
    const rlim_t before = limit_set(RLIMIT_NOFILE, 0);
    traps_set(0);
    /* Sanitizers open files when the program ends. */
    limit_set(RLIMIT_NOFILE, before);
    ck_assert(!page_trap_is_due(page, 0));
    ck_assert_mem_eq(code, shapes[0].code, CODE_SIZE);
}

/* A trap that is asked for again after a while may still be there. It must not be forgotten if the
 * program has no file descriptor left by then: nobody would take it out. */
START_TEST(a_trap_that_is_in_place_needs_no_write)
{
    setup();
    const uint8_t *code = map(&shapes[0]);
    const uint64_t at = ask(code, &shapes[0], 0);
    traps_set(0);
    ask(code, &shapes[0], 1);
    const rlim_t before = limit_set(RLIMIT_NOFILE, 0);
    traps_set(1);
    limit_set(RLIMIT_NOFILE, before);
    ck_assert(trap_holds(trap_at(at)));
    page_traps_hold(page, 0);
    trap_take_out(trap_at(at));
    ck_assert_mem_eq(code, shapes[0].code, CODE_SIZE);
}

/* Two loops side by side, each with a jump back: the code of one is read as it is without the
 * trap of the other. */
START_TEST(loops_beside_a_trap_are_read_as_they_are)
{
    /* L: pause; cmpl $0,(%rdi); je L; M: pause; cmpl $0,(%rdi); je M; ret */
    static const struct shape twice = {
        "twice",
        7,
        {0xf3, 0x90, 0x83, 0x3f, 0x00, 0x74, 0xf9, 0xf3, 0x90, 0x83, 0x3f, 0x00, 0x74, 0xf9, 0xc3}};

    setup();
    const uint8_t *code = map(&twice);
    page_trap_ask(page, 0, PROCESS, (uint64_t)(uintptr_t)code);
    ask(code, &twice, 1);
    traps_set(1);
    ck_assert_uint_eq(code[0], INT3);
    ck_assert_uint_eq(code[7], INT3);
    spin(code);
    ck_assert_int_ge(met_count, 10);
}

/* Another library may have been loaded at this address. */
START_TEST(code_that_has_changed_is_let_be)
{
    static const uint8_t other[CODE_SIZE] = {INT3, 0xc3};

    setup();
    uint8_t *code = map(&shapes[0]);
    ask(code, &shapes[0], 0);
    traps_set(0);
    ck_assert_int_eq(mprotect(code, CODE_SIZE, PROT_READ | PROT_WRITE), 0);
    memcpy(code, other, CODE_SIZE);
    page_traps_hold(page, 0);
    trap_take_out(trap_at((uint64_t)(uintptr_t)code));
    ck_assert_mem_eq(code, other, CODE_SIZE);
    ask(code, &shapes[0], 0);
    traps_set(0);
    ck_assert_mem_eq(code, other, CODE_SIZE);
    munmap(code, CODE_SIZE);
    trap_take_out(trap_at((uint64_t)(uintptr_t)code));
    ask(code, &shapes[0], 0);
    traps_set(0);
    ck_assert(!page_trap_is_due(page, 0));
}

static bool ends_within;

/* Stands in for the C library's function. While a trap is written, a signal may interrupt that,
 * whose handler ends all traps. */
long syscall(long number, ...)
{
    static next_t known;
    long (*next)(long, ...) = next_find(&known, "syscall", "/libc.");
    long values[6];
    va_list more;

    va_start(more, number);
    for (size_t i = 0; i < ARRAY_COUNT(values); i++)
        values[i] = va_arg(more, long);
    va_end(more);
    if (number == SYS_pwrite64 && ends_within) {
        ends_within = false;
        (void)traps_end();
    }
    return next(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

START_TEST(the_trap_that_is_being_set_when_all_end_is_taken_out)
{
    setup();
    const uint8_t *code = map(&shapes[0]);
    ask(code, &shapes[0], 0);
    const pid_t child = fork();
    if (child == 0) {
        traps_begin_child();
        ends_within = true;
        traps_set(0);
        _exit(ends_within || !traps_have_ended() || memcmp(code, shapes[0].code, CODE_SIZE) != 0);
    }
    child_expect_success(child);
}

START_TEST(all_are_out_before_calls_are_filtered)
{
    setup();
    const uint8_t *code = map(&shapes[0]);
    ask(code, &shapes[0], 0);
    traps_set(0);
    const pid_t child = fork();
    if (child == 0) {
        traps_begin_child();
        (void)traps_end();
        _exit(memcmp(code, shapes[0].code, CODE_SIZE) != 0);
    }
    child_expect_success(child);
    ck_assert_uint_eq(code[0], INT3);
    ck_assert(traps_end());
    ck_assert_mem_eq(code, shapes[0].code, CODE_SIZE);
    ask(code, &shapes[0], 0);
    traps_set(0);
    ck_assert_mem_eq(code, shapes[0].code, CODE_SIZE);
}

SUITE("traps")

#else

START_TEST(there_are_none_here)
{
}

SUITE("traps")

#endif
