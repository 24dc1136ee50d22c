/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The barrier tests count rounds in a plain array: member i writes only seen[i], and reads the
 * others' after a barrier, which must order them (SAN=thread checks that it does).
 */
#include "tests/lib/suite.h"

#include "tools/ubench/barrier.h"
#include "tools/ubench/crew.h"
#include "tools/ubench/attendance.h"
#include "tools/ubench/settings.h"
#include "tools/ubench/work.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { MEMBERS = 4, ROUNDS = 200 };

struct rounds {
    struct barrier barrier;
    int seen[MEMBERS];
    int torn[MEMBERS];
};

static void play_rounds(void *context, int index)
{
    struct rounds *rounds = context;

    for (int round = 1; round <= ROUNDS; round++) {
        rounds->seen[index] = round;
        barrier_wait(&rounds->barrier);
        for (int i = 0; i < MEMBERS; i++)
            rounds->torn[index] += rounds->seen[i] != round;
        barrier_wait(&rounds->barrier);
    }
}

static void check_rounds(enum barrier_kind barrier, enum crew_kind crew)
{
    struct rounds *rounds = mmap(NULL, sizeof(*rounds), PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    ck_assert_ptr_ne(rounds, MAP_FAILED);
    barrier_init(&rounds->barrier, barrier, MEMBERS);
    ck_assert_int_eq(crew_run(crew, MEMBERS, play_rounds, rounds), 0);
    for (int i = 0; i < MEMBERS; i++) {
        ck_assert_int_eq(rounds->seen[i], ROUNDS);
        ck_assert_int_eq(rounds->torn[i], 0);
    }
    munmap(rounds, sizeof(*rounds));
}

START_TEST(nobody_leaves_a_barrier_early)
{
    static const enum barrier_kind kinds[] = {BARRIER_BLOCK, BARRIER_YIELD};

    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        check_rounds(kinds[i], CREW_THREADS);
        check_rounds(kinds[i], CREW_PROCESSES);
    }
}
END_TEST

/* The barrier in isolation: two spinning members need not share a processor for long. */
START_TEST(a_lone_member_never_waits)
{
    struct barrier barrier;

    for (enum barrier_kind kind = BARRIER_BLOCK; kind <= BARRIER_BUSY; kind++) {
        barrier_init(&barrier, kind, 1);
        for (int round = 0; round < ROUNDS; round++)
            barrier_wait(&barrier);
        ck_assert_uint_eq(barrier.generation, ROUNDS);
    }
}
END_TEST

static void fail_if_second(void *context, int index)
{
    (void)context;
    if (index == 1)
        _Exit(EXIT_FAILURE);
}

START_TEST(a_failed_process_is_noticed)
{
    ck_assert_int_eq(crew_run(CREW_PROCESSES, 3, fail_if_second, NULL), -ECHILD);
}
END_TEST

START_TEST(a_phase_lasts_from_last_arrival_to_last_arrival)
{
    struct attendance attendance;
    struct attendance_summary summary;
    static const int64_t arrived[2][4] = {{0, 10, 25, 28}, {2, 9, 20, 40}};

    ck_assert_int_eq(attendance_init(&attendance, 2, 3), 0);
    for (int member = 0; member < 2; member++) {
        memcpy(attendance_arrived_row(&attendance, member), arrived[member],
               sizeof(arrived[member]));
        for (int phase = 0; phase < 3; phase++)
            attendance_work_row(&attendance, member)[phase] = 1 + member + phase;
    }
    ck_assert_int_eq(attendance_summarize(&attendance, &summary), 0);
    ck_assert_int_eq(summary.elapsed_ns, 38);
    ck_assert_int_eq(summary.phase_ns[0], 8);
    ck_assert_int_eq(summary.phase_ns[1], 15);
    ck_assert_int_eq(summary.phase_ns[2], 15);
    ck_assert_int_eq(summary.phase.min_ns, 8);
    ck_assert_int_eq(summary.phase.median_ns, 15);
    ck_assert_int_eq(summary.phase.max_ns, 15);
    /* 1 2 2 3 3 4: an even number has its median between the middle two. */
    ck_assert_int_eq(summary.work.min_ns, 1);
    ck_assert_int_eq(summary.work.median_ns, 2);
    ck_assert_int_eq(summary.work.max_ns, 4);
    attendance_summary_destroy(&summary);
    attendance_destroy(&attendance);
}
END_TEST

START_TEST(work_is_a_function_of_its_iterations)
{
    struct work whole, parts;

    ck_assert_int_eq(work_init(&whole, 0), 0);
    ck_assert_int_eq(work_init(&parts, 0), 0);
    work_run(&whole, 1000);
    work_run(&parts, 1);
    work_run(&parts, 0);
    work_run(&parts, 999);
    ck_assert_uint_eq(whole.value, parts.value);
    work_run(&parts, 1);
    ck_assert_uint_ne(whole.value, parts.value);
    work_destroy(&whole);
    work_destroy(&parts);
}
END_TEST

START_TEST(memory_is_streamed_through_in_turn)
{
    enum { LINES = 4, LINE_WORDS = 8 };
    struct work work;

    ck_assert_int_eq(work_init(&work, LINES * LINE_WORDS * sizeof(uint64_t)), 0);
    const uint64_t before = work.lines[0];
    work_run(&work, 16 * (LINES - 1));
    for (int line = 0; line < LINES - 1; line++)
        ck_assert_uint_ne(work.lines[line * LINE_WORDS], before);
    ck_assert_uint_eq(work.lines[(LINES - 1) * LINE_WORDS], before);
    work_run(&work, 16);
    ck_assert_uint_ne(work.lines[(LINES - 1) * LINE_WORDS], before);
    work_destroy(&work);
}
END_TEST

START_TEST(sizes_have_binary_units)
{
    static const struct {
        const char *text;
        int error;
        int64_t size;
    } cases[] = {
        {"0", 0, 0},           {"4096", 0, 4096},      {"64KiB", 0, 65536},
        {"4MiB", 0, 4 << 20},  {"1GiB", 0, 1 << 30},   {"4MB", -EINVAL, 5},
        {"-1KiB", -EINVAL, 5}, {"KiB", -EINVAL, 5},    {"9999999999GiB", -ERANGE, 5},
        {"", -EINVAL, 5},      {"1.5MiB", -EINVAL, 5},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        int64_t size = 5;
        const char *expected;
        ck_assert_int_eq(option_size(cases[i].text, &size, &expected), cases[i].error);
        ck_assert_int_eq(size, cases[i].size);
    }
}
END_TEST

SUITE("ubench", nobody_leaves_a_barrier_early, a_lone_member_never_waits,
      a_failed_process_is_noticed, a_phase_lasts_from_last_arrival_to_last_arrival,
      work_is_a_function_of_its_iterations, memory_is_streamed_through_in_turn,
      sizes_have_binary_units)
