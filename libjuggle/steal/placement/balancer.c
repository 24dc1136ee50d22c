/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/placement/balancer.h"

#include <math.h>
#include <string.h>

/* ---- roles --------------------------------------------------------------------------------- */

size_t balancer_memory_size(const struct shape *shape, int rank)
{
    struct role role[ROLES_MAX];

    return roles_memory_size(role, roles_cast(shape, rank, role));
}

void balancer_init(struct balancer *balancer, const struct shape *shape, int rank,
                   const struct balancer_options *options, const struct balancer_ports *ports,
                   void *memory)
{
    *balancer = (struct balancer){
        .shape = *shape, .options = *options, .ports = *ports, .rank = rank};
    balancer->roles = roles_cast(shape, rank, balancer->role);
    roles_place(balancer->role, balancer->roles, memory);
}

static struct role *balancer_leaf(struct balancer *balancer)
{
    return &balancer->role[balancer->roles - 1];
}

static bool role_is_root(const struct role *role)
{
    return role->depth == 0;
}

/* ---- sending ------------------------------------------------------------------------------- */

static void balancer_fail(struct balancer *balancer, int result)
{
    if (result < 0 && balancer->error == 0)
        balancer->error = result;
}

/* A rank's other roles hear at once. */
static void balancer_send(struct balancer *balancer, struct balance_message *message)
{
    message->last = true;
    if (message->peer == balancer->rank)
        balancer_hear(balancer, message);
    else
        balancer_fail(balancer, balancer->ports.send(balancer->ports.context, message));
}

static void send_up(struct balancer *balancer, const struct role *role, enum balance_kind kind,
                    const struct token *tokens, uint32_t count)
{
    struct balance_message message = {.peer = role->parent,
                                      .kind = kind,
                                      .depth = role->depth - 1,
                                      .branch = role->branch,
                                      .tokens = tokens,
                                      .count = count,
                                      .terms = role->terms};

    balancer_send(balancer, &message);
}

static struct balance_message message_to(struct balancer *balancer, const struct role *role,
                                         int child, enum balance_kind kind)
{
    const struct range range = shape_part(&balancer->shape, role->range, child);

    return (struct balance_message){
        .peer = shape_rank(&balancer->shape, range.first), .kind = kind, .depth = role->depth + 1};
}

static void send_down(struct balancer *balancer, const struct role *role, enum balance_kind kind,
                      const struct balance_terms *terms)
{
    for (int child = 0; child < role->children; child++) {
        struct balance_message message = message_to(balancer, role, child, kind);

        message.terms = *terms;
        balancer_send(balancer, &message);
    }
}

/* ---- tokens -------------------------------------------------------------------------------- */

/* Tokens that do not fit are nowhere: then nothing moves at all. */
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

static void hear_claim(struct balancer *balancer, const struct balance_message *message)
{
    balancer->owed -= message->count;
    balancer_fail(balancer, balancer->ports.yield(balancer->ports.context, message->peer,
                                                  message->tokens, message->count));
}

/* ---- decision ------------------------------------------------------------------------------ */

static void decide(struct balancer *balancer, struct role *role,
                   const struct balance_terms *decision)
{
    balancer->decision = *decision;
    send_down(balancer, role, BALANCE_DECISION, decision);
    if (role != balancer_leaf(balancer))
        return;
    balancer->decided = true;
    if (decision->go)
        claim_all(balancer);
}

/* The root alone, which knows all. */
static void judge(struct balancer *balancer, struct role *role)
{
    struct balance_terms decision = role->terms;

    decision.load_ns = balancer->decision.load_ns;
    decision.go = decision.failures == 0 && decision.after_ns < decision.before_ns;
    decide(balancer, role, &decision);
}

static void conclude(struct balancer *balancer, struct role *role)
{
    if (role_is_root(role))
        judge(balancer, role);
    else
        send_up(balancer, role, BALANCE_VERDICT, NULL, 0);
}

static void hear_verdict(struct balancer *balancer, struct role *role,
                         const struct balance_terms *terms)
{
    role->terms.before_ns = max_i64(role->terms.before_ns, terms->before_ns);
    role->terms.after_ns = max_i64(role->terms.after_ns, terms->after_ns);
    role->terms.tasks += terms->tasks;
    role->terms.failures += terms->failures;
    if (++role->heard == role->children)
        conclude(balancer, role);
}

/* ---- giving -------------------------------------------------------------------------------- */

/* Ready for the verdicts of the children. */
static void role_restart(struct role *role)
{
    role->heard = 0;
    role->terms = (struct balance_terms){0};
}

static void leaf_receive(struct balancer *balancer, struct role *leaf)
{
    const struct pool *pool = &leaf->pool;
    const int64_t before_ns = leaf->terms.before_ns;
    int64_t after_ns = leaf->terms.load_ns + tokens_load(pool->token, pool->count);
    uint32_t returned = 0;

    for (uint32_t i = 0; i < pool->count; i++)
        returned += pool->token[i].origin == balancer->rank;
    balancer->owed -= returned;
    balancer_fail(balancer, balancer->ports.admit(balancer->ports.context, pool->count - returned));
    leaf->terms = (struct balance_terms){.before_ns = before_ns,
                                         .after_ns = after_ns,
                                         .tasks = pool->count - returned,
                                         .failures = balancer->error < 0};
    conclude(balancer, leaf);
}

static void give(struct balancer *balancer, struct role *role)
{
    struct pool *pool = &role->pool;

    pool_sort(pool, role->dealt);
    (void)pool_deal(pool, role->dealt, role->branches, role->children, INFINITY);
    pool_group(pool, role->children, role->start);
    role_restart(role);
    for (int child = 0; child < role->children; child++) {
        struct balance_message message = message_to(balancer, role, child, BALANCE_GIVE);

        message.tokens = pool->spare + role->start[child];
        message.count = role->start[child + 1] - role->start[child];
        balancer_send(balancer, &message);
    }
}

static void hear_give(struct balancer *balancer, struct role *role,
                      const struct balance_message *message)
{
    pool_take(balancer, &role->pool, message);
    if (!message->last)
        return;
    if (role->children == 0)
        leaf_receive(balancer, role);
    else
        give(balancer, role);
}

/* ---- pooling ------------------------------------------------------------------------------- */

/* The longest go to children with less than D times the average; the rest goes on up, with the load
 * that the subtree then has. */
static void pool_up(struct balancer *balancer, struct role *role)
{
    const struct balance_terms *all = &balancer->decision;
    const double average_ns = (double)all->load_ns / balancer->shape.ranks;
    struct pool *pool = &role->pool;

    pool_sort(pool, 0);
    role->dealt = pool_deal(pool, 0, role->branches, role->children,
                            balancer->options.fill_below * average_ns);
    role->terms = (struct balance_terms){0};
    for (int child = 0; child < role->children; child++)
        role->terms.load_ns += role->branches[child].load_ns;
    const uint32_t left = pool->count - role->dealt;
    pool->count = role->dealt;
    send_up(balancer, role, BALANCE_POOL, pool->token + role->dealt, left);
}

static void hear_pool(struct balancer *balancer, struct role *role,
                      const struct balance_message *message)
{
    const struct range child = shape_part(&balancer->shape, role->range, message->branch);

    pool_take(balancer, &role->pool, message);
    if (!message->last)
        return;
    role->branches[message->branch] = (struct branch){
        .load_ns = message->terms.load_ns, .ranks = range_ranks(child), .index = message->branch};
    if (++role->heard < role->children)
        return;
    branches_order(role->branches, role->children);
    if (role_is_root(role))
        give(balancer, role);
    else
        pool_up(balancer, role);
}

/* ---- the average --------------------------------------------------------------------------- */

static void leaf_donate(struct balancer *balancer, struct role *leaf,
                        const struct balance_terms *all)
{
    const struct balancer_ports *ports = &balancer->ports;
    const int64_t average_ns = all->load_ns / balancer->shape.ranks;
    const int64_t keep_ns = (int64_t)(balancer->options.donate_above * (double)all->load_ns /
                                      balancer->shape.ranks);
    struct pool *pool = &leaf->pool;
    int64_t load_ns = leaf->terms.load_ns + leaf->terms.strangers * all->mean_ns;

    leaf->terms.before_ns = load_ns;
    if (load_ns > keep_ns)
        balancer_fail(balancer,
                      ports->donate(ports->context, all, average_ns, load_ns, keep_ns, pool));
    balancer->owed = pool->count;
    leaf->terms.load_ns = load_ns - tokens_load(pool->token, pool->count);
    const uint32_t count = pool->count;
    pool->count = 0;
    send_up(balancer, leaf, BALANCE_POOL, pool->token, count);
}

static void hear_average(struct balancer *balancer, struct role *role,
                         const struct balance_terms *all)
{
    balancer->decision = *all;
    role->heard = 0;
    if (!all->go)
        decide(balancer, role, all);
    else if (role->children == 0)
        leaf_donate(balancer, role, all);
    else
        send_down(balancer, role, BALANCE_AVERAGE, all);
}

/* ---- reports ------------------------------------------------------------------------------- */

static bool pays(const struct balancer *balancer, const struct balance_terms *all)
{
    const double average_ns = (double)all->load_ns / balancer->shape.ranks;

    if (all->failures > 0 || all->load_ns == 0 || balancer->shape.ranks == 1)
        return false;
    /* The greatest load is not known while some tasks never ran. */
    return all->strangers > 0 ||
           ((double)all->before_ns > balancer->options.donate_above * average_ns &&
            (double)all->before_ns - average_ns > (double)balancer->options.gain_min_ns);
}

/* Tasks that never ran are held to be average; if none ever has, they just count. */
static void total(struct balancer *balancer, struct role *role)
{
    struct balance_terms all = role->terms;

    all.mean_ns = all.tasks > 0 ? max_i64(all.load_ns / all.tasks, 1) : 1;
    all.load_ns += all.strangers * all.mean_ns;
    all.after_ns = all.before_ns;
    all.tasks = 0;
    all.go = pays(balancer, &all);
    hear_average(balancer, role, &all);
}

static void report(struct balancer *balancer, struct role *role)
{
    if (role_is_root(role))
        total(balancer, role);
    else
        send_up(balancer, role, BALANCE_REPORT, NULL, 0);
}

static void hear_report(struct balancer *balancer, struct role *role,
                        const struct balance_terms *terms)
{
    role->terms.load_ns += terms->load_ns;
    role->terms.tasks += terms->tasks;
    role->terms.strangers += terms->strangers;
    role->terms.before_ns = max_i64(role->terms.before_ns, terms->before_ns);
    role->terms.failures += terms->failures;
    if (++role->heard == role->children)
        report(balancer, role);
}

void balancer_begin(struct balancer *balancer, int64_t known_ns, int64_t known, int64_t strangers,
                    int error)
{
    struct role *leaf = balancer_leaf(balancer);

    balancer->error = error;
    leaf->terms = (struct balance_terms){.load_ns = known_ns,
                                         .tasks = known,
                                         .strangers = strangers,
                                         .before_ns = known_ns,
                                         .failures = error < 0};
    report(balancer, leaf);
}

/* ---- hearing ------------------------------------------------------------------------------- */

void balancer_hear(struct balancer *balancer, const struct balance_message *message)
{
    struct role *role = &balancer->role[0];

    if (message->kind < BALANCE_CLAIM)
        role += message->depth - role->depth;
    switch ((enum balance_kind)message->kind) {
    case BALANCE_REPORT:
        hear_report(balancer, role, &message->terms);
        break;
    case BALANCE_AVERAGE:
        hear_average(balancer, role, &message->terms);
        break;
    case BALANCE_POOL:
        hear_pool(balancer, role, message);
        break;
    case BALANCE_GIVE:
        hear_give(balancer, role, message);
        break;
    case BALANCE_VERDICT:
        hear_verdict(balancer, role, &message->terms);
        break;
    case BALANCE_DECISION:
        decide(balancer, role, &message->terms);
        break;
    case BALANCE_CLAIM:
        hear_claim(balancer, message);
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
