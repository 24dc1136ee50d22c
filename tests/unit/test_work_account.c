/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "libjuggle/ground/units.h"
#include "libjuggle/job/work_account.h"

#define MS NSEC_PER_MSEC

static struct work_account account;

static struct thread_id thread(int tid)
{
    return (struct thread_id){.pid = 1, .tid = tid};
}

static void add(int tid, int64_t ran_ns, int64_t work_ns)
{
    const struct thread_id id = thread(tid);

    work_account_add(&account, &id, ran_ns, work_ns);
}

static double share(int tid)
{
    const struct thread_id id = thread(tid);

    return work_account_share(&account, &id);
}

START_TEST(nobody_was_looked_at)
{
    account = (struct work_account){0};
    ck_assert_double_eq(share(1), 0);
    add(1, 0, 0);
    ck_assert_double_eq(share(1), 0);
}

START_TEST(each_thread_has_its_own_share)
{
    account = (struct work_account){0};
    add(1, 20 * MS, 20 * MS);
    add(2, 20 * MS, 4 * MS);
    add(2, 20 * MS, 8 * MS);
    ck_assert_double_eq_tol(share(1), 1, 1e-9);
    ck_assert_double_eq_tol(share(2), 0.3, 1e-9);
}

START_TEST(who_did_not_run_has_that_of_all)
{
    account = (struct work_account){0};
    add(1, 20 * MS, 10 * MS);
    add(2, 20 * MS, 20 * MS);
    add(3, 0, 0);
    ck_assert_double_eq_tol(share(3), 0.75, 1e-9);
    ck_assert_double_eq_tol(share(4), 0.75, 1e-9);
}

/* Each sample stands for a period, which may be longer than the thread ran. */
START_TEST(no_share_is_more_than_all)
{
    account = (struct work_account){0};
    add(1, 20 * MS, 21 * MS);
    ck_assert_double_eq(share(1), 1);
}

START_TEST(those_beyond_the_last_have_that_of_all)
{
    account = (struct work_account){0};
    for (int tid = 1; tid <= WORK_ACCOUNT_THREADS_MAX; tid++)
        add(tid, 20 * MS, 10 * MS);
    add(1000, WORK_ACCOUNT_THREADS_MAX * 20 * MS, 0);
    ck_assert_int_eq(account.threads_count, WORK_ACCOUNT_THREADS_MAX);
    ck_assert_double_eq_tol(share(1000), 0.25, 1e-9);
    ck_assert_double_eq_tol(share(1), 0.5, 1e-9);
}

/* It was looked at for 20 ms, of which half was spun, then tried for 40 ms without spinning, and
 * that lasted another second. */
START_TEST(a_sample_stands_for_longer_than_it_took)
{
    struct work_account tried = {0};
    const struct thread_id first = thread(1);

    account = (struct work_account){0};
    add(1, 20 * MS, 10 * MS);
    work_account_add(&tried, &first, 40 * MS, 40 * MS);
    work_account_add_all(&account, &tried, 26);
    ck_assert_double_eq_tol(share(1), 1050. / 1060, 1e-9);
    ck_assert_double_eq_tol(share(2), 1050. / 1060, 1e-9);
}

/* They count in the sum, whichever of them has a place. */
START_TEST(those_without_a_place_are_in_the_sum)
{
    struct work_account many = {0};
    const struct thread_id late = thread(1000);

    account = (struct work_account){0};
    for (int tid = 1; tid <= WORK_ACCOUNT_THREADS_MAX; tid++) {
        const struct thread_id id = thread(tid);
        work_account_add(&many, &id, 20 * MS, 10 * MS);
    }
    work_account_add(&many, &late, WORK_ACCOUNT_THREADS_MAX * 20 * MS, 0);
    work_account_add_all(&account, &many, 2);
    ck_assert_double_eq_tol(share(1000), 0.25, 1e-9);
}

SUITE("work account")
