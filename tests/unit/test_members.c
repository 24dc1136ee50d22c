/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "libjuggle/job/members.h"

static struct members *members;

static struct thread_info thread(pid_t tid)
{
    return (struct thread_info){.id = {.pid = 1, .tid = tid, .start_ticks = 7}, .comm = {"worker"}};
}

static int join_again(pid_t tid, int index)
{
    const struct thread_info info = thread(tid);

    return members_join(members, &info, index);
}

static int join(pid_t tid)
{
    return join_again(tid, MEMBER_NONE);
}

static void see(int index, int64_t run_ns)
{
    const struct thread_view view = {
        .run_ns = run_ns, .progress_ns = run_ns, .slices_count = run_ns / 10};

    members_update(members, index, &view, 0);
}

static int told_count(void)
{
    const struct members_unlisted unlisted = members_unlisted(members);
    int count = 0;

    for (int i = 0; i < members_limit(members); i++)
        count += members_is_listed(members, &unlisted, i);
    return count;
}

START_TEST(one_that_comes_back_goes_on_where_it_was)
{
    ck_assert_int_eq(members_create(4, &members), 0);
    const int index = join(10);
    see(index, 500);
    members_leave(members, index, MEMBER_LEFT);
    ck_assert_int_eq(join_again(10, index), index);
    see(index, 30);
    ck_assert_int_eq(members_get(members, index)->view.progress_ns, 530);
    ck_assert_int_eq(members_get(members, index)->view.slices_count, 53);
    ck_assert_int_eq(told_count(), 1);
    members_destroy(members);
}

START_TEST(who_left_is_forgotten_in_the_end)
{
    ck_assert_int_eq(members_create(2, &members), 0);
    const int first = join(10), second = join(13);
    members_leave(members, first, MEMBER_LEFT);
    members_leave(members, second, MEMBER_LEFT);
    ck_assert_int_eq(join(19), first);
    ck_assert_int_eq(members_unlisted(members).count, 1);
    ck_assert_int_eq(join_again(13, second), second);
    members_leave(members, second, MEMBER_LEFT);
    /* Another member has taken its place. */
    ck_assert_int_eq(join_again(10, first), second);
    ck_assert_int_eq(members_get(members, first)->id.tid, 19);
    members_destroy(members);
}

START_TEST(who_left_may_end)
{
    const struct thread_info left = thread(10);

    ck_assert_int_eq(members_create(4, &members), 0);
    const int index = join(10);
    members_end(members, MEMBER_NONE, &left.id);
    members_leave(members, index, MEMBER_LEFT);
    ck_assert_int_eq(members_get(members, index)->state, MEMBER_LEFT);
    members_end(members, index, &left.id);
    ck_assert_int_eq(members_get(members, index)->state, MEMBER_ENDED);
    const int other = join(11);
    members_end(members, other, &left.id);
    ck_assert_int_eq(members_get(members, other)->state, MEMBER_BALANCED);
    ck_assert_ptr_null(members_fault(members));
    members_destroy(members);
}

START_TEST(another_thread_with_the_number_of_one_that_ended_is_another)
{
    ck_assert_int_eq(members_create(4, &members), 0);
    const int first = join(10);
    members_leave(members, first, MEMBER_ENDED);
    ck_assert_int_ne(join(10), first);
    members_destroy(members);
}

START_TEST(helpers_that_hardly_ran_are_counted_only)
{
    ck_assert_int_eq(members_create(4, &members), 0);
    const int worker = join(10), helper = join(11), fresh = join(12);
    see(worker, 1000);
    see(helper, 49);
    members_leave(members, helper, MEMBER_ENDED);
    ck_assert_int_eq(told_count(), 2);
    ck_assert_int_eq(members_unlisted(members).count, 1);
    ck_assert_int_eq(members_unlisted(members).progress_ns, 49);
    see(fresh, 100);
    members_leave(members, fresh, MEMBER_ENDED);
    ck_assert_int_eq(told_count(), 2);
    members_destroy(members);
}

START_TEST(many_that_ran_little_did_work_together)
{
    ck_assert_int_eq(members_create(8, &members), 0);
    see(join(10), 1800);
    for (pid_t tid = 11; tid < 16; tid++) {
        const int index = join(tid);
        see(index, 150);
        members_leave(members, index, MEMBER_ENDED);
    }
    ck_assert_int_eq(told_count(), 6);
    ck_assert_int_eq(members_unlisted(members).count, 0);
    members_destroy(members);
}

START_TEST(the_work_of_those_that_are_forgotten_counts)
{
    ck_assert_int_eq(members_create(2, &members), 0);
    see(join(1), 1000);
    for (pid_t tid = 2; tid < 6; tid++) {
        const int index = join(tid);
        see(index, 500);
        members_leave(members, index, MEMBER_ENDED);
    }
    ck_assert_int_eq(told_count(), 2);
    ck_assert_int_eq(members_unlisted(members).count, 3);
    ck_assert_int_eq(members_unlisted(members).progress_ns, 1500);
    members_destroy(members);
}

START_TEST(when_full_those_that_ended_first_are_forgotten)
{
    ck_assert_int_eq(members_create(3, &members), 0);
    const int alive = join(1);
    for (pid_t tid = 2; tid < 100; tid++)
        members_leave(members, join(tid), MEMBER_ENDED);
    ck_assert_int_eq(members_limit(members), 3);
    ck_assert_int_eq(members_unlisted(members).count, 96);
    ck_assert_int_eq(members_get(members, alive)->id.tid, 1);
    members_destroy(members);
}

SUITE("members")
