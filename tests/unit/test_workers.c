/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads whose demand is set by the test: how much of each millisecond they run, and how much
 * they wait. */
#include "tests/lib/suite.h"

#include "libjuggle/job/applicant.h"
#include "libjuggle/job/workers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { THREADS_MAX = 16 };

#define LOOK_NS (5 * NSEC_PER_MSEC)

static struct actor {
    bool present;
    bool working;
    double run_share;
    double wait_share;
    bool starves;       /* its wait does not end, so its counter does not show it */
    double awake_count; /* looks that have found it awake */
    struct thread_info info;
} actors[THREADS_MAX];

static struct workers *workers;
static int64_t now_ns;
static int left_count;

static void joined(void *context, int index)
{
    (void)context;
    ck_assert(!actors[index].working);
    actors[index].working = true;
}

static void left(void *context, int index)
{
    (void)context;
    ck_assert(actors[index].working);
    actors[index].working = false;
    left_count++;
}

static void begin(struct workers_options options)
{
    options.threads_max = THREADS_MAX;
    memset(actors, 0, sizeof(actors));
    now_ns = 0;
    ck_assert_int_eq(workers_create(&options, &workers), 0);
}

static void begin_automatic(int expected)
{
    begin((struct workers_options){.expected = expected, .idle = WORKERS_IDLE_AUTO});
}

static void arrive_from(int index, const struct thread_info *info, int64_t age_ns)
{
    actors[index] = (struct actor){.present = true, .run_share = 1, .info = *info};
    workers_arrived(workers, index, info, age_ns, now_ns);
}

static void arrive_of(pid_t pid, int index, const char *comm, double run_share)
{
    struct thread_info info = {.id.pid = pid};

    strcpy(info.comm.untrusted, comm);
    arrive_from(index, &info, 0);
    actors[index].run_share = run_share;
}

static void arrive(int index, const char *comm, double run_share)
{
    arrive_of(0, index, comm, run_share);
}

static void depart(int index)
{
    workers_exited(workers, index);
    actors[index] = (struct actor){0};
}

/* Returns true in a part of the looks that equals the thread's share of the time. */
static bool look_finds_awake(struct actor *actor)
{
    const double before = actor->awake_count;

    actor->awake_count += actor->starves ? 1 : actor->run_share + actor->wait_share;
    return floor(actor->awake_count) > floor(before);
}

static void live_for(int64_t duration_ns)
{
    const struct workers_listener listener = {.joined = joined, .left = left};

    for (int64_t end_ns = now_ns + duration_ns; now_ns < end_ns;) {
        now_ns += LOOK_NS;
        for (int i = 0; i < THREADS_MAX; i++) {
            struct actor *actor = &actors[i];
            if (!actor->present)
                continue;
            actor->info.run_ns += (int64_t)(actor->run_share * (double)LOOK_NS);
            actor->info.wait_ns += (int64_t)(actor->wait_share * (double)LOOK_NS);
            actor->info.runnable = look_finds_awake(actor);
            workers_observe(workers, i, &actor->info, now_ns);
        }
        workers_decide(workers, now_ns, &listener);
    }
}

/* Checks that exactly the threads of the list are workers. */
static void expect(const char *list)
{
    char found[THREADS_MAX * 3] = "";

    for (int i = 0; i < THREADS_MAX; i++) {
        if (actors[i].working)
            sprintf(found + strlen(found), "%d ", i);
    }
    ck_assert_str_eq(found, list);
}

START_TEST(nobody_works_before_all_are_there)
{
    begin_automatic(3);
    arrive(0, "app", 1);
    arrive(1, "app", 1);
    live_for(1 * NSEC_PER_SEC);
    ck_assert(!workers_complete(workers));
    expect("");
    arrive(2, "app", 1);
    live_for(DEMAND_EVIDENCE_NS + LOOK_NS);
    ck_assert(workers_complete(workers));
    expect("0 1 2 ");
    workers_destroy(workers);
}

START_TEST(launchers_and_progress_threads_are_set_aside)
{
    /* As under mpirun: it works hard to start the ranks, then sleeps; each rank has a helper. */
    begin_automatic(3);
    arrive(0, "mpirun", 1);
    live_for(60 * NSEC_PER_MSEC);
    for (int rank = 1; rank <= 3; rank++)
        arrive(rank, "rank", 1);
    live_for(LOOK_NS);
    actors[0].run_share = 0;
    for (int rank = 1; rank <= 3; rank++)
        arrive(rank + 3, "async", 0.01);
    live_for(100 * NSEC_PER_MSEC);
    expect("1 2 3 ");
    workers_destroy(workers);
}

START_TEST(a_misjudged_launcher_gives_way)
{
    begin_automatic(3);
    arrive(0, "python", 1);
    arrive(1, "rank", 1);
    arrive(2, "rank", 1);
    live_for(50 * NSEC_PER_MSEC);
    expect("0 1 2 ");
    actors[0].run_share = 0;
    arrive(3, "rank", 1);
    live_for(DEMAND_PAUSE_NS + 100 * NSEC_PER_MSEC);
    expect("1 2 3 ");
    workers_destroy(workers);
}

/* As under Open MPI: the progress threads of ranks 0 to 2 are newer, and as busy as the ranks
 * for duration_ns, in which the listed threads become workers. Then they are nearly idle. */
static void ranks_start(int expected, int64_t duration_ns, const char *list)
{
    begin_automatic(expected);
    for (int i = 0; i < 6; i++)
        arrive(i, i < 3 ? "rank" : "progress", 1);
    live_for(duration_ns);
    expect(list);
    for (int i = 3; i < 6; i++)
        actors[i].run_share = 0.04;
}

START_TEST(progress_threads_that_were_busy_at_first_give_way)
{
    ranks_start(3, 50 * NSEC_PER_MSEC, "3 4 5 ");
    live_for(150 * NSEC_PER_MSEC);
    expect("0 1 2 ");
    workers_destroy(workers);
}

START_TEST(without_a_count_they_leave_soon)
{
    ranks_start(0, 150 * NSEC_PER_MSEC, "0 1 2 3 4 5 ");
    live_for(150 * WORKERS_PAUSE_SHARE * NSEC_PER_MSEC + DEMAND_PAUSE_NS);
    expect("0 1 2 ");
    workers_destroy(workers);
}

START_TEST(a_worker_at_a_barrier_keeps_its_place_before_a_helper)
{
    begin_automatic(2);
    arrive(0, "app", 1);
    arrive(1, "app", 1);
    live_for(1 * NSEC_PER_SEC);
    actors[0].run_share = 0;
    arrive(2, "helper", 0.5);
    live_for(1 * NSEC_PER_SEC);
    expect("0 1 ");
    workers_destroy(workers);
}

START_TEST(waiting_threads_demand_too)
{
    begin_automatic(2);
    arrive(0, "app", 0.1);
    arrive(1, "app", 0.1);
    actors[0].wait_share = actors[1].wait_share = 0.9;
    live_for(200 * NSEC_PER_MSEC);
    expect("0 1 ");
    workers_destroy(workers);
}

START_TEST(one_that_starves_unseen_demands_too)
{
    /* Its counters do not change for longer than a window: only its state shows that it is
     * runnable. */
    begin_automatic(0);
    arrive(0, "app", 1);
    arrive(1, "app", 1);
    live_for(200 * NSEC_PER_MSEC);
    expect("0 1 ");
    actors[1].run_share = 0;
    actors[1].starves = true;
    live_for(WORKERS_IDLE_NS * 2);
    expect("0 1 ");
    workers_destroy(workers);
}

START_TEST(one_that_stands_in_line_before_it_ever_ran_demands_too)
{
    /* Linux 6.1 let the ninth of nine new threads wait for longer than a window. */
    begin_automatic(3);
    for (int i = 0; i < 3; i++)
        arrive(i, "app", 1);
    actors[2].run_share = 0;
    actors[2].starves = true;
    live_for(DEMAND_WINDOW_NS + 2 * LOOK_NS);
    expect("0 1 2 ");
    workers_destroy(workers);
}

/* A thread that comes while another works, and is looked at; the look began before_ns earlier. */
static void newcomer_is_soon_looked_at_again(const struct thread_info *info, int64_t age_ns,
                                             int64_t before_ns)
{
    begin_automatic(2);
    arrive(0, "app", 1);
    live_for(DEMAND_WINDOW_NS);
    now_ns += LOOK_NS;
    arrive_from(1, info, age_ns);
    workers_observe(workers, 1, info, now_ns - before_ns);
    ck_assert(workers_rising(workers));
    workers_destroy(workers);
}

/* Looks were 25 ms apart, its wait was not counted yet, and the next look came half a second
 * later. */
START_TEST(one_that_stands_in_line_at_distant_looks_is_soon_looked_at_again)
{
    const struct thread_info hardly_ran = {.run_ns = 290 * NSEC_PER_USEC, .runnable = true};

    begin_automatic(3);
    for (int i = 0; i < 3; i++)
        arrive(i, "app", 1);
    actors[2].run_share = 0.1;
    actors[2].wait_share = 0.1;
    actors[2].awake_count = 0.9;
    live_for(LOOK_NS);
    actors[2].info.run_ns += NSEC_PER_MSEC;
    actors[2].run_share = actors[2].wait_share = 0;
    actors[2].starves = true;
    now_ns += 4 * LOOK_NS;
    live_for(LOOK_NS);
    expect("");
    ck_assert(workers_rising(workers));
    live_for(DEMAND_WINDOW_NS);
    expect("0 1 2 ");
    workers_destroy(workers);
    newcomer_is_soon_looked_at_again(&hardly_ran, 12 * NSEC_PER_MSEC, 0);
}

/* Its arrival is noted a little after the time at which the look began. */
START_TEST(one_that_came_during_the_look_is_soon_looked_at_again)
{
    newcomer_is_soon_looked_at_again(&(struct thread_info){.runnable = true}, 0, NSEC_PER_MSEC);
}

/* A thread that hardly works is found awake, beside two others. */
static void looks_stay_rare(double share_of_others, int64_t lived_ns)
{
    begin_automatic(3);
    for (int i = 0; i < 3; i++)
        arrive(i, "app", i < 2 ? share_of_others : 0.05);
    live_for(lived_ns);
    actors[2].awake_count = 0.96;
    live_for(LOOK_NS);
    ck_assert(!workers_rising(workers));
    workers_destroy(workers);
}

/* If many threads hardly work, some of them are awake at each look. */
START_TEST(who_hardly_works_is_not_looked_at_for_long)
{
    looks_stay_rare(1, DEMAND_WINDOW_NS + 5 * LOOK_NS);
}

/* Servers with many threads that each work a little: some thread always waits in a run queue. */
START_TEST(where_nobody_works_looks_stay_rare)
{
    looks_stay_rare(0.05, DEMAND_WINDOW_NS);
}

/* One of three threads sleeps when all others are known; WORKERS_PATIENCE_NS after it came, it
 * is not waited for any more. Without an expected count no thread is missing. */
START_TEST(one_that_rests_when_all_others_work_is_missing_for_a_while)
{
    for (int expected = 0; expected <= 3; expected += 3) {
        begin_automatic(expected);
        for (int i = 0; i < 3; i++)
            arrive(i, i < 2 ? "app" : "other", i < 2 ? 1 : 0);
        live_for(2 * LOOK_NS);
        ck_assert(!workers_rising(workers));
        ck_assert_int_eq(workers_missing(workers), expected == 3);
        live_for(WORKERS_PATIENCE_NS);
        ck_assert(!workers_missing(workers));
        workers_destroy(workers);
    }
}

START_TEST(one_that_waits_and_sleeps_in_turns_is_a_helper)
{
    begin_automatic(3);
    for (int i = 0; i < 3; i++)
        arrive(i, "app", 1);
    actors[2].run_share = 0;
    actors[2].wait_share = 0.8;
    live_for(10 * DEMAND_WINDOW_NS);
    expect("");
    workers_destroy(workers);
}

START_TEST(without_a_count_it_settles_and_follows)
{
    begin_automatic(0);
    arrive(0, "make", 0);
    arrive(1, "cc1", 1);
    live_for(1 * NSEC_PER_SEC);
    /* One thread alone cannot be balanced. */
    ck_assert(!workers_complete(workers));
    arrive(2, "cc1", 1);
    live_for(200 * NSEC_PER_MSEC);
    expect("1 2 ");
    depart(1);
    arrive(3, "cc1", 1);
    arrive(4, "cc1", 1);
    live_for(100 * NSEC_PER_MSEC);
    expect("2 3 4 ");
    actors[2].run_share = 0;
    live_for(WORKERS_IDLE_NS + 100 * NSEC_PER_MSEC);
    expect("3 4 ");
    actors[2].run_share = 1;
    live_for(100 * NSEC_PER_MSEC);
    expect("2 3 4 ");
    workers_destroy(workers);
}

/* A caller that looks less and less often must not be late for it. */
START_TEST(when_it_will_be_complete_is_known_before)
{
    begin_automatic(0);
    arrive(0, "app", 1);
    ck_assert_int_eq(workers_due_ns(workers), now_ns + DEMAND_EVIDENCE_NS);
    live_for(DEMAND_EVIDENCE_NS + LOOK_NS);
    ck_assert_int_eq(workers_due_ns(workers), INT64_MAX);
    arrive(1, "other", 1);
    live_for(DEMAND_EVIDENCE_NS + LOOK_NS);
    const int64_t due_ns = workers_due_ns(workers);
    live_for(due_ns - now_ns - LOOK_NS);
    ck_assert(!workers_complete(workers));
    live_for(LOOK_NS);
    ck_assert(workers_complete(workers));
    ck_assert_int_eq(workers_due_ns(workers), INT64_MAX);
    workers_destroy(workers);
}

START_TEST(a_team_is_complete_without_a_count)
{
    begin_automatic(0);
    arrive(0, "app", 1);
    live_for(200 * NSEC_PER_MSEC);
    arrive(1, "app", 1);
    arrive(2, "app", 1);
    live_for(DEMAND_EVIDENCE_NS + LOOK_NS);
    expect("0 1 2 ");
    workers_destroy(workers);

    /* A thread that has just paused is known to be of the team when it has not paused for as
     * long. */
    begin_automatic(0);
    arrive(0, "app", 1);
    arrive(1, "app", 1);
    live_for(LOOK_NS);
    actors[1].run_share = 0;
    live_for(LOOK_NS);
    actors[1].run_share = 1;
    live_for(2 * LOOK_NS);
    ck_assert(!workers_complete(workers));
    ck_assert_int_eq(workers_due_ns(workers), now_ns + LOOK_NS);
    live_for(LOOK_NS);
    expect("0 1 ");
    workers_destroy(workers);
}

/* Two threads that work, of which the second is not like the first, or pauses. */
static void no_team(pid_t pid, const char *comm, double run_share)
{
    begin_automatic(0);
    arrive(0, "app", 1);
    arrive_of(pid, 1, comm, run_share);
    live_for(WORKERS_SETTLE_NS);
    ck_assert(!workers_complete(workers));
    live_for(WORKERS_SETTLE_NS);
    expect("0 1 ");
    workers_destroy(workers);
}

START_TEST(those_who_are_no_team_must_settle)
{
    no_team(7, "app", 1);
    no_team(0, "helper", 1);
    no_team(0, "app", 0.6);
}

START_TEST(what_the_young_have_done_counts)
{
    const struct thread_info worked = {.run_ns = DEMAND_EVIDENCE_NS - LOOK_NS, .runnable = true};

    begin_automatic(2);
    arrive(0, "app", 1);
    live_for(100 * NSEC_PER_MSEC);
    arrive_from(1, &worked, 3 * LOOK_NS);
    live_for(LOOK_NS);
    expect("0 1 ");
    workers_destroy(workers);

    /* The same amount of work, spread over a long life. */
    begin_automatic(2);
    arrive(0, "app", 1);
    live_for(100 * NSEC_PER_MSEC);
    arrive_from(1, &worked, NSEC_PER_SEC);
    live_for(LOOK_NS);
    expect("");
    workers_destroy(workers);
}

/* Its last window has begun, which is no reason to think that it is about to work. */
START_TEST(who_has_worked_and_rests_is_not_waited_for)
{
    begin_automatic(2);
    arrive(0, "app", 1);
    live_for(DEMAND_WINDOW_NS + LOOK_NS);
    actors[0].run_share = 0;
    arrive(1, "app", 1);
    arrive(2, "app", 1);
    live_for(DEMAND_EVIDENCE_NS + LOOK_NS);
    expect("1 2 ");
    workers_destroy(workers);
}

START_TEST(a_lost_place_is_for_the_next_that_works)
{
    begin_automatic(2);
    arrive(0, "app", 1);
    arrive(1, "app", 1);
    live_for(100 * NSEC_PER_MSEC);
    arrive(2, "app", 1);
    live_for(1 * NSEC_PER_SEC);
    expect("0 1 ");
    depart(0);
    live_for(LOOK_NS);
    expect("1 2 ");
    workers_destroy(workers);
}

START_TEST(fewer_than_expected_begin_after_a_while)
{
    begin_automatic(8);
    arrive(0, "app", 1);
    arrive(1, "app", 1);
    live_for(WORKERS_PATIENCE_NS / 2);
    expect("");
    live_for(2 * NSEC_PER_SEC);
    expect("0 1 ");
    /* Threads that come later are still taken. */
    arrive(2, "app", 1);
    live_for(100 * NSEC_PER_MSEC);
    expect("0 1 2 ");
    workers_destroy(workers);
}

START_TEST(idle_threads_may_be_counted)
{
    /* An OpenMP program whose master thread only launches. */
    begin((struct workers_options){.expected = 2, .idle = 1});
    arrive(0, "app", 0);
    arrive(1, "app", 0);
    live_for(100 * NSEC_PER_MSEC);
    expect("");
    arrive(2, "app", 0);
    live_for(WORKERS_SETTLE_NS);
    expect("1 2 ");
    workers_destroy(workers);
}

START_TEST(who_works_before_the_others_come_may_be_idle_after)
{
    begin((struct workers_options){.expected = 2, .idle = 1});
    arrive(0, "app", 1);
    live_for(100 * NSEC_PER_MSEC);
    actors[0].run_share = 0;
    arrive(1, "app", 0.5);
    arrive(2, "app", 0.5);
    live_for(WORKERS_SETTLE_NS);
    expect("1 2 ");
    workers_destroy(workers);
}

START_TEST(no_idle_threads_means_all)
{
    begin((struct workers_options){.expected = 2, .idle = 0});
    arrive(0, "app", 0);
    arrive(1, "app", 0);
    live_for(LOOK_NS);
    expect("0 1 ");
    workers_destroy(workers);
}

START_TEST(names_choose)
{
    begin(
        (struct workers_options){.idle = WORKERS_IDLE_AUTO, .match = "rank*", .idle_comm = "*-io"});
    arrive(0, "mpirun", 1);
    arrive(1, "rank0", 1);
    arrive(2, "rank1", 1);
    arrive(3, "rank1-io", 1);
    arrive(4, "sh", 1);
    live_for(200 * NSEC_PER_MSEC);
    expect("1 2 ");
    /* It executes a program, and then another one. */
    strcpy(actors[4].info.comm.untrusted, "rank2");
    workers_renamed(workers, 4, &actors[4].info);
    live_for(100 * NSEC_PER_MSEC);
    expect("1 2 4 ");
    strcpy(actors[4].info.comm.untrusted, "gzip");
    workers_renamed(workers, 4, &actors[4].info);
    live_for(LOOK_NS);
    expect("1 2 ");
    workers_destroy(workers);
}

START_TEST(the_refused_stay_out)
{
    begin_automatic(2);
    arrive(0, "app", 1);
    arrive(1, "app", 1);
    arrive(2, "app", 1);
    workers_refuse(workers, 1);
    live_for(100 * NSEC_PER_MSEC);
    expect("0 2 ");
    workers_refuse(workers, 0);
    actors[0].working = false;
    live_for(1 * NSEC_PER_SEC);
    expect("2 ");
    workers_destroy(workers);
}

START_TEST(exec_starts_the_account_anew)
{
    begin_automatic(2);
    arrive(0, "app", 1);
    arrive(1, "app", 1);
    live_for(100 * NSEC_PER_MSEC);
    actors[0].info.run_ns = 0;
    live_for(100 * NSEC_PER_MSEC);
    expect("0 1 ");
    workers_destroy(workers);
}

/* Its look is under way in pieces: because it is no worker any more, the look would take it
 * without anyone having asked for it. */
START_TEST(the_dismissed_are_not_taken_again)
{
    struct applicant applicant = {.engine_index = ENGINE_INDEX_NONE};

    ck_assert(!applicant_is_held_up(&applicant));
    ck_assert(!applicant_placed_for_long(&applicant, 0, 1));
    ck_assert(applicant_is_held_up(&applicant));
    applicant.dismissed = true;
    ck_assert(!applicant_is_held_up(&applicant));
    applicant_reset(&applicant);
    ck_assert(!applicant_is_held_up(&applicant));
}

/* The threads must not leave and join with each look until their work is a large part of that
 * long time. */
START_TEST(who_works_again_after_a_long_pause_stays)
{
    begin_automatic(0);
    arrive(0, "app", 1);
    arrive(1, "app", 1);
    live_for(NSEC_PER_SEC);
    expect("0 1 ");
    actors[0].run_share = actors[1].run_share = 0;
    live_for(60 * NSEC_PER_SEC);
    expect("");
    actors[0].run_share = actors[1].run_share = 1;
    live_for(100 * NSEC_PER_MSEC);
    expect("0 1 ");
    const int before_count = left_count;
    live_for(NSEC_PER_SEC);
    ck_assert_int_eq(left_count, before_count);
    workers_destroy(workers);
}

START_TEST(who_works_again_after_a_long_pause_does_not_give_way)
{
    begin_automatic(2);
    arrive(0, "app", 1);
    arrive(1, "app", 1);
    live_for(100 * NSEC_PER_MSEC);
    actors[1].run_share = 0;
    live_for(60 * NSEC_PER_SEC);
    actors[1].run_share = 0.6;
    live_for(500 * NSEC_PER_MSEC);
    expect("0 1 ");
    arrive(2, "late", 1);
    live_for(2 * NSEC_PER_SEC);
    expect("0 1 ");
    workers_destroy(workers);
}

SUITE("workers")
