/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/chance.h"
#include "tests/lib/rosters.h"

#include "libjuggle/job/roster.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { THREADS_MAX = 4 };

/* The changes that the listener was told since the last look, for example "+7 -8 =9 ". */
struct heard {
    char text[256];
    int index; /* of the last change */
};

static struct roster *roster;
static struct heard heard;

static void changed(void *context, enum roster_change change, int index,
                    const struct thread_info *info)
{
    static const char signs[] = {
        [ROSTER_ARRIVED] = '+', [ROSTER_EXITED] = '-', [ROSTER_RENAMED] = '='};
    struct heard *told = context;
    size_t length = strlen(told->text);

    told->index = index;
    snprintf(told->text + length, sizeof(told->text) - length, "%c%d ", signs[change],
             info->id.tid);
}

static const struct roster_listener listener = {.changed = changed, .context = &heard};

static int see(pid_t tid, uint64_t start_ticks, const char *comm)
{
    struct thread_info info = {.id = {1, tid, start_ticks}};

    strcpy(info.comm.untrusted, comm);
    return roster_see(roster, &info, &listener);
}

static void look(void)
{
    heard = (struct heard){0};
    roster_begin(roster);
}

static void look_ends(const char *expected, int changes_count)
{
    ck_assert_int_eq(roster_end(roster, &listener), changes_count);
    ck_assert_str_eq(heard.text, expected);
}

static void begin_with(pid_t first, pid_t second)
{
    ck_assert_int_eq(roster_create(THREADS_MAX, &roster), 0);
    look();
    ck_assert_int_eq(see(first, 1, "a"), 0);
    ck_assert_int_eq(see(second, 1, "a"), 0);
    ck_assert_int_eq(roster_end(roster, &listener), 2);
}

START_TEST(a_quiet_look_tells_nothing)
{
    begin_with(7, 8);
    look();
    ck_assert_int_eq(see(8, 1, "a"), 0);
    ck_assert_int_eq(see(7, 1, "a"), 0);
    look_ends("", 0);
    ck_assert_int_eq(roster_count(roster), 2);
    roster_destroy(roster);
}

START_TEST(those_not_seen_have_exited)
{
    begin_with(7, 8);
    look();
    ck_assert_int_eq(see(8, 1, "a"), 0);
    look_ends("-7 ", 1);
    ck_assert_int_eq(roster_index(roster, 7), -1);
    ck_assert_int_eq(roster_index(roster, 8), 1);
    ck_assert_ptr_null(roster_thread(roster, 0));
    ck_assert_int_eq(roster_thread(roster, 1)->id.tid, 8);
    look();
    look_ends("-8 ", 1);
    ck_assert_int_eq(roster_limit(roster), 0);
    roster_destroy(roster);
}

START_TEST(a_number_that_is_used_again_is_another_thread)
{
    begin_with(7, 8);
    look();
    ck_assert_int_eq(see(7, 2, "a"), 0);
    ck_assert_int_eq(see(8, 1, "a"), 0);
    look_ends("-7 +7 ", 2);
    ck_assert_uint_eq(roster_thread(roster, roster_index(roster, 7))->id.start_ticks, 2);
    roster_destroy(roster);
}

START_TEST(a_new_name_is_told_once)
{
    begin_with(7, 8);
    look();
    ck_assert_int_eq(see(7, 1, "b"), 0);
    ck_assert_int_eq(see(8, 1, "a"), 0);
    look_ends("=7 ", 1);
    ck_assert_str_eq(roster_thread(roster, heard.index)->comm.untrusted, "b");
    roster_destroy(roster);
}

START_TEST(an_index_stays_while_its_thread_lives)
{
    /* Thread IDs that fall into one bucket. */
    begin_with(4, 8);
    look();
    ck_assert_int_eq(see(8, 1, "a"), 0);
    ck_assert_int_eq(see(12, 1, "a"), 0);
    ck_assert_int_eq(see(16, 1, "a"), 0);
    look_ends("+12 +16 -4 ", 3);
    look();
    ck_assert_int_eq(see(20, 1, "a"), 0);
    ck_assert_int_eq(see(8, 1, "a"), 0);
    look_ends("+20 -16 -12 ", 3);
    ck_assert_int_eq(roster_index(roster, 8), 1);
    ck_assert_int_eq(roster_index(roster, 20), 0);
    roster_destroy(roster);
}

START_TEST(a_full_roster_keeps_those_that_it_has)
{
    begin_with(1, 2);
    look();
    for (pid_t tid = 1; tid <= THREADS_MAX; tid++)
        ck_assert_int_eq(see(tid, 1, "a"), 0);
    ck_assert_int_eq(see(5, 1, "a"), -ENOSPC);
    ck_assert_int_eq(see(2, 1, "a"), 0);
    look_ends("+3 +4 ", 2);
    /* One thread leaves, and the thread that was refused gets its place. */
    look();
    ck_assert_int_eq(see(1, 1, "a"), 0);
    ck_assert_int_eq(see(5, 1, "a"), -ENOSPC);
    look_ends("-4 -3 -2 ", 3);
    look();
    ck_assert_int_eq(see(1, 1, "a"), 0);
    ck_assert_int_eq(see(5, 1, "a"), 0);
    look_ends("+5 ", 1);
    roster_destroy(roster);
}

/* ---- random events ---- */

enum { TIDS = 12, ROOM = 8 };

/* The threads that are there by what the listener was told, by index. */
static struct thread_id known[ROOM];
static int told_count;

static void told(void *context, enum roster_change change, int index,
                 const struct thread_info *info)
{
    (void)context;
    told_count++;
    ALWAYS(index >= 0 && index < ROOM);
    ALWAYS((change == ROSTER_ARRIVED) == (known[index].tid == 0));
    ALWAYS(change == ROSTER_ARRIVED || thread_id_equal(&known[index], &info->id));
    known[index] = change == ROSTER_EXITED ? (struct thread_id){0} : info->id;
}

/* Checks that as many threads as fit are known, each once, at the index that was told. */
static void check_known(const struct thread_id *seen, int seen_count)
{
    int found_count = 0, known_count = 0;

    for (int index = 0; index < ROOM; index++) {
        const struct thread_info *info = roster_thread(roster, index);
        ALWAYS((info != NULL) == (known[index].tid != 0));
        ALWAYS(!info || thread_id_equal(&info->id, &known[index]));
        ALWAYS(!info || index < roster_limit(roster));
        known_count += info != NULL;
        for (int i = 0; i < seen_count; i++)
            found_count += info && thread_id_equal(&info->id, &seen[i]);
    }
    ALWAYS(found_count == known_count && known_count == roster_count(roster));
}

static void look_at_anything(void)
{
    const struct roster_listener teller = {.changed = told};
    struct thread_id seen[TIDS];

    memset(known, 0, sizeof(known));
    ck_assert_int_eq(roster_create(ROOM, &roster), 0);
    for (int i = 0; i < 40; i++) {
        const int64_t absent = between(1, 6);
        int seen_count = 0;

        told_count = 0;
        roster_begin(roster);
        for (int tid = 1; tid <= TIDS; tid++) {
            struct thread_info info = {.id = {1, tid, (uint64_t)below(2)}};
            info.comm.untrusted[0] = (char)between('a', 'b');
            if (below(6) < absent)
                continue;
            if (!roster_see(roster, &info, &teller))
                seen[seen_count++] = info.id;
        }
        ALWAYS(roster_end(roster, &teller) == told_count);
        check_known(seen, seen_count);
        ALWAYS(roster_count(roster) == seen_count && !roster_fault(roster));
    }
    roster_destroy(roster);
}

START_TEST(whoever_comes_and_goes_has_an_index_of_its_own)
{
    live_with_seeds(2000, look_at_anything);
}

SUITE("roster")
