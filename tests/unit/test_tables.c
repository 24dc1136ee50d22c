/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is whose stands in tables. Each call that cannot be meant is found out, changes nothing, and
 * is named; so nobody else's thread or memory is touched for it. */
#include "tests/lib/suite.h"

#include "libjuggle/job/follow.h"
#include "libjuggle/job/members.h"
#include "libjuggle/job/roster.h"
#include "libjuggle/job/workers.h"
#include "libjuggle/linux/claims.h"
#include "libjuggle/linux/debts.h"
#include "libjuggle/linux/mask_table.h"
#include "libjuggle/varlink/connection.h"
#include "libjuggle/varlink/frames.h"
#include "libjuggle/varlink/outbox.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 4, PROCESS = 10 };

static const struct thread_info somebody = {.id = {PROCESS, PROCESS + 1, 5}, .comm = {"app"}};
static const struct thread_info nobody = {.comm = {"app"}};

/* ---- who was found ---- */

static void changed(void *context, enum roster_change change, int index,
                    const struct thread_info *info)
{
    (void)change, (void)index, (void)info;
    ++*(int *)context;
}

START_TEST(a_thread_without_a_number_is_not_found)
{
    int changes_count = 0;
    const struct roster_listener listener = {changed, &changes_count};
    struct roster *roster;

    ck_assert_int_eq(roster_create(ROOM, &roster), 0);
    roster_begin(roster);
    ck_assert_int_eq(roster_see(roster, &somebody, &listener), 0);
    ck_assert_ptr_null(roster_fault(roster));
    ck_assert_int_eq(roster_see(roster, &nobody, &listener), -EINVAL);
    ck_assert_int_eq(changes_count, 1);
    expect_fault(roster_fault(roster), "info->id.tid > 0");
    roster_destroy(roster);
}
END_TEST

/* ---- who works ---- */

static void arrive_twice(struct workers *workers)
{
    workers_arrived(workers, 0, &somebody, 0, 0);
}

static void arrive_beyond(struct workers *workers)
{
    workers_arrived(workers, ROOM, &somebody, 0, 0);
}

static void exit_before(struct workers *workers)
{
    workers_exited(workers, -1);
}

static void refuse_beyond(struct workers *workers)
{
    workers_refuse(workers, ROOM);
}

static const struct {
    const char *check;
    void (*apply)(struct workers *workers);
} working[] = {
    {"!candidate->present", arrive_twice},
    {"index < workers->threads_max", arrive_beyond},
    {"index >= 0", exit_before},
    {"index < workers->threads_max", refuse_beyond},
};

START_TEST(workers_are_those_that_came)
{
    const struct workers_options options = {.idle = WORKERS_IDLE_AUTO, .threads_max = ROOM};
    struct workers *workers;

    ck_assert_int_eq(workers_create(&options, &workers), 0);
    workers_arrived(workers, 0, &somebody, 0, 0);
    ck_assert_ptr_null(workers_fault(workers));
    working[_i].apply(workers);
    expect_fault(workers_fault(workers), working[_i].check);
    ck_assert_int_eq(workers_named(workers), 1);
    workers_destroy(workers);
}
END_TEST

/* ---- who is told of ---- */

static const struct thread_view view = {.run_ns = NSEC_PER_SEC};

static void leave_twice(struct members *members)
{
    members_leave(members, 0, MEMBER_ENDED);
    members_leave(members, 0, MEMBER_ENDED);
}

static void leave_as_balanced(struct members *members)
{
    members_leave(members, 0, MEMBER_BALANCED);
}

static void leave_beyond(struct members *members)
{
    members_leave(members, ROOM, MEMBER_LEFT);
}

static void update_after_the_end(struct members *members)
{
    members_leave(members, 0, MEMBER_ENDED);
    members_update(members, 0, &view, 1);
}

static void update_unseen(struct members *members)
{
    members_update(members, 1, &view, 1);
}

/* More are balanced than can be. */
static void join_beyond(struct members *members)
{
    struct thread_info other = somebody;

    for (int i = 1; i <= ROOM; i++) {
        other.id.tid += i;
        members_join(members, &other, MEMBER_NONE);
    }
}

static const struct {
    const char *check;
    void (*apply)(struct members *members);
} memberships[] = {
    {"members->list[index].state == MEMBER_BALANCED", leave_twice},
    {"state != MEMBER_BALANCED", leave_as_balanced},
    {"index < members->limit", leave_beyond},
    {"member->state == MEMBER_BALANCED", update_after_the_end},
    {"index < members->limit", update_unseen},
    {"i < members->max", join_beyond},
};

START_TEST(members_leave_once_and_are_seen_before)
{
    struct members *members;

    ck_assert_int_eq(members_create(ROOM, &members), 0);
    ck_assert_int_eq(members_join(members, &somebody, MEMBER_NONE), 0);
    ck_assert_ptr_null(members_fault(members));
    memberships[_i].apply(members);
    expect_fault(members_fault(members), memberships[_i].check);
    members_destroy(members);
}
END_TEST

/* ---- whose memory follows ---- */

static int move_count(void *context, pid_t pid, int processor, int64_t now_ns)
{
    (void)pid, (void)processor, (void)now_ns;
    ++*(int *)context;
    return 0;
}

static void follow_ourselves(struct follow *follow)
{
    follow_arrived(follow, 1, 0);
}

static void follow_two_in_one(struct follow *follow)
{
    follow_arrived(follow, 0, PROCESS + 1);
}

static void follow_before(struct follow *follow)
{
    follow_arrived(follow, -1, PROCESS);
}

static void follow_beyond(struct follow *follow)
{
    follow_left(follow, ROOM);
}

static void follow_nowhere(struct follow *follow)
{
    follow_see(follow, 0, -1, 1, 0);
}

static const struct {
    const char *check;
    void (*apply)(struct follow *follow);
} following[] = {
    {"pid > 0", follow_ourselves},      {"!follow->tenants[index].pid", follow_two_in_one},
    {"index >= 0", follow_before},      {"index < follow->threads_max", follow_beyond},
    {"processor >= 0", follow_nowhere},
};

START_TEST(nobody_elses_memory_is_moved)
{
    int moves_count = 0;
    const struct follow_port port = {move_count, &moves_count};
    struct follow *follow;

    ck_assert_int_eq(follow_create(ROOM, &port, &follow), 0);
    follow_arrived(follow, 0, PROCESS);
    ck_assert_ptr_null(follow_fault(follow));
    following[_i].apply(follow);
    expect_fault(follow_fault(follow), following[_i].check);
    follow_decide(follow, 100 * NSEC_PER_SEC);
    ck_assert_int_eq(moves_count, 0);
    follow_destroy(follow);
}
END_TEST

/* ---- what is owed ---- */

static struct mask_debt owed(pid_t pid, pid_t tid, int processors_count)
{
    struct mask_debt debt = {.id = {pid, tid, 1}};

    cpu_mask_clear(&debt.original);
    for (int i = 0; i < processors_count; i++)
        cpu_mask_add(&debt.original, i);
    return debt;
}

static const struct {
    const char *check;
    enum mask_rows kind;
    int row;
    pid_t pid, tid;
    int processors_count;
} promises[] = {
    {"debt->id.tid > 0", MASK_ROWS_THREADS, 0, PROCESS, 0, 1},
    {"debt->id.pid > 0", MASK_ROWS_LET_GO, 0, 0, PROCESS, 0},
    {"debt->id.tid == debt->id.pid", MASK_ROWS_PROCESSES, 0, PROCESS, PROCESS + 1, 1},
    {"cpu_mask_count", MASK_ROWS_THREADS, 0, PROCESS, PROCESS, 0},
    {"cpu_mask_count", MASK_ROWS_SET, 0, 0, 0, 0},
    {"row < mask_table_room", MASK_ROWS_THREADS, ROOM, PROCESS, PROCESS, 1},
    {"row >= 0", MASK_ROWS_THREADS, -1, PROCESS, PROCESS, 1},
    {"kind < MASK_ROWS_KINDS", MASK_ROWS_KINDS, 0, PROCESS, PROCESS, 1},
};

START_TEST(nobody_is_promised_what_cannot_be_given)
{
    const struct mask_debt debt = owed(promises[_i].pid, promises[_i].tid,
                                       promises[_i].processors_count);
    struct mask_table *table;

    ck_assert_int_eq(mask_table_create(ROOM, -1, &table), 0);
    ck_assert_int_eq(mask_table_keep(table, promises[_i].kind, promises[_i].row, &debt), -EINVAL);
    expect_fault(mask_table_fault(table), promises[_i].check);
    for (int kind = 0; kind < MASK_ROWS_KINDS; kind++)
        ck_assert_int_eq(mask_table_limit(table, (enum mask_rows)kind), 0);
    mask_table_destroy(table);
}
END_TEST

START_TEST(a_pin_has_a_time)
{
    struct mask_table *table;

    ck_assert_int_eq(mask_table_create(ROOM, -1, &table), 0);
    mask_table_begin(table, MASK_ROWS_PROCESSES, 0, 7);
    ck_assert_ptr_null(mask_table_fault(table));
    mask_table_begin(table, MASK_ROWS_PROCESSES, 1, 0);
    expect_fault(mask_table_fault(table), "ticks > 0");
    ck_assert_uint_eq(mask_table_since(table, MASK_ROWS_PROCESSES, 0), 7);
    mask_table_destroy(table);
}
END_TEST

static const struct {
    const char *check;
    int slot;
    struct thread_id id;
} keepings[] = {
    {"index < debts->threads_max", ROOM, {PROCESS, PROCESS, 1}},
    {"index >= 0", -1, {PROCESS, PROCESS, 1}},
    {"id->pid > 0", 0, {-PROCESS, PROCESS, 1}},
    {"id->tid > 0", 0, {PROCESS, 0, 1}},
};

START_TEST(a_debt_is_somebodys)
{
    const struct mask_debt debt = owed(PROCESS, PROCESS, 1);
    struct mask_table *table;
    struct debts *debts;

    ck_assert_int_eq(mask_table_create(ROOM, -1, &table), 0);
    ck_assert_int_eq(debts_create(-1, table, &debts), 0);
    ck_assert_int_eq(debts_keep(debts, keepings[_i].slot, &keepings[_i].id, &debt.original),
                     -EINVAL);
    expect_fault(debts_fault(debts), keepings[_i].check);
    debts_destroy(debts);
    mask_table_destroy(table);
}
END_TEST

START_TEST(nobody_claims_no_process)
{
    struct claims *claims;
    struct claim other;

    ck_assert_int_eq(claims_create(-1, 1, NULL, &claims), 0);
    ck_assert_int_eq(claims_take(claims, 0, &other), -EINVAL);
    expect_fault(claims_fault(claims), "pid > 0");
    claims_destroy(claims);
}
END_TEST

/* ---- what clients send and are sent ---- */

START_TEST(bytes_that_have_no_room_are_not_believed)
{
    struct frames *frames;
    const char *message;
    size_t size, length;
    char *space;

    ck_assert_int_eq(frames_create(64, &frames), 0);
    ck_assert_int_eq(frames_space(frames, &space, &size), 0);
    strcpy(space, "a");
    frames_fill(frames, 2);
    ck_assert_int_eq(frames_take(frames, &message, &length), 0);
    frames_fill(frames, size);
    expect_fault(frames_fault(frames), "size <= frames->room - frames->end");
    ck_assert_int_eq(frames_take(frames, &message, &length), -EPROTO);
    frames_destroy(frames);
}
END_TEST

static json_t *message;

static void sent_too_much(struct outbox *outbox)
{
    outbox_sent(outbox, outbox->end + 1);
}

static void began_behind(struct outbox *outbox)
{
    outbox->begin = outbox->end + 1;
    outbox_sent(outbox, 1);
}

static void ended_behind(struct outbox *outbox)
{
    outbox->end = outbox->room + 1;
    ck_assert_int_eq(outbox_add(outbox, message), -EPROTO);
}

static void grew_too_large(struct outbox *outbox)
{
    outbox->size_max = outbox->end - 1;
    ck_assert_int_eq(outbox_add(outbox, message), -EPROTO);
}

static const struct {
    const char *check;
    void (*apply)(struct outbox *outbox);
} sendings[] = {
    {"size <= outbox->end - outbox->begin", sent_too_much},
    {"outbox->begin <= outbox->end", began_behind},
    {"outbox->end <= outbox->room", ended_behind},
    {"outbox->end <= outbox->size_max", grew_too_large},
};

START_TEST(nothing_is_sent_that_was_not_added)
{
    struct outbox outbox = {.size_max = 64};

    message = json_object();
    ck_assert_int_eq(outbox_add(&outbox, message), 0);
    ck_assert_ptr_null(fault_text(&outbox.fault));
    sendings[_i].apply(&outbox);
    expect_fault(fault_text(&outbox.fault), sendings[_i].check);
    outbox_release(&outbox);
    json_decref(message);
}
END_TEST

START_TEST(a_reply_is_to_a_call)
{
    const struct connection_limits limits = {64, 64, 1, 1, NSEC_PER_SEC, NSEC_PER_SEC};
    struct connection *connection;
    size_t size;

    ck_assert_int_eq(connection_create(&limits, 0, &connection), 0);
    ck_assert_ptr_null(connection_fault(connection));
    ck_assert_int_eq(connection_send(connection, reply_make(NULL, false), false, 0), -EPROTO);
    expect_fault(connection_fault(connection), "connection->answering");
    ck_assert_ptr_null(connection_pending(connection, &size));
    connection_destroy(connection);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tables");
    TCase *tcase = tcase_create("tables");

    tcase_add_test(tcase, a_thread_without_a_number_is_not_found);
    tcase_add_loop_test(tcase, workers_are_those_that_came, 0, (int)ARRAY_COUNT(working));
    tcase_add_loop_test(tcase, members_leave_once_and_are_seen_before, 0,
                        (int)ARRAY_COUNT(memberships));
    tcase_add_loop_test(tcase, nobody_elses_memory_is_moved, 0, (int)ARRAY_COUNT(following));
    tcase_add_loop_test(tcase, nobody_is_promised_what_cannot_be_given, 0,
                        (int)ARRAY_COUNT(promises));
    tcase_add_test(tcase, a_pin_has_a_time);
    tcase_add_loop_test(tcase, a_debt_is_somebodys, 0, (int)ARRAY_COUNT(keepings));
    tcase_add_test(tcase, nobody_claims_no_process);
    tcase_add_test(tcase, bytes_that_have_no_room_are_not_believed);
    tcase_add_loop_test(tcase, nothing_is_sent_that_was_not_added, 0, (int)ARRAY_COUNT(sendings));
    tcase_add_test(tcase, a_reply_is_to_a_call);
    suite_add_tcase(suite, tcase);
    return suite_finish(suite);
}
