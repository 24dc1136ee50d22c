/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables say which thread and which memory belongs to whom. Each invalid call is detected,
 * changes nothing, and is named, so no foreign thread or memory is touched because of it. */
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

/* ---- threads that were found ---- */

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
    expect_fault(roster_fault(roster), NULL);
    ck_assert_int_eq(roster_see(roster, &nobody, &listener), -EINVAL);
    ck_assert_int_eq(changes_count, 1);
    expect_fault(roster_fault(roster), "info->id.tid > 0");
    roster_destroy(roster);
}

/* ---- threads that work ---- */

static const char *work_wrong(struct workers *workers, int which)
{
    BREAKAGE("!candidate->present", workers_arrived(workers, 0, &somebody, 0, 0));
    BREAKAGE("index < workers->threads_max", workers_arrived(workers, ROOM, &somebody, 0, 0));
    BREAKAGE("index >= 0", workers_exited(workers, -1));
    BREAKAGE("index < workers->threads_max", workers_refuse(workers, ROOM));
    return NULL;
}

START_TEST(workers_are_those_that_came)
{
    const struct workers_options options = {.idle = WORKERS_IDLE_AUTO, .threads_max = ROOM};
    const char *check;
    int which = 0;

    do {
        struct workers *workers;
        ck_assert_int_eq(workers_create(&options, &workers), 0);
        workers_arrived(workers, 0, &somebody, 0, 0);
        check = work_wrong(workers, which++);
        expect_fault(workers_fault(workers), check);
        ck_assert_int_eq(workers_named(workers), 1);
        workers_destroy(workers);
    } while (check);
}

/* ---- threads that are reported ---- */

/* More threads join than can be balanced. */
static void join_beyond(struct members *members)
{
    struct thread_info other = somebody;

    for (int i = 1; i <= ROOM; i++) {
        other.id.tid += i;
        members_join(members, &other, MEMBER_NONE);
    }
}

static const char *tell_wrong(struct members *members, int which)
{
    const struct thread_view view = {.run_ns = NSEC_PER_SEC};

    BREAKAGE("members->list[index].state == MEMBER_BALANCED",
             members_leave(members, 0, MEMBER_ENDED);
             members_leave(members, 0, MEMBER_ENDED));
    BREAKAGE("state != MEMBER_BALANCED", members_leave(members, 0, MEMBER_BALANCED));
    BREAKAGE("index < members->limit", members_leave(members, ROOM, MEMBER_LEFT));
    BREAKAGE("member->state == MEMBER_BALANCED", members_leave(members, 0, MEMBER_ENDED);
             members_update(members, 0, &view, 1));
    BREAKAGE("index < members->limit", members_update(members, 1, &view, 1));
    BREAKAGE("i < members->max", join_beyond(members));
    return NULL;
}

START_TEST(members_leave_once_and_are_seen_before)
{
    const char *check;
    int which = 0;

    do {
        struct members *members;
        ck_assert_int_eq(members_create(ROOM, &members), 0);
        ck_assert_int_eq(members_join(members, &somebody, MEMBER_NONE), 0);
        check = tell_wrong(members, which++);
        expect_fault(members_fault(members), check);
        members_destroy(members);
    } while (check);
}

/* ---- processes whose memory follows ---- */

static int move_count(void *context, pid_t pid, int processor, int64_t now_ns)
{
    (void)pid, (void)processor, (void)now_ns;
    ++*(int *)context;
    return 0;
}

static const char *follow_wrong(struct follow *follow, int which)
{
    BREAKAGE("pid > 0", follow_arrived(follow, 1, 0));
    BREAKAGE("!follow->tenants[index].pid", follow_arrived(follow, 0, PROCESS + 1));
    BREAKAGE("index >= 0", follow_arrived(follow, -1, PROCESS));
    BREAKAGE("index < follow->threads_max", follow_left(follow, ROOM));
    BREAKAGE("index < follow->threads_max", follow_see(follow, ROOM, 0, 1, 0));
    BREAKAGE("processor >= 0", follow_see(follow, 0, -1, 1, 0));
    return NULL;
}

START_TEST(nobody_elses_memory_is_moved)
{
    int moves_count = 0;
    const struct follow_port port = {move_count, &moves_count};
    const char *check;
    int which = 0;

    do {
        struct follow *follow;
        ck_assert_int_eq(follow_create(ROOM, &port, &follow), 0);
        follow_arrived(follow, 0, PROCESS);
        check = follow_wrong(follow, which++);
        expect_fault(follow_fault(follow), check);
        follow_decide(follow, 100 * NSEC_PER_SEC);
        ck_assert_int_eq(moves_count, 0);
        follow_destroy(follow);
    } while (check);
}

/* ---- masks that are owed ---- */

START_TEST(a_pin_has_a_time)
{
    struct mask_table *table;

    ck_assert_int_eq(mask_table_create(ROOM, -1, &table), 0);
    mask_table_note_pin(table, MASK_ROWS_PROCESSES, 0, 7);
    expect_fault(mask_table_fault(table), NULL);
    mask_table_note_pin(table, MASK_ROWS_PROCESSES, 1, 0);
    expect_fault(mask_table_fault(table), "ticks > 0");
    ck_assert_uint_eq(mask_table_pinned_since(table, MASK_ROWS_PROCESSES, 0), 7);
    mask_table_destroy(table);
}

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
    struct mask_table *table;
    struct debts *debts;
    struct cpu_mask mask;

    cpu_mask_clear(&mask);
    cpu_mask_add(&mask, 0);
    for (int i = 0; i < (int)ARRAY_COUNT(keepings); i++) {
        ck_assert_int_eq(mask_table_create(ROOM, -1, &table), 0);
        ck_assert_int_eq(debts_create(-1, table, &debts), 0);
        ck_assert_int_eq(debts_keep(debts, keepings[i].slot, &keepings[i].id, &mask), -EINVAL);
        expect_fault(debts_fault(debts), keepings[i].check);
        debts_destroy(debts);
        mask_table_destroy(table);
    }
}

START_TEST(nobody_claims_no_process)
{
    struct claims *claims;
    struct claim other;

    ck_assert_int_eq(claims_create(-1, 1, NULL, &claims), 0);
    ck_assert_int_eq(claims_take(claims, 0, &other), -EINVAL);
    expect_fault(claims_fault(claims), "pid > 0");
    claims_destroy(claims);
}

/* ---- bytes from and to clients ---- */

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

static const char *send_wrong(struct outbox *outbox, json_t *message, int which)
{
    BREAKAGE("size <= outbox->end - outbox->begin", outbox_sent(outbox, outbox->end + 1));
    BREAKAGE("outbox->begin <= outbox->end", outbox->begin = outbox->end + 1;
             outbox_sent(outbox, 1));
    BREAKAGE("outbox->end <= outbox->room", outbox->end = outbox->room + 1;
             ck_assert_int_eq(outbox_add(outbox, message), -EPROTO));
    BREAKAGE("outbox->end <= outbox->size_max", outbox->size_max = outbox->end - 1;
             ck_assert_int_eq(outbox_add(outbox, message), -EPROTO));
    return NULL;
}

START_TEST(nothing_is_sent_that_was_not_added)
{
    json_t *message = json_object();
    const char *check;
    int which = 0;

    do {
        struct outbox outbox = {.size_max = 64};
        ck_assert_int_eq(outbox_add(&outbox, message), 0);
        check = send_wrong(&outbox, message, which++);
        expect_fault(fault_text(&outbox.fault), check);
        outbox_release(&outbox);
    } while (check);
    json_decref(message);
}

START_TEST(a_reply_is_to_a_call)
{
    const struct connection_limits limits = {64, 64, 1, 1, NSEC_PER_SEC, NSEC_PER_SEC};
    struct connection *connection;
    size_t size;

    ck_assert_int_eq(connection_create(&limits, 0, &connection), 0);
    expect_fault(connection_fault(connection), NULL);
    ck_assert_int_eq(connection_send(connection, reply_make(NULL), false, 0), -EPROTO);
    expect_fault(connection_fault(connection), "connection->answering");
    ck_assert_ptr_null(connection_pending(connection, &size));
    connection_destroy(connection);
}

SUITE("tables")
