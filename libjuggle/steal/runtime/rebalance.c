/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - ports of the balancer
 * - life
 * - turns */
#include "libjuggle/steal/runtime/rebalance.h"

#include "libjuggle/steal/runtime/broken.h"
#include "libjuggle/steal/runtime/image.h"
#include "libjuggle/steal/runtime/sort_buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Stands before the tokens of a message. The message's `count` is the number of tokens; its `total`
 * is 1 in the last part, 0 in others. */
struct preamble {
    int32_t depth;
    int32_t branch;
    struct balance_totals totals;
};

enum { TOKENS_PER_PART = (TRANSPORT_ROOM - sizeof(struct preamble)) / sizeof(struct token) };

_Static_assert((int)MESSAGE_BROKEN > (int)BALANCE_TASKS, "it is told from what balancers say");

/* ---- ports of the balancer ----------------------------------------------------------------- */

static int pool_resize(void **array, size_t count, size_t size)
{
    void *resized = reallocarray(*array, count, size);

    if (!resized)
        return -ENOMEM;
    *array = resized;
    return 0;
}

static int port_grow(void *context, struct pool *pool, uint32_t count)
{
    const struct rebalance *rebalance = context;
    const uint32_t capacity = (uint32_t)max_i64(count, 2 * (int64_t)pool->capacity);
    int result;

    if ((result = pool_resize((void **)&pool->token, capacity, sizeof(*pool->token))) ||
        (result = pool_resize((void **)&pool->spare, capacity, sizeof(*pool->spare))) ||
        (result = pool_resize((void **)&pool->to, capacity, sizeof(*pool->to))))
        return runtime_fail(rebalance->collection->runtime, result, "no memory to balance %u tasks",
                            count);
    pool->capacity = capacity;
    return 0;
}

static int port_donate(void *context, const struct donation *donation, struct pool *pool)
{
    struct rebalance *rebalance = context;
    uint32_t *order;
    int result;

    sort_buffer_clear_deques(rebalance->collection, rebalance->sort_buffer);
    rebalance->cleared = true;
    result = port_grow(context, pool, rebalance->sort_buffer->count);
    order = malloc(rebalance->sort_buffer->count * sizeof(*order));
    if (result == 0 && !order)
        result = runtime_fail(rebalance->collection->runtime, -ENOMEM, "no memory to sort %u tasks",
                              rebalance->sort_buffer->count);
    if (result == 0) {
        ledger_sort(rebalance->sort_buffer, donation->mean_ns, order);
        pool->count = donation_choose(rebalance->settings.donation, *donation,
                                      rebalance->sort_buffer, order, pool->token);
    }
    free(order);
    return result;
}

static int port_admit(void *context, uint32_t arrivals)
{
    const struct rebalance *rebalance = context;

    if (arrivals <=
        sort_buffer_room(rebalance->collection, rebalance->sort_buffer, rebalance->cleared))
        return 0;
    return runtime_fail(rebalance->collection->runtime, -ENOSPC,
                        "memory_max has no room for %u more tasks", arrivals);
}

static int send_part(struct rebalance *rebalance, const struct balance_message *message,
                     uint32_t first, uint32_t count)
{
    struct transport *transport = rebalance->collection->transport;
    const struct message part = {
        .peer = message->peer,
        .epoch = rebalance->collection->peer.epoch,
        .kind = (uint32_t)message->kind,
        .count = count,
        .total = first + count == message->count,
    };
    struct preamble *preamble = transport->ops->room(transport);

    if (!preamble)
        return -ENOMEM;
    *preamble = (struct preamble){message->depth, message->branch, message->totals};
    if (count > 0)
        memcpy(preamble + 1, message->tokens + first, count * sizeof(struct token));
    return transport->ops->send(transport, &part, sizeof(*preamble) + count * sizeof(struct token));
}

static int lose(struct rebalance *rebalance, int result)
{
    if (result < 0)
        rebalance->lost = result;
    return result;
}

static int port_send(void *context, const struct balance_message *message)
{
    uint32_t done = 0;
    int result;

    do {
        const uint32_t count = (uint32_t)min_i64(message->count - done, TOKENS_PER_PART);

        result = send_part(context, message, done, count);
        done += count;
    } while (result == 0 && done < message->count);
    return lose(context, result);
}

/* Copies tasks from the sort buffer into a message, and marks them as gone. */
static void sort_buffer_give(struct rebalance *rebalance, unsigned char *room,
                             const struct token *tokens, uint32_t count)
{
    const size_t stride = rebalance->sort_buffer->stride;

    for (uint32_t i = 0; i < count; i++) {
        void *entry = ledger_entry(rebalance->sort_buffer, tokens[i].slot);

        ledger_copy(room + i * stride, entry, stride);
        ledger_history(stride, entry)->flags |= HISTORY_GONE;
    }
    rebalance->departures += count;
}

static int port_yield(void *context, int to, const struct token *tokens, uint32_t count)
{
    struct rebalance *rebalance = context;
    struct transport *transport = rebalance->collection->transport;
    const size_t stride = rebalance->sort_buffer->stride;
    int result = 0;

    for (uint32_t done = 0; done < count && result == 0;) {
        const uint32_t part = (uint32_t)min_i64(count - done, (int64_t)(TRANSPORT_ROOM / stride));
        const struct message message = {.peer = to,
                                        .epoch = rebalance->collection->peer.epoch,
                                        .kind = BALANCE_TASKS,
                                        .count = part};
        void *room = transport->ops->room(transport);

        if (!room)
            return lose(rebalance, -ENOMEM);
        sort_buffer_give(rebalance, room, tokens + done, part);
        result = transport->ops->send(transport, &message, part * stride);
        done += part;
    }
    return lose(rebalance, result);
}

/* ---- life ---------------------------------------------------------------------------------- */

void rebalance_free(struct rebalance *rebalance)
{
    if (!rebalance)
        return;
    for (int i = 0; i < rebalance->balancer.tree_nodes; i++) {
        free(rebalance->balancer.tree_node[i].pool.token);
        free(rebalance->balancer.tree_node[i].pool.spare);
        free(rebalance->balancer.tree_node[i].pool.to);
    }
    free(rebalance->branches);
    free(rebalance);
}

int rebalance_open(struct steal_collection *collection, const struct steal_balance *settings,
                   struct rebalance **out)
{
    struct steal_runtime *runtime = collection->runtime;
    struct rebalance *rebalance = calloc(1, sizeof(*rebalance));
    const struct balancer_ports ports = {.context = rebalance,
                                         .grow = port_grow,
                                         .donate = port_donate,
                                         .admit = port_admit,
                                         .send = port_send,
                                         .yield = port_yield};
    const struct balancer_options options = {.donate_above = settings->donate_above,
                                             .fill_below = settings->fill_below,
                                             .gain_min_ns = settings->gain_min_ns};
    const int ranks = steal_ranks(runtime);
    const struct places *places = settings->within_nodes ? runtime->places : NULL;
    const struct shape shape = {
        .rank_at = places ? places->member : NULL,
        .node_start = places ? places->first : NULL,
        .nodes = places ? places->nodes : 1,
        .ranks = ranks,
        .arity = settings->balancer == STEAL_BALANCER_CENTRAL ? (int)max_i64(ranks, 2)
                                                              : settings->arity,
    };
    int result;

    if (!rebalance)
        return runtime_fail(runtime, -ENOMEM, "no memory to balance");
    rebalance->collection = collection;
    rebalance->settings = *settings;
    rebalance->branches = malloc(balancer_memory_size(&shape, steal_rank(runtime)) + 1);
    result = sort_buffer_open(collection, &rebalance->sort_buffer);
    if (result == 0 && !rebalance->branches)
        result = runtime_fail(runtime, -ENOMEM, "no memory to balance %d ranks", ranks);
    if (result < 0) {
        rebalance_free(rebalance);
        return result;
    }
    balancer_init(&rebalance->balancer, &shape, steal_rank(runtime), &options, &ports,
                  rebalance->branches);
    *out = rebalance;
    return 0;
}

void rebalance_begin(struct rebalance *rebalance)
{
    struct steal_collection *collection = rebalance->collection;
    const int64_t held = sort_buffer_held(collection);

    rebalance->held = image_held(collection);
    rebalance->begin_ns = runtime_now(collection->runtime);
    collection->peer.epoch = ++collection->runtime->epoch;
    ledger_clear(rebalance->sort_buffer);
    collection->processed = false;
    collection->recorded = false;
    balancer_begin(&rebalance->balancer, collection->predicted_ns, collection->predicted,
                   held - collection->predicted);
}

bool rebalance_over(const struct rebalance *rebalance)
{
    return balancer_over(&rebalance->balancer);
}

/* Adds the time that it took, the tasks that came here and the expected gain to the account. */
static void rebalance_account(struct rebalance *rebalance)
{
    const struct balance_totals *decision = &rebalance->balancer.decision;
    struct steal_collection *collection = rebalance->collection;
    struct balance_account *account = &collection->balanced;

    const int64_t elapsed_ns = runtime_now(collection->runtime) - rebalance->begin_ns;

    account->balance_ns += elapsed_ns;
    account->tasks_moved += rebalance->arrivals;
    if (!decision->go)
        return;
    account->gain_ns += decision->before_ns - decision->after_ns;
    collection->balance_cost_ns = elapsed_ns;
}

/* Checks by their numbers that no task is lost, and none is here twice. */
static int rebalance_check(const struct rebalance *rebalance)
{
    struct steal_collection *collection = rebalance->collection;
    const int64_t held = image_held(collection);
    struct fault fault = {0};

    if (HOLDS(&fault, held + rebalance->departures == rebalance->held + rebalance->arrivals))
        return 0;
    collection->transport->broken = true;
    return runtime_fail(collection->runtime, -EPROTO, "a check has failed: %s", fault_text(&fault));
}

int rebalance_end(struct rebalance *rebalance)
{
    struct steal_collection *collection = rebalance->collection;
    int result = sort_buffer_place(collection, rebalance->sort_buffer, rebalance->cleared);

    if (result == 0)
        result = rebalance_check(rebalance);
    if (rebalance->balancer.error < 0)
        result = rebalance->balancer.error;
    rebalance_account(rebalance);
    rebalance_free(rebalance);
    return result;
}

/* ---- turns --------------------------------------------------------------------------------- */

static void rebalance_receive(struct rebalance *rebalance, const unsigned char *entries,
                              uint32_t count)
{
    /* There is room: port_admit() has said so. */
    for (uint32_t i = 0; i < count; i++)
        (void)ledger_add(rebalance->sort_buffer, entries + i * rebalance->sort_buffer->stride);
    rebalance->arrivals += count;
    balancer_arrived(&rebalance->balancer, count);
}

static int rebalance_handle(struct rebalance *rebalance, const struct message *message,
                            const void *data)
{
    const struct preamble *preamble = data;

    if (message->kind == MESSAGE_BROKEN)
        return broken_elsewhere(rebalance->collection, message);
    if (message->kind == BALANCE_TASKS)
        rebalance_receive(rebalance, data, message->count);
    else
        balancer_handle(&rebalance->balancer,
                        &(struct balance_message){.peer = message->peer,
                                                  .kind = (int32_t)message->kind,
                                                  .depth = preamble->depth,
                                                  .branch = preamble->branch,
                                                  .last = message->total != 0,
                                                  .count = message->count,
                                                  .tokens = (const struct token *)(preamble + 1),
                                                  .totals = preamble->totals});
    return rebalance->lost;
}

int rebalance_turn(struct rebalance *rebalance)
{
    struct transport *transport = rebalance->collection->transport;
    const uint32_t epoch = rebalance->collection->peer.epoch;
    struct message message;
    const void *data;
    int handled = 0;
    int result = rebalance->lost;

    while (result >= 0 && !rebalance_over(rebalance) &&
           (result = transport->ops->receive(transport, epoch, &message, &data)) > 0) {
        result = rebalance_handle(rebalance, &message, data);
        handled++;
    }
    return result < 0 ? result : handled;
}
