/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/live.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#include "libjuggle/job/spin_traps.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/waiting/page_traps.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

static struct page *page;
static struct thread_id self;
static struct spin_traps traps;
static int proc_fd;
static volatile sig_atomic_t requested;

static void heed(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    requested = info->si_value.sival_int;
}

static void listen_to(int signal)
{
    ck_assert_int_eq(
        sigaction(signal, &(struct sigaction){.sa_sigaction = heed, .sa_flags = SA_SIGINFO}, NULL),
        0);
}

/* Code that nobody executes. */
static void place_nowhere(void)
{
}

static struct spin_place place_of(pid_t pid, uint64_t offset)
{
    return (struct spin_place){pid, (uint64_t)(uintptr_t)place_nowhere + offset,
                               *(const uint8_t *)(uintptr_t)place_nowhere};
}

static bool add(pid_t pid, uint64_t offset)
{
    const struct spin_place place = place_of(pid, offset);

    return spin_traps_add(&traps, &place);
}

static void setup(void)
{
    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    self = id_of(getpid(), getpid());
    ck_assert_int_eq(page_create(2, &page), 0);
    traps = (struct spin_traps){.page = page, .proc_fd = proc_fd};
    requested = 0;
    listen_to(SIGURG);
    listen_to(SIGTRAP);
}

static void teardown(void)
{
    page_destroy(page);
    close(proc_fd);
}

START_TEST(a_place_is_wanted_once_until_all_are_cleared)
{
    setup();
    ck_assert(add(self.pid, 0));
    ck_assert(page_trap_is_due(page, 0));
    ck_assert(!add(self.pid, 0));
    ck_assert(add(self.pid, 1));
    page_trap_is_set(page, 0);
    spin_traps_clear(&traps);
    ck_assert(!page_trap_is_due(page, 0));
    ck_assert(!page_trap_is_due(page, 1));
    ck_assert(add(self.pid, 0));
    ck_assert(page_trap_is_due(page, 0));
    ck_assert_int_eq(traps.places.count, 2);
    teardown();
}

/* Code that a compiler has just written may be rewritten at any time, and shared code belongs to
 * other processes, too. */
START_TEST(only_code_of_private_files_has_traps)
{
    const int fd = memfd_create("code", 0);

    setup();
    ck_assert_int_eq(ftruncate(fd, 1), 0);
    for (int i = 0; i < 3; i++) {
        const int flags = i == 0 ? MAP_PRIVATE | MAP_ANONYMOUS : i == 1 ? MAP_SHARED : MAP_PRIVATE;
        void *code = mmap(NULL, 1, PROT_READ | PROT_EXEC, flags, i == 0 ? -1 : fd, 0);
        ck_assert_ptr_ne(code, MAP_FAILED);
        ck_assert(
            !spin_traps_add(&traps, &(struct spin_place){self.pid, (uint64_t)(uintptr_t)code, 0}));
        munmap(code, 1);
    }
    ck_assert(add(self.pid, 0));
    close(fd);
    teardown();
}

START_TEST(there_is_room_for_many_places_and_for_others_when_they_are_cleared)
{
    setup();
    for (uint64_t i = 0; i < SPIN_PLACES_MAX; i++)
        ck_assert(add(self.pid, i));
    ck_assert(!add(self.pid, SPIN_PLACES_MAX));
    spin_traps_clear(&traps);
    ck_assert(add(self.pid, SPIN_PLACES_MAX));
    ck_assert_int_eq(traps.places.count, SPIN_PLACES_MAX);
    teardown();
}

/* Returns the request that the thread has received so far; 0: none. */
static int request(const struct thread_id *threads, int count)
{
    const struct thread_id *hearer = spin_hearer_find(proc_fd, threads, count);

    requested = 0;
    if (hearer)
        spin_request(hearer, PAGE_TRAPS_REQUEST + spin_traps_due(&traps, hearer->pid));
    /* Sanitizers deliver signals in the next call to the C library. */
    usleep(0);
    return requested;
}

START_TEST(who_runs_is_asked_for_the_traps_that_are_due)
{
    setup();
    ck_assert_int_eq(spin_traps_due(&traps, self.pid), -1);
    add(self.pid, 0);
    add(self.pid, 1);
    page_trap_is_set(page, 0);
    ck_assert(spin_traps_fit(&traps, &self));
    ck_assert_int_eq(request(&self, 1), PAGE_TRAPS_REQUEST + 1);
    page_trap_is_refused(page, 1);
    ck_assert_int_eq(spin_traps_due(&traps, self.pid), -1);
    page_trap_is_out(page, 1);
    ck_assert_int_eq(spin_traps_due(&traps, self.pid), -1);
    page_trap_is_out(page, 0);
    ck_assert_int_eq(request(&self, 1), PAGE_TRAPS_REQUEST);
    teardown();
}

START_TEST(who_would_not_hear_is_not_asked)
{
    setup();
    add(self.pid, 0);
    signal(SIGURG, SIG_DFL);
    ck_assert(!spin_traps_fit(&traps, &self));
    ck_assert_int_eq(request(&self, 1), 0);
    teardown();
}

static void sleep_and_block(void *signal)
{
    sigset_t set;

    sigemptyset(&set);
    if (signal)
        sigaddset(&set, *(const int *)signal);
    sigprocmask(SIG_SETMASK, &set, NULL);
    live_forever(NULL);
}

static void child_await(pid_t child)
{
    char state = 'R', text[512];
    int cpu;

    while (state != 'S') {
        ck_assert_int_eq(procfs_thread_read(proc_fd, child, child, "stat", text, sizeof(text)), 0);
        ck_assert_int_eq(procfs_stat_brief(text, &state, &cpu), 0);
    }
}

/* The groups of a user come before the signals. */
START_TEST(who_has_many_groups_hears_as_others_do)
{
    static char status[1 << 16];
    const struct thread_id id = {7, 7, 0};
    int length = sprintf(status, "Name:\tx\nState:\tR (running)\nTracerPid:\t0\nGroups:\t");

    for (int i = 0; i < 4000; i++)
        length += sprintf(status + length, "%d ", 1000000 + i);
    sprintf(status + length, "\nSigBlk:\t0000000000000000\nSigCgt:\t0000000000400010\n");
    const int tree = tree_create();
    tree_write(tree, "7/task/7/status", status);
    const struct spin_hearing hearing = spin_hearing_read(tree, &id);
    ck_assert(hearing.hears && hearing.runs && !hearing.blocks && !hearing.is_debugged);
    tree_remove(tree, ".");
}

/* Its system call would be interrupted, and not all calls can be restarted. */
START_TEST(who_sleeps_is_not_asked)
{
    setup();
    const pid_t child = child_start(sleep_and_block, NULL);
    child_await(child);
    const struct thread_id threads[] = {id_of(child, child), self};
    add(child, 0);
    add(self.pid, 0);
    ck_assert(spin_traps_fit(&traps, &threads[0]));
    ck_assert_int_eq(request(threads, 1), 0);
    char text[4096];
    ck_assert_int_eq(procfs_thread_read(proc_fd, child, child, "status", text, sizeof(text)), 0);
    ck_assert_ptr_nonnull(strstr(text, "SigPnd:\t0000000000000000"));
    ck_assert_int_eq(request(threads, 2), PAGE_TRAPS_REQUEST + 1);
    child_end(child);
    teardown();
}

/* A thread that blocks the signal by a system call of its own bypasses the library loaded into
 * its program: the kernel would end the program at the first trap. */
START_TEST(where_one_thread_blocks_the_signal_of_traps_nobody_is_asked)
{
    setup();
    const pid_t child = child_start(sleep_and_block, &(int){SIGTRAP});
    child_await(child);
    const struct thread_id threads[] = {self, id_of(child, child)};
    add(self.pid, 0);
    add(child, 0);
    ck_assert(!spin_traps_fit(&traps, &threads[1]));
    ck_assert_int_eq(request(threads, 2), 0);
    ck_assert_int_eq(request(threads, 1), PAGE_TRAPS_REQUEST);
    child_end(child);
    teardown();
}

START_TEST(traps_lapse_with_who_wants_them)
{
    const uint64_t at = place_of(0, 0).address;

    setup();
    add(self.pid, 0);
    ck_assert(!page_trap_holds(page, 0, at, 1));
    spin_traps_hold(&traps, 0);
    ck_assert(page_trap_holds(page, 0, at, NSEC_PER_SEC / 2));
    ck_assert(!page_trap_holds(page, 0, at + 1, NSEC_PER_SEC / 2));
    ck_assert(!page_trap_holds(page, 0, at, 2 * NSEC_PER_SEC));
    spin_traps_lift(&traps);
    ck_assert(!page_trap_holds(page, 0, at, 1));
    spin_traps_hold(&traps, 0);
    spin_traps_clear(&traps);
    spin_traps_hold(&traps, 0);
    ck_assert(!page_trap_holds(page, 0, at, 1));
    teardown();
}

static uint8_t byte_of(pid_t pid, uint64_t address)
{
    uint8_t byte = 0;
    const struct iovec local = {&byte, 1};
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): an address of another process */
    const struct iovec remote = {(void *)(uintptr_t)address, 1};

    ck_assert_int_eq(process_vm_readv(pid, &local, 1, &remote, 1, 0), 1);
    return byte;
}

static void sleep_with_a_trap(void *unused)
{
    const uint8_t int3 = 0xcc;
    const int fd = open("/proc/self/mem", O_RDWR);

    (void)unused;
    if (pwrite(fd, &int3, 1, (off_t)place_of(0, 0).address) != 1)
        _exit(1);
    live_forever(NULL);
}

START_TEST(traps_make_room_for_a_debugger)
{
    setup();
    const pid_t child = child_start(sleep_with_a_trap, NULL);
    const struct spin_place place = place_of(child, 0);
    const struct thread_id id = id_of(child, child);
    while (byte_of(child, place.address) != 0xcc)
        usleep(1000);
    add(child, 0);
    spin_traps_spare(&traps, &id);
    ck_assert(page_trap_is_due(page, 0));
    ck_assert_uint_eq(byte_of(child, place.address), 0xcc);
    if (!ptrace(PTRACE_SEIZE, child, NULL, NULL)) {
        ck_assert(!spin_traps_fit(&traps, &id));
        spin_traps_spare(&traps, &id);
        ck_assert(!page_trap_is_due(page, 0));
        ck_assert_uint_eq(byte_of(child, place.address), place.code);
    }
    child_end(child);
    teardown();
}

START_TEST(code_is_read_as_it_is_without_traps)
{
    struct spin_places places = {.count = 3,
                                 .list = {{7, 1000, 0xf3}, {7, 1003, 0x74}, {8, 1001, 0xeb}}};
    uint8_t code[] = {0xcc, 0x90, 0xcc, 0x75};

    spin_places_clean(&places, 7, 1000, code, sizeof(code));
    ck_assert_mem_eq(code, "\xf3\x90\xcc\x75", sizeof(code));
    spin_places_clean(&places, 7, 1001, code, sizeof(code));
    ck_assert_mem_eq(code, "\xf3\x90\x74\x75", sizeof(code));
}

SUITE("spin traps")
