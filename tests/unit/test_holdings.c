/* SPDX-License-Identifier: BSD-3-Clause */
/* Users whose jobs come, grow, rest and go in any order: what each user holds and may take, and
 * how often each was refused. */
#include "tests/lib/chance.h"

#include "juggled/care/budget.h"
#include "juggled/care/holdings.h"
#include "juggled/care/neighbors.h"
#include "juggled/care/tally.h"
#include "libjuggle/job/allowance.h"

enum { USERS = 5, JOBS_MAX = 60, REFUSED_MAX = 400 };

struct service_job {
    uid_t uid;
    bool is_there, rests;
    int living;
    int turns_ppm, looks_ppm;
    struct wish wish;
};

static struct service_job jobs[JOBS_MAX];
static long readings_count; /* of users of jobs */

uid_t service_job_uid(const struct service_job *job)
{
    readings_count++;
    return job->uid;
}

void service_job_limit(struct service_job *job, int turns_ppm, int looks_ppm)
{
    job->turns_ppm = turns_ppm;
    job->looks_ppm = looks_ppm;
}

enum service_job_state service_job_state(const struct service_job *job)
{
    return job->rests ? SERVICE_JOB_RESTING : SERVICE_JOB_GATHERING;
}

int service_job_living(const struct service_job *job)
{
    return job->living;
}

const struct wish *service_job_wish(const struct service_job *job)
{
    return &job->wish;
}

/* Every third thread has ended, every fifth one has no home yet; the others are at home on two
 * processors. */
struct job_thread *service_job_threads(const struct service_job *job, int *count)
{
    struct job_thread *threads = calloc((size_t)job->living + 1, sizeof(*threads));

    *count = job->living;
    for (int i = 0; i < job->living; i++)
        threads[i] = (struct job_thread){.cpu = i % 5 ? i % 2 : -1, .ended = i % 3 == 0};
    return threads;
}

/* Checks that only jobs that were dropped are destroyed, and once. */
static void destroy(void *entry)
{
    struct service_job *job = entry;

    ALWAYS(!job->is_there && job->uid < USERS);
    job->uid = USERS;
}

/* Checks the user's holding and returns how many of the user's jobs are balanced. */
static int expect_holding(const struct entries *list, uid_t uid)
{
    const struct holding holding = holding_of(list, uid);
    struct holding counted = {0};

    for (int i = 0; i < JOBS_MAX; i++) {
        const struct service_job *job = &jobs[i];
        if (!job->is_there || job->uid != uid)
            continue;
        counted.jobs_count++;
        counted.balanced_count += !job->rests;
        counted.threads_count += job->living;
        counted.asked_count += job->living > job->wish.threads ? job->living : job->wish.threads;
    }
    ALWAYS(holding.jobs_count == counted.jobs_count &&
           holding.balanced_count == counted.balanced_count &&
           holding.threads_count == counted.threads_count &&
           holding.asked_count == counted.asked_count);
    return counted.balanced_count;
}

/* Checks that the jobs of a user together take no more than the user may, and the jobs of all
 * users no more than all may. */
static void expect_shares(const struct entries *list, const struct budget *budget)
{
    const int64_t one_ppm = (int64_t)(SHARE_ALL_PPM / 100) * budget->processors_count;
    int64_t user_ppm[USERS] = {0}, all_ppm = 0;
    int users_count, balanced_users = 0, balanced_jobs = 0;

    ck_assert_int_eq(holdings_share(list, budget, &users_count), 0);
    for (int i = 0; i < JOBS_MAX; i++)
        if (jobs[i].is_there && !jobs[i].rests)
            user_ppm[jobs[i].uid] += jobs[i].turns_ppm + jobs[i].looks_ppm;
    for (uid_t uid = 0; uid < USERS; uid++) {
        const int count = expect_holding(list, uid);
        /* Each job may be rounded up to one millionth, the least share. */
        ALWAYS(user_ppm[uid] <= one_ppm * budget->percent_per_user + 2 * count);
        ALWAYS((user_ppm[uid] > 0) == (count > 0));
        all_ppm += user_ppm[uid];
        balanced_users += count > 0;
        balanced_jobs += count;
    }
    ALWAYS(users_count == balanced_users);
    ALWAYS(all_ppm <= one_ppm * budget->percent + 2 * balanced_jobs);
}

static void come_and_go(void)
{
    const struct budget budget = {(int)between(1, 100), (int)between(1, 100), (int)between(1, 64)};
    struct entries list = {.destroy = destroy};
    int made_count = 0;

    for (int step = 0; step < 2 * JOBS_MAX; step++) {
        struct service_job *job = &jobs[below(made_count + 1)];
        if (made_count < JOBS_MAX && one_in(2)) {
            job = &jobs[made_count++];
            *job = (struct service_job){
                .uid = (uid_t)below(USERS), .is_there = true, .rests = one_in(3)};
            job->wish.threads = (int)below(20);
            ck_assert_int_eq(entries_add(&list, job), 0);
        } else if (job < &jobs[made_count] && job->is_there && one_in(2)) {
            job->is_there = false;
            entries_drop(&list, job);
        } else if (job < &jobs[made_count]) {
            job->rests = one_in(3);
            job->living = job->rests ? 0 : (int)below(40);
        }
        if (one_in(5))
            entries_sweep(&list);
        expect_shares(&list, &budget);
    }
    for (int i = 0; i < made_count; i++)
        jobs[i].is_there = false;
    entries_release(&list);
    for (int i = 0; i < made_count; i++)
        ALWAYS(jobs[i].uid == USERS);
}

START_TEST(users_hold_what_their_jobs_do_and_no_more_than_they_may)
{
    live_with_seeds(500, come_and_go);
}

/* If each job were compared with all others, this would be 100 million readings. */
START_TEST(the_shares_of_many_jobs_are_divided_quickly)
{
    enum { MANY = 10000 };
    const struct budget budget = {4, 3, 2};
    struct entries list = {.destroy = free};
    int users_count;

    for (int i = 0; i < MANY; i++) {
        struct service_job *job = calloc(1, sizeof(*job));
        job->uid = (uid_t)(i % 100);
        ck_assert_int_eq(entries_add(&list, job), 0);
    }
    readings_count = 0;
    ck_assert_int_eq(holdings_share(&list, &budget, &users_count), 0);
    ck_assert_int_eq(users_count, 100);
    ck_assert_int_le(readings_count, 4 * MANY);
    entries_release(&list);
}

START_TEST(neighbors_are_counted_however_many_threads_they_have)
{
    struct entries list = {.destroy = destroy};
    int counts[CPU_MASK_CPUS_MAX], expected = 0;

    jobs[0] = (struct service_job){.is_there = true, .living = 3000};
    jobs[1] = (struct service_job){.is_there = true, .rests = true, .living = 30};
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(entries_add(&list, &jobs[i]), 0);
    for (int i = 0; i < 3000; i++)
        expected += i % 5 && i % 3;
    neighbors_threads(&list, counts);
    ck_assert_int_eq(counts[0] + counts[1], expected);
    for (int i = 0; i < 2; i++)
        jobs[i].is_there = false;
    entries_release(&list);
}

/* A user who is refused again and again is counted each time, however many others are refused. */
static void refuse_many(void)
{
    const uid_t steady = (uid_t)below(REFUSED_MAX);
    int64_t times[REFUSED_MAX] = {0};
    struct user_tally tally = {0};

    for (int i = 0; i < 2000; i++) {
        const uid_t uid = one_in(2) ? steady : (uid_t)below(REFUSED_MAX);
        times[uid]++;
        tally_add(&tally, uid);
    }
    ALWAYS(tally.count <= TALLY_USERS_MAX);
    for (int i = 0; i < tally.count; i++) {
        const uid_t uid = tally.entries[i].uid;
        ALWAYS(tally.entries[i].times > 0 && tally.entries[i].times <= times[uid]);
        ALWAYS(uid != steady || tally.entries[i].times == times[uid]);
        times[uid] = 0; /* so that a second entry of a user fails */
    }
    ALWAYS(times[steady] == 0);
}

START_TEST(who_is_refused_most_is_never_forgotten)
{
    live_with_seeds(500, refuse_many);
}

SUITE("holdings")
