/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "libjuggle/job/spin_traps.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/spin_trap.h"

#include <signal.h>
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

static void heed(int signal)
{
    (void)signal;
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
    spin_traps_add(&traps, self.pid, nowhere());
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

    if (spin_trap_open(&self, nowhere(), SPIN_SIGTRAP, &fd))
        return false;
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

START_TEST(where_the_faster_signal_is_not_to_be_had_the_other_stays)
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
        ck_assert_int_eq(caught.signal, SPIN_SIGURG);
        while (count > 0)
            close(others[--count]);
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

START_TEST(a_process_has_no_more_places_than_breakpoints_are_ours)
{
    setup();
    for (uint64_t i = 0; i < BREAKPOINTS; i++)
        spin_traps_add(&traps, self.pid, nowhere() + i);
    ck_assert_int_eq(traps.places_count, SPIN_TRAPS_MAX);
    spin_traps_add(&traps, self.pid + 1, nowhere());
    ck_assert_int_eq(traps.places_count, SPIN_TRAPS_MAX + 1);
    teardown();
}
END_TEST

START_TEST(a_place_that_is_found_later_has_a_trap_of_its_own)
{
    setup();
    if (can_catch()) {
        set(0);
        ck_assert(!spin_traps_add(&traps, self.pid, nowhere()));
        set(0);
        ck_assert_int_eq(caught.count, 1);
        ck_assert(spin_traps_add(&traps, self.pid, nowhere() + 1));
        set(0);
        ck_assert_int_eq(caught.count, 2);
    }
    teardown();
}
END_TEST

SUITE("spin traps", who_asks_is_caught_by_the_faster_signal,
      where_the_faster_signal_is_not_to_be_had_the_other_stays,
      who_is_caught_in_vain_is_let_be_for_a_while, who_would_not_hear_is_not_caught,
      a_process_has_no_more_places_than_breakpoints_are_ours,
      a_place_that_is_found_later_has_a_trap_of_its_own)
