/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - tree nodes, sending, tokens
 * - one step each, the last one first: claims, decision, giving, pooling, the average, reports
 * - handling: which step a message belongs to */
#include "libjuggle/steal/placement/balancer.h"

#include <math.h>
#include <string.h>

/* ---- tree nodes ---------------------------------------------------------------------------- */

size_t balancer_memory_size(const struct shape *shape, int rank)
{
    struct tree_node tree_node[TREE_NODES_MAX];

    return tree_nodes_memory_size(tree_node, tree_nodes_of_rank(shape, rank, tree_node));
}

void balancer_init(struct balancer *balancer, const struct shape *shape, int rank,
                   const struct balancer_options *options, const struct balancer_ports *ports,
                   void *memory)
{
    *balancer = (struct balancer){
        .shape = *shape, .options = *options, .ports = *ports, .rank = rank};
    balancer->tree_nodes = tree_nodes_of_rank(shape, rank, balancer->tree_node);
    tree_nodes_place(balancer->tree_node, balancer->tree_nodes, memory);
}

static struct tree_node *balancer_leaf(struct balancer *balancer)
{
    return &balancer->tree_node[balancer->tree_nodes - 1];
}

static bool tree_node_is_root(const struct tree_node *tree_node)
{
    return tree_node->depth == 0;
}

/* ---- sending ------------------------------------------------------------------------------- */

static void balancer_fail(struct balancer *balancer, int result)
{
    if (result < 0 && balancer->error == 0)
        balancer->error = result;
}

/* Sends a message. One to another tree node of the same rank arrives at once. */
static void balancer_send(struct balancer *balancer, struct balance_message *message)
{
    message->last = true;
    if (message->peer == balancer->rank)
        balancer_handle(balancer, message);
    else
        balancer_fail(balancer, balancer->ports.send(balancer->ports.context, message));
}

static void send_up(struct balancer *balancer, const struct tree_node *tree_node,
                    enum balance_kind kind, const struct token *tokens, uint32_t count)
{
    struct balance_message message = {.peer = tree_node->parent,
                                      .kind = kind,
                                      .depth = tree_node->depth - 1,
                                      .branch = tree_node->branch,
                                      .tokens = tokens,
                                      .count = count,
                                      .totals = tree_node->totals};

    balancer_send(balancer, &message);
}

static struct balance_message message_to(struct balancer *balancer,
                                         const struct tree_node *tree_node, int child,
                                         enum balance_kind kind)
{
    const struct range range = shape_part(&balancer->shape, tree_node->range, child);

    return (struct balance_message){.peer = shape_rank(&balancer->shape, range.first),
                                    .kind = kind,
                                    .depth = tree_node->depth + 1};
}

static void send_down(struct balancer *balancer, const struct tree_node *tree_node,
                      enum balance_kind kind, const struct balance_totals *totals)
{
    for (int child = 0; child < tree_node->children; child++) {
        struct balance_message message = message_to(balancer, tree_node, child, kind);

        message.totals = *totals;
        balancer_send(balancer, &message);
    }
}

/* ---- tokens -------------------------------------------------------------------------------- */

/* Adds the tokens of a message to the pool. If there is no memory for them, they are lost; the
 * error then prevents all moves. */
static void pool_take(struct balancer *balancer, struct pool *pool,
                      const struct balance_message *message)
{
    int result = 0;

    if (message->count > pool->capacity - pool->count)
        result = balancer->ports.grow(balancer->ports.context, pool, pool->count + message->count);
    balancer_fail(balancer, result);
    if (result < 0 || message->count == 0)
        return;
    memcpy(pool->token + pool->count, message->tokens, message->count * sizeof(*message->tokens));
    pool->count += message->count;
}

static int64_t tokens_load(const struct token *tokens, uint32_t count)
{
    int64_t load_ns = 0;

    for (uint32_t i = 0; i < count; i++)
        load_ns += tokens[i].load_ns;
    return load_ns;
}

/* ---- claims -------------------------------------------------------------------------------- */

static uint32_t origin_end(const struct pool *pool, uint32_t begin)
{
    uint32_t end = begin;

    while (end < pool->count && pool->token[end].origin == pool->token[begin].origin)
        end++;
    return end;
}

static void claim_all(struct balancer *balancer)
{
    struct pool *pool = &balancer_leaf(balancer)->pool;

    pool_sort_origins(pool);
    for (uint32_t begin = 0, end; begin < pool->count; begin = end) {
        struct balance_message claim = {.peer = pool->token[begin].origin,
                                        .kind = BALANCE_CLAIM,
                                        .tokens = pool->token + begin};

        end = origin_end(pool, begin);
        claim.count = end - begin;
        if (claim.peer == balancer->rank)
            continue;
        balancer->awaited += claim.count;
        balancer_send(balancer, &claim);
    }
}

static void handle_claim(struct balancer *balancer, const struct balance_message *message)
{
    balancer->owed -= message->count;
    balancer_fail(balancer, balancer->ports.yield(balancer->ports.context, message->peer,
                                                  message->tokens, message->count));
}

/* ---- decision ------------------------------------------------------------------------------ */

static void decide(struct balancer *balancer, struct tree_node *tree_node,
                   const struct balance_totals *decision)
{
    balancer->decision = *decision;
    send_down(balancer, tree_node, BALANCE_DECISION, decision);
    if (tree_node != balancer_leaf(balancer))
        return;
    balancer->decided = true;
    if (decision->go)
        claim_all(balancer);
}

/* True if the greatest load is far enough above the average. If no task was ever measured, loads
 * are numbers of tasks and cannot be compared with a time; then true. */
static bool gains_enough(const struct balancer *balancer, const struct balance_totals *all,
                         int64_t greatest_ns)
{
    const int64_t measured_ns = all->load_ns - all->unmeasured * all->mean_ns;
    const double average_ns = (double)all->load_ns / balancer->shape.ranks;

    return measured_ns == 0 ||
           (double)greatest_ns - average_ns > (double)balancer->options.gain_min_ns;
}

/* Decides, on the root only, because only the root knows all totals. */
static void judge(struct balancer *balancer, struct tree_node *tree_node)
{
    struct balance_totals decision = tree_node->totals;

    decision.load_ns = balancer->decision.load_ns;
    decision.go = decision.failures == 0 && decision.after_ns < decision.before_ns &&
                  gains_enough(balancer, &balancer->decision, decision.before_ns);
    decide(balancer, tree_node, &decision);
}

static void conclude(struct balancer *balancer, struct tree_node *tree_node)
{
    if (tree_node_is_root(tree_node))
        judge(balancer, tree_node);
    else
        send_up(balancer, tree_node, BALANCE_VERDICT, NULL, 0);
}

static void handle_verdict(struct balancer *balancer, struct tree_node *tree_node,
                           const struct balance_totals *totals)
{
    tree_node->totals.before_ns = max_i64(tree_node->totals.before_ns, totals->before_ns);
    tree_node->totals.after_ns = max_i64(tree_node->totals.after_ns, totals->after_ns);
    tree_node->totals.tasks += totals->tasks;
    tree_node->totals.failures += totals->failures;
    if (++tree_node->received == tree_node->children)
        conclude(balancer, tree_node);
}

/* ---- giving -------------------------------------------------------------------------------- */

/* Prepares for the verdicts of the children. */
static void tree_node_restart(struct tree_node *tree_node)
{
    tree_node->received = 0;
    tree_node->totals = (struct balance_totals){0};
}

static void leaf_receive(struct balancer *balancer, struct tree_node *leaf)
{
    const struct pool *pool = &leaf->pool;
    const int64_t before_ns = leaf->totals.before_ns;
    int64_t after_ns = leaf->totals.load_ns + tokens_load(pool->token, pool->count);
    uint32_t returned = 0;

    for (uint32_t i = 0; i < pool->count; i++)
        returned += pool->token[i].origin == balancer->rank;
    balancer->owed -= returned;
    balancer_fail(balancer, balancer->ports.admit(balancer->ports.context, pool->count - returned));
    leaf->totals = (struct balance_totals){.before_ns = before_ns,
                                           .after_ns = after_ns,
                                           .tasks = pool->count - returned,
                                           .failures = balancer->error < 0};
    conclude(balancer, leaf);
}

static void give(struct balancer *balancer, struct tree_node *tree_node)
{
    struct pool *pool = &tree_node->pool;

    pool_sort(pool, tree_node->dealt);
    (void)pool_deal(pool, tree_node->dealt, tree_node->branches, tree_node->children, INFINITY);
    pool_group(pool, tree_node->children, tree_node->start);
    tree_node_restart(tree_node);
    for (int child = 0; child < tree_node->children; child++) {
        struct balance_message message = message_to(balancer, tree_node, child, BALANCE_GIVE);

        message.tokens = pool->spare + tree_node->start[child];
        message.count = tree_node->start[child + 1] - tree_node->start[child];
        balancer_send(balancer, &message);
    }
}

static void handle_give(struct balancer *balancer, struct tree_node *tree_node,
                        const struct balance_message *message)
{
    pool_take(balancer, &tree_node->pool, message);
    if (!message->last)
        return;
    if (tree_node->children == 0)
        leaf_receive(balancer, tree_node);
    else
        give(balancer, tree_node);
}

/* ---- pooling ------------------------------------------------------------------------------- */

/* Deals the longest tokens to children with less than D times the average; sends the other tokens
 * up, with the load that the subtree then has. */
static void pool_up(struct balancer *balancer, struct tree_node *tree_node)
{
    const struct balance_totals *all = &balancer->decision;
    const double average_ns = (double)all->load_ns / balancer->shape.ranks;
    struct pool *pool = &tree_node->pool;

    pool_sort(pool, 0);
    tree_node->dealt = pool_deal(pool, 0, tree_node->branches, tree_node->children,
                                 balancer->options.fill_below * average_ns);
    tree_node->totals = (struct balance_totals){0};
    for (int child = 0; child < tree_node->children; child++)
        tree_node->totals.load_ns += tree_node->branches[child].load_ns;
    const uint32_t left = pool->count - tree_node->dealt;
    pool->count = tree_node->dealt;
    send_up(balancer, tree_node, BALANCE_POOL, pool->token + tree_node->dealt, left);
}

static void handle_pool(struct balancer *balancer, struct tree_node *tree_node,
                        const struct balance_message *message)
{
    const struct range child = shape_part(&balancer->shape, tree_node->range, message->branch);

    pool_take(balancer, &tree_node->pool, message);
    if (!message->last)
        return;
    tree_node->branches[message->branch] = (struct branch){
        .load_ns = message->totals.load_ns, .ranks = range_size(child), .index = message->branch};
    if (++tree_node->received < tree_node->children)
        return;
    branches_order(tree_node->branches, tree_node->children);
    if (tree_node_is_root(tree_node))
        give(balancer, tree_node);
    else
        pool_up(balancer, tree_node);
}

/* ---- the average --------------------------------------------------------------------------- */

static void leaf_donate(struct balancer *balancer, struct tree_node *leaf,
                        const struct balance_totals *all)
{
    const struct balancer_ports *ports = &balancer->ports;
    const struct donation donation = {
        .rank = balancer->rank,
        .load_ns = leaf->totals.load_ns + leaf->totals.unmeasured * all->mean_ns,
        .average_ns = all->load_ns / balancer->shape.ranks,
        .keep_ns = (int64_t)(balancer->options.donate_above * (double)all->load_ns /
                             balancer->shape.ranks),
        .mean_ns = all->mean_ns};
    struct pool *pool = &leaf->pool;

    leaf->totals.before_ns = donation.load_ns;
    if (donation.load_ns > donation.keep_ns)
        balancer_fail(balancer, ports->donate(ports->context, &donation, pool));
    balancer->owed = pool->count;
    leaf->totals.load_ns = donation.load_ns - tokens_load(pool->token, pool->count);
    const uint32_t count = pool->count;
    pool->count = 0;
    send_up(balancer, leaf, BALANCE_POOL, pool->token, count);
}

static void handle_average(struct balancer *balancer, struct tree_node *tree_node,
                           const struct balance_totals *all)
{
    balancer->decision = *all;
    tree_node->received = 0;
    if (!all->go)
        decide(balancer, tree_node, all);
    else if (tree_node->children == 0)
        leaf_donate(balancer, tree_node, all);
    else
        send_down(balancer, tree_node, BALANCE_AVERAGE, all);
}

/* ---- reports ------------------------------------------------------------------------------- */

static bool pays(const struct balancer *balancer, const struct balance_totals *all)
{
    const double average_ns = (double)all->load_ns / balancer->shape.ranks;

    if (all->load_ns == 0 || balancer->shape.ranks == 1)
        return false;
    /* If some tasks never ran, the greatest load is not known before the verdict. */
    return all->unmeasured > 0 ||
           ((double)all->before_ns > balancer->options.donate_above * average_ns &&
            gains_enough(balancer, all, all->before_ns));
}

/* Computes the totals on the root. Tasks that never ran are expected to take the average; if no
 * task ever ran, each counts as 1. */
static void total(struct balancer *balancer, struct tree_node *tree_node)
{
    struct balance_totals all = tree_node->totals;

    all.mean_ns = all.tasks > 0 ? max_i64(all.load_ns / all.tasks, 1) : 1;
    all.load_ns += all.unmeasured * all.mean_ns;
    all.after_ns = all.before_ns;
    all.tasks = 0;
    all.go = pays(balancer, &all);
    handle_average(balancer, tree_node, &all);
}

static void report(struct balancer *balancer, struct tree_node *tree_node)
{
    if (tree_node_is_root(tree_node))
        total(balancer, tree_node);
    else
        send_up(balancer, tree_node, BALANCE_REPORT, NULL, 0);
}

static void handle_report(struct balancer *balancer, struct tree_node *tree_node,
                          const struct balance_totals *totals)
{
    tree_node->totals.load_ns += totals->load_ns;
    tree_node->totals.tasks += totals->tasks;
    tree_node->totals.unmeasured += totals->unmeasured;
    tree_node->totals.before_ns = max_i64(tree_node->totals.before_ns, totals->before_ns);
    if (++tree_node->received == tree_node->children)
        report(balancer, tree_node);
}

void balancer_begin(struct balancer *balancer, int64_t known_ns, int64_t known, int64_t unmeasured)
{
    struct tree_node *leaf = balancer_leaf(balancer);

    leaf->totals = (struct balance_totals){
        .load_ns = known_ns, .tasks = known, .unmeasured = unmeasured, .before_ns = known_ns};
    report(balancer, leaf);
}

/* ---- handling ------------------------------------------------------------------------------ */

void balancer_handle(struct balancer *balancer, const struct balance_message *message)
{
    struct tree_node *tree_node = &balancer->tree_node[0];

    if (message->kind < BALANCE_CLAIM)
        tree_node += message->depth - tree_node->depth;
    switch ((enum balance_kind)message->kind) {
    case BALANCE_REPORT:
        handle_report(balancer, tree_node, &message->totals);
        break;
    case BALANCE_AVERAGE:
        handle_average(balancer, tree_node, &message->totals);
        break;
    case BALANCE_POOL:
        handle_pool(balancer, tree_node, message);
        break;
    case BALANCE_GIVE:
        handle_give(balancer, tree_node, message);
        break;
    case BALANCE_VERDICT:
        handle_verdict(balancer, tree_node, &message->totals);
        break;
    case BALANCE_DECISION:
        decide(balancer, tree_node, &message->totals);
        break;
    case BALANCE_CLAIM:
        handle_claim(balancer, message);
        break;
    case BALANCE_TASKS:
        break;
    }
}

void balancer_arrived(struct balancer *balancer, uint32_t count)
{
    balancer->awaited -= count;
}

bool balancer_over(const struct balancer *balancer)
{
    return balancer->decided &&
           (!balancer->decision.go || (balancer->owed == 0 && balancer->awaited == 0));
}
