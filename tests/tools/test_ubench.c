/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The barrier tests count rounds in a plain array: member i writes only seen[i], and reads the
 * others' after a barrier, which must order these accesses (SAN=thread checks that it does).
 */
#include "tests/lib/suite.h"

#include "tools/ubench/barrier.h"
#include "tools/ubench/crew.h"
#include "tools/ubench/attendance.h"
#include "tools/ubench/pinning.h"
#include "tools/ubench/settings.h"
#include "tools/ubench/work.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* The barrier with one member: two spinning members could share a processor for long. */
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

static bool parents_end;

/* Stands in for the library's prctl(): a parent may end before its child has asked to end with
 * it. */
int prctl(int option, ...)
{
    const pid_t parent = getppid();

    (void)option;
    if (parents_end)
        kill(parent, SIGKILL);
    while (parents_end && getppid() == parent)
        sched_yield();
    return 0;
}

static void speak(void *context, int index)
{
    (void)index;
    (void)!write(*(int *)context, "x", 1);
}

START_TEST(a_process_whose_parent_has_gone_does_not_begin)
{
    int ends[2];
    char said;

    ck_assert_int_eq(pipe(ends), 0);
    const pid_t parent = fork();
    if (parent == 0) {
        parents_end = true;
        _exit(crew_run(CREW_PROCESSES, 1, speak, &ends[1]));
    }
    close(ends[1]);
    ck_assert_int_eq(waitpid(parent, NULL, 0), parent);
    ck_assert_int_eq(read(ends[0], &said, 1), 0);
    close(ends[0]);
}

/* Stands in for the kernel's calls, on a machine with more processors than glibc's sets hold:
 * these two may be used, and smaller sets are refused. */
enum { KERNEL_SIZE = 256, LOW_CPU = 3, HIGH_CPU = 1500 };

static int pinned_cpu = -1;

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *mask)
{
    (void)pid;
    if (size < KERNEL_SIZE) {
        errno = EINVAL;
        return -1;
    }
    CPU_ZERO_S(size, mask);
    CPU_SET_S(LOW_CPU, size, mask);
    CPU_SET_S(HIGH_CPU, size, mask);
    return 0;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *mask)
{
    (void)pid;
    for (int cpu = 0; cpu < (int)size * 8; cpu++)
        if (CPU_ISSET_S(cpu, size, mask))
            pinned_cpu = cpu;
    return 0;
}

START_TEST(members_are_pinned_on_machines_of_any_size)
{
    static const int cpus[] = {LOW_CPU, HIGH_CPU, LOW_CPU, HIGH_CPU};

    ck_assert_int_eq(pinning_processors_count(), 2);
    for (int index = 0; index < (int)ARRAY_COUNT(cpus); index++) {
        ck_assert_int_eq(pinning_cyclic(index, 2), 0);
        ck_assert_int_eq(pinned_cpu, cpus[index]);
    }
    ck_assert_int_eq(pinning_cyclic(5, 1), 0);
    ck_assert_int_eq(pinned_cpu, LOW_CPU);
    ck_assert_int_eq(pinning_cyclic(0, 3), -ERANGE);
}

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
    /* 1 2 2 3 3 4: the median of an even number of values lies between the middle two. */
    ck_assert_int_eq(summary.work.min_ns, 1);
    ck_assert_int_eq(summary.work.median_ns, 2);
    ck_assert_int_eq(summary.work.max_ns, 4);
    attendance_summary_destroy(&summary);
    attendance_destroy(&attendance);
}

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

SUITE("ubench")
