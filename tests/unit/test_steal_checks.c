/* SPDX-License-Identifier: BSD-3-Clause */
/* Each check of a peer and of a deque fails when what it checks is broken, and it alone is named;
 * what becomes of the process then. */
#include "tests/lib/lone.h"
#include "tests/lib/suite.h"

#include "libjuggle/steal/protocol/actions.h"
#include "libjuggle/steal/protocol/peer_check.h"
#include "libjuggle/steal/runtime/rebalance.h"
#include "tools/steal-sim/network.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 7, SELF = 1, CAPACITY = 4 };

static void expect_named(const struct fault *fault, const char *check)
{
    ck_assert_msg(fault_text(fault), "nothing was found out instead of %s", check);
    ck_assert_msg(strstr(fault_text(fault), check), "%s is not of %s", fault_text(fault), check);
}

/* ---- a peer -------------------------------------------------------------------------------- */

static struct peer whole(void)
{
    static struct change changes[COUNTS_MAX];
    static int32_t open[RANKS];

    return (struct peer){.counts = {.change = changes, .open = open},
                         .phase = PEER_RUNNING,
                         .idle = true,
                         .rank = SELF,
                         .ranks = RANKS,
                         .termination = &finish_counting};
}

struct peer_breakage {
    const char *check;
    void (*apply)(struct peer *peer, struct steal_plan *plan);
};

#define PEER_BREAKAGE(name, statement)                           \
    static void name(struct peer *peer, struct steal_plan *plan) \
    {                                                            \
        struct lifelines *const lifelines = &peer->lifelines;    \
        (void)plan, (void)lifelines;                             \
        statement;                                               \
    }

PEER_BREAKAGE(plan_count, plan->count = PLAN_MAX + 1)
PEER_BREAKAGE(phase, peer->phase = (enum peer_phase)4)
PEER_BREAKAGE(quiet_asks, peer->phase = PEER_QUIET; peer->asking = true)
PEER_BREAKAGE(done_busy, peer->phase = PEER_DONE; peer->idle = false)
PEER_BREAKAGE(holds_yet, peer->phase = PEER_FINISHING; peer->holds = true)
PEER_BREAKAGE(echoes, peer->wave.echoes = 3)
PEER_BREAKAGE(changes, peer->counts.changes = COUNTS_MAX + 1)
PEER_BREAKAGE(ranks_open, peer->counts.ranks_open = -1)
PEER_BREAKAGE(children, peer->children_quiet = 3)
PEER_BREAKAGE(lifelines_count, lifelines->count = LIFELINES_MAX + 1)
PEER_BREAKAGE(lifelines_next, lifelines->next = 1)
PEER_BREAKAGE(lifelines_asked, lifelines->asked = 1)
PEER_BREAKAGE(waiting_few, lifelines->waiting_count = -1)
PEER_BREAKAGE(waiting_many, lifelines->waiting_count = LIFELINES_MAX + 1)
PEER_BREAKAGE(left, peer->left = -1)
PEER_BREAKAGE(wishes, peer->wishes = 4)
PEER_BREAKAGE(canceler, peer->canceler = RANKS)
/* Steps that must not be taken. */
PEER_BREAKAGE(too_many_actions, plan->count = PLAN_MAX;
              peer_send(peer, plan, 0, MESSAGE_REQUEST, 0, 0))
PEER_BREAKAGE(one_too_many_waits, lifelines->waiting_count = LIFELINES_MAX;
              lifelines_remember(lifelines, 0, &peer->fault))
PEER_BREAKAGE(asks_itself, lifelines->count = 1; lifelines->to[0] = SELF;
              peer_step(peer, &(struct peer_event){.kind = PEER_DRY}, plan))
PEER_BREAKAGE(too_many_receivers, peer->counts.changes = COUNTS_MAX;
              peer_gave(peer, &(struct message){.peer = RANKS, .kind = MESSAGE_SEED}, 1))
PEER_BREAKAGE(too_many_changes, peer->counts.changes = COUNTS_MAX;
              peer_step(peer, &(struct peer_event){.kind = PEER_FREED}, plan))
PEER_BREAKAGE(a_rank_beyond, peer->rank = 0;
              peer_step(peer,
                        &(struct peer_event){.kind = PEER_MESSAGE,
                                             .message = {.kind = MESSAGE_COUNTS, .count = 1},
                                             .change = &(struct change){RANKS, 1}},
                        plan))

static const struct peer_breakage peer_breakages[] = {
    {"plan->count <= PLAN_MAX", plan_count},
    {"peer->phase <= PEER_DONE", phase},
    {"!peer->asking", quiet_asks},
    {"peer->idle", done_busy},
    {"!peer->holds", holds_yet},
    {"wave.echoes", echoes},
    {"changes <= COUNTS_MAX", changes},
    {"ranks_open >= 0", ranks_open},
    {"children_quiet", children},
    {"lifelines->count", lifelines_count},
    {"lifelines->next", lifelines_next},
    {"lifelines->asked", lifelines_asked},
    {"waiting_count >= 0", waiting_few},
    {"waiting_count <= LIFELINES_MAX", waiting_many},
    {"peer->left >= 0", left},
    {"peer->wishes", wishes},
    {"peer->canceler", canceler},
    {"plan->count < PLAN_MAX", too_many_actions},
    {"waiting_count < LIFELINES_MAX", one_too_many_waits},
    {"victim != peer->rank", asks_itself},
    {"at < COUNTS_MAX", too_many_receivers},
    {"counts->changes < COUNTS_MAX", too_many_changes},
    {"rank < peer->ranks", a_rank_beyond},
};

START_TEST(a_broken_peer_is_found_out)
{
    const struct peer_breakage *breakage = &peer_breakages[_i];
    struct steal_plan plan = {0};
    struct peer peer = whole();

    ck_assert(peer_check(&peer, &plan));
    breakage->apply(&peer, &plan);
    ck_assert(!peer_check(&peer, &plan));
    expect_named(&peer.fault, breakage->check);
}
END_TEST

/* ---- a deque ------------------------------------------------------------------------------- */

static uint64_t taken[4 * CAPACITY];
static struct deque_claim claim;

struct deque_breakage {
    const char *check;
    void (*apply)(struct deque *deque);
};

#define DEQUE_BREAKAGE(name, statement)   \
    static void name(struct deque *deque) \
    {                                     \
        statement;                        \
    }

DEQUE_BREAKAGE(head_far, deque->head += 100; ck_assert_ptr_null(deque_reserve(deque, 1)))
DEQUE_BREAKAGE(commits_more, deque_commit(deque, CAPACITY + 1))
DEQUE_BREAKAGE(pops_more, deque->head += 100; ck_assert_uint_eq(deque_pop(deque, taken, 9), 0))
DEQUE_BREAKAGE(head_back, deque->head -= 3; ck_assert_uint_eq(deque_pop(deque, taken, 9), 0))
DEQUE_BREAKAGE(releases_beyond, deque->head -= 3; deque_release(deque, 1))
DEQUE_BREAKAGE(split_elsewhere, deque->split++; deque_release(deque, 1))
DEQUE_BREAKAGE(takes_back_too_much, deque->head = deque->split;
               atomic_store(&deque->tail.bounds,
                            (uint64_t)deque->split << 32 | (deque->split - 50));
               deque_share(deque, 1))
DEQUE_BREAKAGE(completed_too_much, atomic_fetch_add(&deque->tail.itail, 3);
               ck_assert_ptr_null(deque_reserve(deque, CAPACITY)))
DEQUE_BREAKAGE(claims_beyond, atomic_fetch_add(&deque->tail.bounds, 2);
               ck_assert_uint_eq(deque_claim(&deque->tail, 9, &claim), 0))
DEQUE_BREAKAGE(copies_too_much, claim.count = CAPACITY + 1;
               ck_assert(!deque_copy(&deque->tail, &claim, taken)))
DEQUE_BREAKAGE(copies_from_nowhere, struct deque_ring *ring = deque->tail.ring;
               deque->tail.ring = NULL; ck_assert(!deque_copy(&deque->tail, &claim, taken));
               deque->tail.ring = ring)

static const struct deque_breakage deque_breakages[] = {
    {"held(deque) <= deque->capacity", head_far},
    {"count <= deque->capacity - held(deque)", commits_more},
    {"local_count(deque) <= deque->capacity", pops_more},
    {"local_count(deque) <= deque->capacity", head_back},
    {"local_count(deque) <= deque->capacity", releases_beyond},
    {"bounds_split(bounds) == deque->split", split_elsewhere},
    {"bounds_count(bounds) <= deque->capacity", takes_back_too_much},
    {"bounds_stail(bounds) - itail <= deque->capacity", completed_too_much},
    {"bounds_count(bounds) <= DEQUE_CAPACITY_MAX", claims_beyond},
    {"claim->count <= ring->capacity", copies_too_much},
    {"ring != NULL", copies_from_nowhere},
};

/* Of CAPACITY slots: one task is shared, two are the owner's. */
START_TEST(a_broken_deque_is_found_out)
{
    const struct deque_breakage *breakage = &deque_breakages[_i];
    struct deque deque;

    deque_init(&deque, sizeof(uint64_t), CAPACITY, CAPACITY * sizeof(uint64_t));
    ck_assert_ptr_nonnull(deque_reserve(&deque, 3));
    deque_commit(&deque, 3);
    deque_release(&deque, 1);
    ck_assert_ptr_null(fault_text(&deque.tail.fault));
    breakage->apply(&deque);
    expect_named(&deque.tail.fault, breakage->check);
    deque_close(&deque);
}
END_TEST

/* ---- a process ----------------------------------------------------------------------------- */

static void break_deque(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks, (void)count;
    lone.collection->worker_tasks[0].deque.head += 1 << 20;
}

static void break_peer(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks, (void)count;
    lone.collection->peer.canceler = -1;
}

static void lose_tier(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks, (void)count;
    memset(lone.collection->worker_tasks[0].tiers.occupied, 0, TIER_WORDS * sizeof(uint64_t));
}

/* From itself, in the next turn. */
static void hear(enum message_kind kind)
{
    struct transport *transport = lone.runtime->transport;
    int rank;
    const struct message message = {.kind = kind, .count = 1, .epoch = lone.collection->peer.epoch};

    ck_assert_int_eq(transport->ops->send(transport, &message, 0), 0);
    ck_assert_int_eq(network_next(lone.network, &rank), 1);
}

static void hear_result(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks, (void)count;
    hear(MESSAGE_RESULT);
}

static void hear_taken(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks, (void)count;
    hear(MESSAGE_TAKEN);
}

static void hear_counters(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks, (void)count;
    hear(MESSAGE_COUNTERS);
}

static void expect_failure(struct steal_properties properties, steal_exec *exec, const char *check)
{
    lone_open_function(properties, NULL, exec);
    lone_add(1);
    lone_add(2);
    ck_assert_int_eq(steal_process(lone.collection), -EPROTO);
    lone_expect_message(": libjuggle/steal/");
    lone_expect_message(check);
    ck_assert_int_eq(steal_process(lone.collection), -EPROTO);
    lone_expect_message("nothing can be processed");
    ck_assert_int_eq(steal_rebalance(lone.collection, NULL), -EPROTO);
    lone_expect_message("nothing can be processed");
    lone_close();
}

START_TEST(a_process_ends_with_the_check_that_failed)
{
    const struct steal_properties plain = {0};

    expect_failure(plain, break_deque, "local_count(deque) <= deque->capacity");
    expect_failure(plain, break_peer, "peer->canceler >= 0");
    expect_failure((struct steal_properties){.retain = STEAL_RETENTION_ALL}, break_peer,
                   "peer->canceler >= 0");
    expect_failure((struct steal_properties){.weighted = 1}, lose_tier,
                   "deque_count(&tiers->deque[tier]) == 0");
    expect_failure(plain, hear_result, "results != NULL");
    expect_failure(plain, hear_taken, "results->under_way > 0");
    expect_failure(plain, hear_counters, "collection->waiting != NULL");
}
END_TEST

/* One that it counts and does not have. */
static void count_another(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks, (void)count;
    lone.collection->waiting->counters++;
    ck_assert_int_eq(steal_stop(lone.collection), 0);
}

START_TEST(a_checkpoint_that_lacks_something_is_not_written)
{
    char path[] = "/tmp/test_steal_checks.XXXXXXfile";
    const struct steal_checkpoint settings = {.size = sizeof(settings), .path = path};

    close(mkstemps(path, sizeof("file") - 1));
    unlink(path);
    lone_open_function((struct steal_properties){.waiting = 1}, NULL, count_another);
    ck_assert_int_eq(steal_checkpoint(lone.collection, &settings), 0);
    lone_add(1);
    lone_add(2);
    ck_assert_int_eq(steal_process(lone.collection), -EPROTO);
    lone_expect_message("written == saving->own[saving->part]");
    ck_assert_int_ne(access(path, F_OK), 0);
    lone.collection->waiting->counters = 0;
    lone_close();
}
END_TEST

START_TEST(a_task_that_balancing_loses_is_missed)
{
    const struct steal_balance settings = {
        .size = sizeof(settings), .arity = 3, .donate_above = 1, .fill_below = 1};
    struct rebalance *rebalance;

    lone_open((struct steal_properties){.retain = STEAL_RETENTION_ALL});
    lone_add(1);
    lone_add(2);
    ck_assert_int_eq(rebalance_open(lone.collection, &settings, &rebalance), 0);
    rebalance_begin(rebalance);
    while (!rebalance_over(rebalance))
        ck_assert_int_ge(rebalance_turn(rebalance), 0);
    lone.collection->worker_tasks[0].deque.head--;
    ck_assert_int_eq(rebalance_end(rebalance), -EPROTO);
    lone_expect_message("held + rebalance->departures == rebalance->held + rebalance->arrivals");
    ck_assert_int_eq(steal_process(lone.collection), -EPROTO);
    lone_expect_message("nothing can be processed");
    lone_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("steal checks");
    TCase *tcase = tcase_create("steal checks");

    tcase_add_loop_test(tcase, a_broken_peer_is_found_out, 0, (int)ARRAY_COUNT(peer_breakages));
    tcase_add_loop_test(tcase, a_broken_deque_is_found_out, 0, (int)ARRAY_COUNT(deque_breakages));
    tcase_add_test(tcase, a_process_ends_with_the_check_that_failed);
    tcase_add_test(tcase, a_checkpoint_that_lacks_something_is_not_written);
    tcase_add_test(tcase, a_task_that_balancing_loses_is_missed);
    suite_add_tcase(suite, tcase);
    return suite_finish(suite);
}
