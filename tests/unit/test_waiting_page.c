/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/live.h"
#include "tests/lib/refusal.h"
#include "tests/lib/suite.h"

#include "libjuggle/linux/clock.h"
#include "libjuggle/waiting/page.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TID = 4711, BORN_TICKS = 0, WAITS = 200000 };

static struct page *page;
static struct seat *seat;
static struct place place;

static void setup(void)
{
    place = (struct place){0};
    ck_assert_int_eq(page_create(2, &page), 0);
    ck_assert_int_eq(page_seat(page, TID, &seat), 0);
}

static struct seat_report look(int64_t now_ns)
{
    struct seat_report report;

    ck_assert(page_find(page, TID, BORN_TICKS, &place));
    page_read(page, &place, now_ns, &report);
    return report;
}

/* Returns a PID that no process has any more. */
static pid_t dead_pid(void)
{
    pid_t pid = fork();

    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        _exit(0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    return pid;
}

START_TEST(a_limit_of_file_sizes_is_an_error_and_no_signal)
{
    const rlim_t before = limit_set(RLIMIT_FSIZE, 0);
    const int error = page_create(2, &page);
    limit_set(RLIMIT_FSIZE, before);
    ck_assert_int_eq(error, -EFBIG);
}

START_TEST(waits_add_up)
{
    setup();
    ck_assert(!look(50).waits);
    ck_assert(seat_wait_begin(seat, 100));
    ck_assert(look(130).waits);
    ck_assert_int_eq(look(130).wait_ns, 30);
    ck_assert_int_eq(look(130).since_ns, 100);
    ck_assert_int_eq(look(130).until_ns, 0);
    seat_wait_end(seat, 140);
    ck_assert(!look(500).waits);
    ck_assert_int_eq(look(500).wait_ns, 40);
    ck_assert_int_eq(look(500).since_ns, 0);
    ck_assert_int_eq(look(500).from_ns, 100);
    ck_assert_int_eq(look(500).until_ns, 140);
    ck_assert(seat_wait_begin(seat, 600));
    ck_assert_int_eq(look(605).wait_ns, 45);
    page_destroy(page);
}

START_TEST(waits_that_follow_at_once_are_one)
{
    setup();
    seat_wait_begin(seat, 100);
    seat_wait_end(seat, 50100);
    seat_wait_begin(seat, 60100);
    ck_assert_int_eq(look(60200).since_ns, 60100);
    seat_wait_end(seat, 70100);
    ck_assert_int_eq(look(90000).from_ns, 100);
    ck_assert_int_eq(look(90000).until_ns, 70100);
    ck_assert_int_eq(look(90000).wait_ns, 60000);
    seat_wait_begin(seat, 100000);
    seat_wait_end(seat, 100010);
    ck_assert_int_eq(look(110000).from_ns, 100000);
    page_destroy(page);
}

/* A thread that left a wait for a moment to have a look has waited all the time. */
START_TEST(a_wait_that_was_not_over_goes_on)
{
    struct ended_wait before;

    setup();
    seat_ended(seat, &before);
    ck_assert(!seat_wait_resume(seat, &before, 50));
    seat_wait_begin(seat, 100);
    seat_wait_end(seat, 200);
    seat_wait_begin(seat, 100000);
    ck_assert(!seat_wait_resume(seat, &before, 100010));
    seat_ended(seat, &before);
    seat_wait_end(seat, 200000);
    ck_assert(seat_wait_resume(seat, &before, 200010));
    ck_assert(look(200020).waits);
    ck_assert_int_eq(look(200020).since_ns, 100000);
    ck_assert_int_eq(look(200020).from_ns, 100);
    ck_assert_int_eq(look(200020).until_ns, 200);
    ck_assert_int_eq(look(200020).wait_ns, 100 + 100000 + 10);
    seat_wait_end(seat, 300000);
    ck_assert_int_eq(look(300001).from_ns, 100000);
    ck_assert_int_eq(look(300001).until_ns, 300000);
    page_destroy(page);
}

START_TEST(who_gives_way_is_counted)
{
    setup();
    ck_assert_int_eq(page_gave_way_count(page), 0);
    page_gave_way(page);
    ck_assert_int_eq(page_gave_way_count(page), 1);
    page_destroy(page);
}

START_TEST(a_runtime_is_asked_and_tells_what_it_did)
{
    setup();
    ck_assert(!page_asks(page, PAGE_ASKS_PATIENCE));
    page_ask(page, PAGE_ASKS_PATIENCE);
    ck_assert(page_asks(page, PAGE_ASKS_PATIENCE));
    ck_assert(!page_asks(page, PAGE_ASKS_BARRIERS));
    ck_assert_int_eq(page_slept_ns(page), 0);
    page_slept(page, 7);
    page_slept(page, 5);
    ck_assert_int_eq(page_slept_ns(page), 12);
    ck_assert(!page_phases_are_short(page, 10));
    page_phases_short(page, 20);
    ck_assert(page_phases_are_short(page, 19));
    ck_assert(!page_phases_are_short(page, 20));
    page_destroy(page);
}

START_TEST(a_wait_within_a_wait_adds_nothing)
{
    setup();
    seat_wait_end(seat, 90);
    ck_assert(seat_wait_begin(seat, 100));
    ck_assert(!seat_wait_begin(seat, 120));
    seat_wait_end(seat, 130);
    seat_wait_end(seat, 170);
    ck_assert_int_eq(look(200).wait_ns, 30);
    page_destroy(page);
}

START_TEST(units_are_one_callers_to_report)
{
    setup();
    ck_assert_int_eq(seat_claim(seat), 0);
    ck_assert_int_eq(seat_claim(seat), -EEXIST);
    ck_assert(!look(1).reports);
    seat_add(seat, 3);
    seat_add(seat, 4);
    ck_assert(look(1).reports);
    ck_assert_int_eq(look(1).units, 7);
    seat_disclaim(seat);
    ck_assert(!look(1).reports);
    ck_assert_int_eq(seat_claim(seat), 0);
    page_destroy(page);
}

START_TEST(a_seat_is_free_when_all_have_left)
{
    struct seat *again;

    setup();
    ck_assert_int_eq(page_seat(page, TID, &again), 0);
    ck_assert_ptr_eq(again, seat);
    seat_leave(again);
    ck_assert(page_find(page, TID, BORN_TICKS, &place));
    seat_leave(seat);
    ck_assert(!page_find(page, TID, BORN_TICKS, &place));
    /* The next thread in a seat finds nothing of the thread that had it before. */
    seat_wait_begin(seat, 100);
    ck_assert_int_eq(page_seat(page, TID, &seat), 0);
    ck_assert(!look(500).waits);
    ck_assert_int_eq(look(500).from_ns, 0);
    page_destroy(page);
}

START_TEST(a_seat_of_an_earlier_thread_is_not_taken_for_a_later_ones)
{
    const uint64_t born_ticks = clock_boot_ticks();

    setup();
    ck_assert(page_find(page, TID, born_ticks, &place));
    ck_assert(!page_find(page, TID, clock_boot_ticks() + 100, &place));
    page_destroy(page);
}

/* As after exec: the kernel has drawn other random bytes. */
static void execute_another(void)
{
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): as the kernel passes it */
    unsigned char *drawn = (unsigned char *)getauxval(AT_RANDOM);

    ck_assert_ptr_nonnull(drawn);
    drawn[sizeof(uint32_t)]++;
}

START_TEST(what_a_thread_executes_finds_nothing_of_what_it_was)
{
    struct seat *again;

    ck_assert_int_eq(page_create(2, &page), 0);
    ck_assert_int_eq(page_seat(page, gettid(), &seat), 0);
    ck_assert_int_eq(seat_claim(seat), 0);
    ck_assert_int_eq(page_seat(page, gettid(), &again), 0);
    ck_assert_int_eq(seat_claim(again), -EEXIST);
    execute_another();
    ck_assert_int_eq(page_seat(page, gettid(), &again), 0);
    ck_assert_int_eq(seat_claim(again), 0);
    seat_leave(again);
    ck_assert(!page_find(page, gettid(), BORN_TICKS, &place));
    page_destroy(page);
}

START_TEST(a_thread_is_found_once_it_sits_down)
{
    setup();
    ck_assert(!page_find(page, TID + 1, BORN_TICKS, &place));
    ck_assert_int_eq(page_seat(page, TID + 1, &seat), 0);
    ck_assert(page_find(page, TID + 1, BORN_TICKS, &place));
    page_destroy(page);
}

/* The PID of the test itself is alive; the others belong to no process. */
START_TEST(seats_of_the_dead_are_given_out_again)
{
    const pid_t dead = dead_pid();

    ck_assert_int_eq(page_create(2, &page), 0);
    int seated = 0;
    while (!page_seat(page, getpid() + seated * PAGE_SEATS_MAX, &seat) && seated < 1000)
        seated++;
    ck_assert_int_eq(seated, 1000); /* all but the first are dead and make room */
    ck_assert_int_eq(page_seat(page, dead, &seat), 0);
    page_destroy(page);
}

START_TEST(another_process_finds_the_page_and_the_reader_sees_it)
{
    char path[PAGE_PATH_SIZE];
    struct seat_report report;

    setup();
    page_path(page, path);
    const pid_t pid = fork();
    if (pid == 0) {
        struct page *found;
        struct seat *mine;
        setenv(PAGE_VARIABLE, path, 1);
        if (page_attach_named(&found) || page_processors(found) != 2 ||
            page_seat(found, getpid(), &mine))
            _exit(1);
        seat_wait_begin(mine, 1000);
        page_destroy(found);
        _exit(0);
    }
    child_expect_success(pid);
    ck_assert(page_find(page, pid, BORN_TICKS, &place));
    page_read(page, &place, 1500, &report);
    ck_assert(report.waits);
    ck_assert_int_eq(report.wait_ns, 500);
    page_destroy(page);
}

START_TEST(what_is_no_page_is_refused)
{
    char path[PAGE_PATH_SIZE];
    struct page *found = NULL;
    int fd = memfd_create("small", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    ck_assert_int_eq(page_attach("/proc/nonexistent", &found), -ENOENT);
    ck_assert_int_eq(page_attach("/dev/null", &found), -EINVAL);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    ck_assert_int_eq(page_attach(path, &found), -EINVAL);
    ck_assert_int_eq(ftruncate(fd, 1 << 20), 0);
    ck_assert_int_eq(page_attach(path, &found), -EINVAL);
    unsetenv(PAGE_VARIABLE);
    ck_assert_int_eq(page_attach_named(&found), -ENOENT);
    ck_assert_ptr_null(found);
    close(fd);
}

/* If memory cannot be shared, threads of this process can still tell. */
START_TEST(a_page_alone_is_a_page)
{
    place = (struct place){0};

    ck_assert_int_eq(page_create_alone(3, &page), 0);
    ck_assert_int_eq(page_processors(page), 3);
    page_set_processors(page, 5);
    ck_assert_int_eq(page_processors(page), 5);
    ck_assert(!page_find(page, 7, 0, &place));
    ck_assert_int_eq(page_seat(page, 7, &seat), 0);
    ck_assert(page_find(page, 7, 0, &place));
    seat_leave(seat);
    page_destroy(page);
}

/* A program has the page's file open and may do anything to it. */
START_TEST(the_page_cannot_shrink)
{
    char path[PAGE_PATH_SIZE];

    setup();
    page_path(page, path);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, 0), -1);
    ck_assert_int_eq(errno, EPERM);
    close(fd);
    page_destroy(page);
}

START_TEST(nonsense_is_bounded)
{
    char path[PAGE_PATH_SIZE], *bytes;
    uint64_t state = 42;

    setup();
    page_path(page, path);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    off_t size = lseek(fd, 0, SEEK_END);
    bytes = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ck_assert_ptr_ne(bytes, MAP_FAILED);
    for (int round = 0; round < 20; round++) {
        for (off_t i = 0; i < size; i++)
            bytes[i] = (char)((state = state * 6364136223846793005U + 1442695040888963407U) >> 56);
        for (pid_t tid = 1; tid < 20000; tid++) {
            struct place where = {0};
            struct seat_report report;
            if (!page_find(page, tid, BORN_TICKS, &where)) {
                where.index = tid % PAGE_SEATS_MAX;
                where.tid = tid;
            }
            page_read(page, &where, 1000000, &report);
            REQUIRE(report.wait_ns >= 0 && report.wait_ns <= 1000000, "waited %ld", report.wait_ns);
            REQUIRE(report.from_ns >= 0 && report.from_ns <= 1000000, "from %ld", report.from_ns);
            REQUIRE(report.until_ns >= 0 && report.until_ns <= 1000000, "until %ld",
                    report.until_ns);
        }
    }
    munmap(bytes, (size_t)size);
    close(fd);
    page_destroy(page);
}

static _Atomic bool ended;

/* One wait a step, each half a step long. */
enum { STEP_NS = 100000 };
#define END_NS ((int64_t)(WAITS + 1) * STEP_NS)

static void *wait_often(void *argument)
{
    for (int64_t from_ns = STEP_NS; from_ns < END_NS; from_ns += STEP_NS) {
        seat_wait_begin(seat, from_ns);
        seat_wait_end(seat, from_ns + STEP_NS / 2);
    }
    ended = true;
    return argument;
}

/* At whatever moment it reads, a reader sees values that belong together. */
START_TEST(a_reader_sees_no_half_of_a_change)
{
    pthread_t thread;
    int64_t wait_ns = 0;

    setup();
    ended = false;
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_often, NULL), 0);
    while (!ended) {
        const struct seat_report report = look(END_NS);
        const int64_t before_ns = (report.since_ns / STEP_NS - 1) * STEP_NS / 2;
        REQUIRE(report.waits || report.wait_ns >= wait_ns, "%ld ns after %ld", report.wait_ns,
                wait_ns);
        REQUIRE(report.since_ns % STEP_NS == 0, "since %ld", report.since_ns);
        REQUIRE(!report.since_ns || report.wait_ns == END_NS - report.since_ns + before_ns,
                "a wait since %ld of %ld in all", report.since_ns, report.wait_ns);
        REQUIRE(!report.from_ns || report.waits ||
                    (report.until_ns == report.from_ns + STEP_NS / 2 &&
                     report.wait_ns == report.from_ns / STEP_NS * STEP_NS / 2),
                "a wait from %ld until %ld, %ld in all", report.from_ns, report.until_ns,
                report.wait_ns);
        wait_ns = report.waits ? wait_ns : report.wait_ns;
    }
    pthread_join(thread, NULL);
    ck_assert_int_eq(look(END_NS).wait_ns, (int64_t)WAITS * STEP_NS / 2);
    page_destroy(page);
}

SUITE("page")
