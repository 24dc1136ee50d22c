/* SPDX-License-Identifier: BSD-3-Clause */
/* Breaks what each check of a peer and of a deque checks: that check fails, and it alone is
 * named; then tests what happens to the process. */
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

/* ---- a peer -------------------------------------------------------------------------------- */

static struct peer whole(void)
{
    static struct change changes[COUNTS_MAX];
    static int32_t count_of_rank[RANKS];

    return (struct peer){.counts = {.change = changes, .count_of_rank = count_of_rank},
                         .phase = PEER_RUNNING,
                         .idle = true,
                         .rank = SELF,
                         .ranks = RANKS,
                         .termination = &finish_counting};
}

static const char *break_peer_state(struct peer *peer, struct steal_plan *plan, int which)
{
    struct lifelines *lifelines = &peer->lifelines;

    BREAKAGE("plan->count <= PLAN_MAX", plan->count = PLAN_MAX + 1);
    BREAKAGE("peer->phase <= PEER_DONE", peer->phase = (enum peer_phase)4);
    BREAKAGE("!peer->asking", peer->phase = PEER_QUIET; peer->asking = true);
    BREAKAGE("peer->idle", peer->phase = PEER_DONE; peer->idle = false);
    BREAKAGE("!peer->results_pending", peer->phase = PEER_FINISHING; peer->results_pending = true);
    BREAKAGE("wave.echoes", peer->wave.echoes = 3);
    BREAKAGE("changes <= COUNTS_MAX", peer->counts.changes = COUNTS_MAX + 1);
    BREAKAGE("counts_not_zero >= 0", peer->counts.counts_not_zero = -1);
    BREAKAGE("children_quiet", peer->children_quiet = 3);
    BREAKAGE("lifelines->count", lifelines->count = LIFELINES_MAX + 1);
    BREAKAGE("lifelines->next", lifelines->next = 1);
    BREAKAGE("lifelines->asked", lifelines->asked = 1);
    BREAKAGE("waiting_count >= 0", lifelines->waiting_count = -1);
    BREAKAGE("waiting_count <= LIFELINES_MAX", lifelines->waiting_count = LIFELINES_MAX + 1);
    BREAKAGE("peer->left >= 0", peer->left = -1);
    BREAKAGE("peer->pause_reasons", peer->pause_reasons = 4);
    BREAKAGE("peer->canceler", peer->canceler = RANKS);
    /* Forbidden steps. */
    BREAKAGE("plan->count < PLAN_MAX", plan->count = PLAN_MAX;
             peer_send(peer, plan, 0, MESSAGE_REQUEST, 0, 0));
    BREAKAGE("waiting_count < LIFELINES_MAX", lifelines->waiting_count = LIFELINES_MAX;
             lifelines_remember(lifelines, 0, &peer->fault));
    BREAKAGE("victim != peer->rank", lifelines->count = 1; lifelines->to[0] = SELF;
             peer_step(peer, &(struct peer_event){.kind = PEER_DRY}, plan));
    BREAKAGE("at < COUNTS_MAX", peer->counts.changes = COUNTS_MAX;
             peer_gave(peer, &(struct message){.peer = RANKS, .kind = MESSAGE_SEED, .count = 1}));
    BREAKAGE("counts->changes < COUNTS_MAX", peer->counts.changes = COUNTS_MAX;
             peer_step(peer, &(struct peer_event){.kind = PEER_FREED}, plan));
    BREAKAGE("rank < peer->ranks", peer->rank = 0;
             peer_step(peer,
                       &(struct peer_event){.kind = PEER_MESSAGE,
                                            .message = {.kind = MESSAGE_COUNTS, .count = 1},
                                            .change = &(struct change){RANKS, 1}},
                       plan));
    return NULL;
}

START_TEST(a_broken_peer_is_found_out)
{
    const char *check;
    int which = 0;

    do {
        struct steal_plan plan = {0};
        struct peer peer = whole();
        check = break_peer_state(&peer, &plan, which++);
        const bool holds = peer_check(&peer, &plan);
        expect_fault(fault_text(&peer.fault), check);
        ck_assert_int_eq(holds, !check);
    } while (check);
}

/* ---- a deque ------------------------------------------------------------------------------- */

static const char *break_deque_state(struct deque *deque, int which)
{
    struct deque_claim claim = {0};
    static uint64_t taken[4 * CAPACITY];
    struct deque_tail *tail = &deque->tail;
    struct deque_ring *ring = tail->ring;

    BREAKAGE("held(deque) <= deque->capacity", deque->head += 100;
             ck_assert_ptr_null(deque_reserve(deque, 1)));
    BREAKAGE("count <= deque->capacity - held(deque)", deque_commit(deque, CAPACITY + 1));
    BREAKAGE("local_count(deque) <= deque->capacity", deque->head += 100;
             ck_assert_uint_eq(deque_pop(deque, taken, 9), 0));
    BREAKAGE("local_count(deque) <= deque->capacity", deque->head -= 3;
             ck_assert_uint_eq(deque_pop(deque, taken, 9), 0));
    BREAKAGE("local_count(deque) <= deque->capacity", deque->head -= 3; deque_release(deque, 1));
    BREAKAGE("bounds_split(bounds) == deque->split", deque->split++; deque_release(deque, 1));
    BREAKAGE("bounds_count(bounds) <= deque->capacity", deque->head = deque->split;
             atomic_store(&tail->bounds, (uint64_t)deque->split << 32 | (deque->split - 50));
             deque_share(deque, 1));
    BREAKAGE("bounds_stail(bounds) - itail <= deque->capacity", atomic_fetch_add(&tail->itail, 3);
             ck_assert_ptr_null(deque_reserve(deque, CAPACITY)));
    BREAKAGE("bounds_count(bounds) <= DEQUE_CAPACITY_MAX", atomic_fetch_add(&tail->bounds, 2);
             ck_assert_uint_eq(deque_claim(tail, 9, &claim), 0));
    BREAKAGE("claim->count <= ring->capacity", claim.count = CAPACITY + 1;
             ck_assert(!deque_copy(tail, &claim, taken)));
    BREAKAGE("ring != NULL", tail->ring = NULL; ck_assert(!deque_copy(tail, &claim, taken));
             tail->ring = ring);
    return NULL;
}

/* The deque has CAPACITY slots: one task is shared, two are the owner's. */
START_TEST(a_broken_deque_is_found_out)
{
    const char *check;
    int which = 0;

    do {
        struct deque deque;
        deque_init(&deque, sizeof(uint64_t), CAPACITY, CAPACITY * sizeof(uint64_t));
        ck_assert_ptr_nonnull(deque_reserve(&deque, 3));
        deque_commit(&deque, 3);
        deque_release(&deque, 1);
        check = break_deque_state(&deque, which++);
        expect_fault(fault_text(&deque.tail.fault), check);
        deque_close(&deque);
    } while (check);
}

/* ---- processing with a broken state ----------------------------------------------------- */

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

/* The rank sends itself this message, which arrives in the next turn. */
static void hear(enum message_kind kind)
{
    struct transport *transport = lone.runtime->transport;
    int rank;
    const struct message message = {.kind = kind, .count = 1, .epoch = lone.collection->peer.epoch};

    ck_assert_int_eq(transport->ops->send(transport, &message, 0), 0);
    ck_assert_int_eq(network_next(lone.network, &rank), 1);
}

static void handle_result(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks, (void)count;
    hear(MESSAGE_RESULT);
}

static void handle_taken(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks, (void)count;
    hear(MESSAGE_TAKEN);
}

static void handle_counters(struct steal_worker *worker, void *local, const void *tasks,
                            size_t count)
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
    expect_failure(plain, handle_result, "results != NULL");
    expect_failure(plain, handle_taken, "results->under_way > 0");
    expect_failure(plain, handle_counters, "collection->waiting != NULL");
}

/* Counts a counter that does not exist. */
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

SUITE("steal checks")
