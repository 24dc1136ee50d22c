/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/refusal.h"
#include "tests/lib/suite.h"

#include "libjuggle/job/spin_traps.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/spin_trap.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BREAKPOINTS = 4 };

static struct page *page;
static struct thread_id self;
static struct spin_traps traps;
static struct spin_thread_traps caught;
static int proc_fd;

/* Places that nobody executes. */
static void place_nowhere(void)
{
}

static volatile sig_atomic_t heard;

static void heed(int signal)
{
    heard = signal;
}

static uint64_t nowhere(void)
{
    return (uint64_t)(uintptr_t)place_nowhere;
}

static void setup(void)
{
    struct thread_stat stat;

    ck_assert_int_eq(procfs_open(&proc_fd), 0);
    ck_assert_int_eq(procfs_stat_read(proc_fd, getpid(), getpid(), &stat), 0);
    self = (struct thread_id){getpid(), getpid(), stat.start_ticks};
    ck_assert_int_eq(page_create(2, &page), 0);
    spin_traps_clear(&traps);
    spin_traps_add(&traps, self.pid, nowhere(), 1);
    caught = (struct spin_thread_traps){0};
    signal(SIGURG, heed);
    signal(SIGTRAP, heed);
}

static void set(int64_t now_ns)
{
    spin_traps_set(&traps, proc_fd, page, &self, &caught, now_ns);
}

static void teardown(void)
{
    spin_traps_lift(&caught);
    page_destroy(page);
    close(proc_fd);
}

/* False where breakpoints are refused, or the processor has none for us. */
static bool can_catch(void)
{
    int fd;

    if (spin_trap_open(&self, nowhere(), SPIN_SIGTRAP, &fd)) {
        printf("skip: no breakpoint is to be had here\n");
        return false;
    }
    close(fd);
    return true;
}

static struct seat *sit(void)
{
    struct seat *seat;

    ck_assert_int_eq(page_seat(page, self.tid, &seat), 0);
    return seat;
}

START_TEST(who_asks_is_caught_by_the_faster_signal)
{
    setup();
    if (can_catch()) {
        set(0);
        ck_assert_int_eq(caught.count, 1);
        ck_assert_int_eq(caught.signal, SPIN_SIGURG);
        seat_take_traps(sit());
        set(0);
        ck_assert_int_eq(caught.count, 1);
        ck_assert_int_eq(caught.signal, SPIN_SIGTRAP);
    }
    teardown();
}
END_TEST

START_TEST(the_faster_signal_takes_the_breakpoint_of_the_first)
{
    int others[BREAKPOINTS], count = 0;

    setup();
    if (can_catch()) {
        set(0);
        while (count < BREAKPOINTS &&
               !spin_trap_open(&self, nowhere() + 1 + (uint64_t)count, SPIN_SIGURG, &others[count]))
            count++;
        seat_take_traps(sit());
        set(0);
        ck_assert_int_eq(caught.count, 1);
        ck_assert_int_eq(caught.signal, SPIN_SIGTRAP);
        while (count > 0)
            close(others[--count]);
    }
    teardown();
}
END_TEST

/* As of a process that is not our child, where Yama forbids to attach to it. */
START_TEST(where_the_faster_signal_is_refused_the_other_stays)
{
    setup();
    if (can_catch()) {
        set(0);
        seat_take_traps(sit());
        refuse_call(SYS_perf_event_open, EACCES);
        set(0);
        ck_assert_int_eq(caught.count, 1);
        ck_assert_int_eq(caught.signal, SPIN_SIGURG);
    }
    teardown();
}
END_TEST

START_TEST(who_is_caught_in_vain_is_let_be_for_a_while)
{
    setup();
    if (can_catch()) {
        set(0);
        seat_caught_in_vain(sit());
        set(1000);
        ck_assert_int_eq(caught.count, 0);
        set(2000);
        ck_assert_int_eq(caught.count, 0);
        set(NSEC_PER_SEC);
        ck_assert_int_eq(caught.count, 1);
    }
    teardown();
}
END_TEST

START_TEST(who_would_not_hear_is_not_caught)
{
    setup();
    signal(SIGURG, SIG_DFL);
    set(0);
    ck_assert_int_eq(caught.count, 0);
    teardown();
}
END_TEST

/* More loops than breakpoints. */
#define PLACE(name)                                  \
    static void __attribute__((noinline)) name(void) \
    {                                                \
        __asm__ volatile("");                        \
    }
PLACE(place_0)
PLACE(place_1)
PLACE(place_2)
PLACE(place_3)
PLACE(place_4)

static void (*const places[])(void) = {place_0, place_1, place_2, place_3, place_4};

/* Sanitizers hand signals over in the next call to the C library. */
static void visit(int index)
{
    places[index]();
    usleep(0);
}

START_TEST(who_spins_in_many_loops_is_caught_where_most_do)
{
    static const int samples_count[] = {3, 5, 1, 3, 4};

    setup();
    spin_traps_clear(&traps);
    if (can_catch()) {
        for (int i = 0; i < (int)ARRAY_COUNT(places); i++)
            spin_traps_add(&traps, self.pid, (uint64_t)(uintptr_t)places[i], samples_count[i] - 1);
        for (int i = 0; i < (int)ARRAY_COUNT(places); i++)
            ck_assert(!spin_traps_add(&traps, self.pid, (uint64_t)(uintptr_t)places[i], 1));
        set(0);
        ck_assert_int_eq(caught.count, BREAKPOINTS);
        for (int i = 0; i < (int)ARRAY_COUNT(places); i++) {
            heard = 0;
            visit(i);
            ck_assert_int_eq(heard != 0, samples_count[i] != 1);
        }
    }
    teardown();
}
END_TEST

START_TEST(there_is_room_for_many_places_and_not_for_any_number)
{
    setup();
    for (uint64_t i = 1; i < SPIN_TRAP_PLACES_MAX; i++)
        ck_assert(spin_traps_add(&traps, self.pid, nowhere() + i, 1));
    ck_assert(!spin_traps_add(&traps, self.pid, nowhere() + SPIN_TRAP_PLACES_MAX, 1));
    ck_assert_int_eq(traps.places_count, SPIN_TRAP_PLACES_MAX);
    teardown();
}
END_TEST

START_TEST(a_place_that_is_found_later_has_a_trap_of_its_own)
{
    setup();
    if (can_catch()) {
        set(0);
        ck_assert(!spin_traps_add(&traps, self.pid, nowhere(), 1));
        set(0);
        ck_assert_int_eq(caught.count, 1);
        ck_assert(spin_traps_add(&traps, self.pid, nowhere() + 1, 1));
        set(0);
        ck_assert_int_eq(caught.count, 2);
    }
    teardown();
}
END_TEST

static void *thread_of_a_place(void *unused)
{
    (void)unused;
    visit(0);
    return NULL;
}

static int heard_by_a_newborn(void)
{
    pthread_t thread;

    heard = 0;
    ck_assert_int_eq(pthread_create(&thread, NULL, thread_of_a_place, NULL), 0);
    pthread_join(thread, NULL);
    return heard;
}

START_TEST(threads_are_born_with_the_traps_of_who_creates_them)
{
    struct spin_thread_traps own = {0};

    setup();
    const struct thread_id newborn = {self.pid, self.tid, clock_boot_ticks() + 1};
    spin_traps_clear(&traps);
    spin_traps_add(&traps, self.pid, (uint64_t)(uintptr_t)places[0], 1);
    if (can_catch()) {
        set(0);
        ck_assert_int_eq(caught.signal, SPIN_SIGURG);
        ck_assert(!spin_traps_inherited(&traps, &newborn, &own));
        seat_take_traps(sit());
        set(0);
        ck_assert_int_eq(heard_by_a_newborn(), SIGTRAP);
        ck_assert(spin_traps_inherited(&traps, &newborn, &own));
        ck_assert(!spin_traps_inherited(&traps, &self, &caught));
        spin_traps_set(&traps, proc_fd, page, &newborn, &own, 0);
        ck_assert_int_eq(own.count, 0);
        spin_traps_lift(&caught);
        spin_traps_disinherit(&traps);
        ck_assert_int_eq(heard_by_a_newborn(), 0);
        spin_traps_set(&traps, proc_fd, page, &newborn, &own, 0);
        ck_assert_int_eq(own.count, 1);
        spin_traps_lift(&own);
    }
    teardown();
}
END_TEST

START_TEST(traps_make_room_for_a_debugger)
{
    struct spin_thread_traps others = {0};
    struct thread_stat stat;

    setup();
    const pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    ck_assert_int_eq(procfs_stat_read(proc_fd, child, child, &stat), 0);
    const struct thread_id id = {child, child, stat.start_ticks};
    spin_traps_add(&traps, child, nowhere(), 1);
    spin_traps_set(&traps, proc_fd, page, &id, &others, 0);
    const int set_count = others.count;
    spin_traps_spare(proc_fd, &id, &others);
    ck_assert_int_eq(others.count, set_count);
    if (set_count && !ptrace(PTRACE_SEIZE, child, NULL, NULL)) {
        spin_traps_spare(proc_fd, &id, &others);
        ck_assert_int_eq(others.count, 0);
        spin_traps_set(&traps, proc_fd, page, &id, &others, 0);
        ck_assert_int_eq(others.count, 0);
    }
    spin_traps_lift(&others);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    teardown();
}
END_TEST

SUITE("spin traps", who_asks_is_caught_by_the_faster_signal,
      the_faster_signal_takes_the_breakpoint_of_the_first,
      where_the_faster_signal_is_refused_the_other_stays,
      who_is_caught_in_vain_is_let_be_for_a_while, who_would_not_hear_is_not_caught,
      who_spins_in_many_loops_is_caught_where_most_do,
      there_is_room_for_many_places_and_not_for_any_number,
      a_place_that_is_found_later_has_a_trap_of_its_own,
      threads_are_born_with_the_traps_of_who_creates_them, traps_make_room_for_a_debugger)
