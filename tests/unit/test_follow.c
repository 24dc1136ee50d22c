/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/chance.h"

#include "libjuggle/job/follow.h"

#include <errno.h>
#include <string.h>

enum { SLOTS = 4, PROCESS = 10, OTHER = 20 };

static struct moves {
    int count, processor, answer;
    pid_t pid;
} moves;

static struct follow *follow;

static int note_move(void *context, pid_t pid, int processor, int64_t now_ns)
{
    struct moves *noted = context;

    (void)now_ns;
    noted->count++;
    noted->pid = pid;
    noted->processor = processor;
    return noted->answer;
}

static void setup(void)
{
    const struct follow_port port = {note_move, &moves};

    ck_assert_int_eq(follow_create(SLOTS, &port, &follow), 0);
    follow_arrived(follow, 0, PROCESS);
    follow_arrived(follow, 1, PROCESS);
    follow_arrived(follow, 2, OTHER);
}

/* Two threads of a process and one of another are seen on these nodes at a time in seconds. Each
 * node has two processors. */
static void look(int first, int second, int other, int at_s)
{
    const int nodes[] = {first, second, other};

    for (int slot = 0; slot < 3; slot++)
        follow_see(follow, slot, 2 * nodes[slot] + slot % 2, nodes[slot], at_s * NSEC_PER_SEC);
    follow_decide(follow, at_s * NSEC_PER_SEC);
}

START_TEST(memory_is_gathered_once_where_its_process_stays)
{
    setup();
    for (int at_s = 0; at_s < 10; at_s++)
        look(0, 0, 0, at_s);
    ck_assert_int_eq(moves.count, 2);
    follow_destroy(follow);
}

START_TEST(memory_follows_once_all_threads_have_settled)
{
    setup();
    follow_left(follow, 2);
    look(1, 0, 0, 0);
    look(1, 0, 0, 5);
    ck_assert_int_eq(moves.count, 0);
    look(1, 1, 0, 6);
    look(1, 1, 0, 7);
    ck_assert_int_eq(moves.count, 0);
    look(1, 1, 0, 8);
    ck_assert_int_eq(moves.count, 1);
    ck_assert_int_eq(moves.pid, PROCESS);
    ck_assert_int_eq(moves.processor / 2, 1);
    look(1, 1, 0, 12);
    ck_assert_int_eq(moves.count, 1);
    follow_destroy(follow);
}

START_TEST(who_goes_to_and_fro_has_not_settled)
{
    setup();
    for (int at_s = 0; at_s < 20; at_s++)
        look(at_s % 2, at_s % 2, at_s % 2, at_s);
    ck_assert_int_eq(moves.count, 0);
    follow_destroy(follow);
}

START_TEST(what_is_over_the_bound_is_asked_again)
{
    setup();
    follow_left(follow, 0);
    follow_left(follow, 1);
    moves.answer = -EAGAIN;
    look(0, 0, 1, 0);
    look(0, 0, 1, 3);
    look(0, 0, 1, 4);
    ck_assert_int_eq(moves.count, 2);
    moves.answer = 0;
    look(0, 0, 1, 5);
    look(0, 0, 1, 6);
    ck_assert_int_eq(moves.count, 3);
    ck_assert_int_eq(moves.pid, OTHER);
    follow_destroy(follow);
}

START_TEST(threads_that_left_do_not_count)
{
    setup();
    follow_left(follow, 1);
    follow_left(follow, 2);
    look(1, 0, 0, 0);
    look(1, 0, 0, 3);
    ck_assert_int_eq(moves.count, 1);
    follow_destroy(follow);
}

/* ---- random events ---- */

enum { LIVES_THREADS = 6, LIVES_PIDS = 2, NODES = 3, NOWHERE = -1 };

#define TURN_NS (NSEC_PER_SEC / 4)

static struct {
    int64_t now_ns;
    struct {
        pid_t pid; /* 0: none */
        int node;
        int64_t since_ns;
    } threads[LIVES_THREADS];
    int memory_node[LIVES_PIDS + 1]; /* by process */
    bool busy;                       /* no memory can be moved */
} lives;

/* Returns the node on which all threads of the process have been for long, or NOWHERE if there
 * is none. */
static int settled_node(pid_t pid)
{
    int node = NOWHERE;

    for (int i = 0; i < LIVES_THREADS; i++) {
        if (lives.threads[i].pid != pid)
            continue;
        if (lives.now_ns - lives.threads[i].since_ns < FOLLOW_SETTLED_NS ||
            (node != NOWHERE && node != lives.threads[i].node))
            return NOWHERE;
        node = lives.threads[i].node;
    }
    return node;
}

/* Processors are numbered like their nodes here. */
static int lives_move(void *context, pid_t pid, int processor, int64_t at_ns)
{
    (void)context;
    ALWAYS(at_ns == lives.now_ns && processor == settled_node(pid));
    if (lives.busy)
        return -EAGAIN;
    lives.memory_node[pid] = processor;
    return 0;
}

static void come_or_go(int index)
{
    pid_t *pid = &lives.threads[index].pid;

    if (*pid) {
        follow_left(follow, index);
        *pid = 0;
        return;
    }
    *pid = (pid_t)between(1, LIVES_PIDS);
    lives.threads[index].node = NOWHERE;
    follow_arrived(follow, index, *pid);
}

static void live_on_nodes(void)
{
    const struct follow_port port = {.move = lives_move};

    memset(&lives, 0, sizeof(lives));
    ck_assert_int_eq(follow_create(LIVES_THREADS, &port, &follow), 0);
    for (int turn = 0; turn < 300; turn++) {
        lives.now_ns += TURN_NS;
        lives.busy = one_in(4);
        if (one_in(8))
            come_or_go((int)below(LIVES_THREADS));
        const int home = one_in(20) ? (int)below(NODES) : NOWHERE;
        for (int i = 0; i < LIVES_THREADS; i++) {
            const int before = lives.threads[i].node;
            const int node = home != NOWHERE                    ? home
                             : before == NOWHERE || one_in(100) ? (int)below(NODES)
                                                                : before;
            if (!lives.threads[i].pid)
                continue;
            if (node != lives.threads[i].node)
                lives.threads[i].since_ns = lives.now_ns;
            lives.threads[i].node = node;
            follow_see(follow, i, node, node, lives.now_ns);
        }
        follow_decide(follow, lives.now_ns);
        for (pid_t pid = 1; pid <= LIVES_PIDS && !lives.busy; pid++)
            ALWAYS(settled_node(pid) == NOWHERE || settled_node(pid) == lives.memory_node[pid]);
        ALWAYS(!follow_fault(follow));
    }
    follow_destroy(follow);
}

START_TEST(memory_is_where_its_process_has_settled)
{
    live_with_seeds(1000, live_on_nodes);
}

SUITE("follow")
