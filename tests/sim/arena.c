/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/arena.h"

#include "libjuggle/ground/prng.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RESOLUTION = 4, PART_MAX = 3 };

struct entry {
    int64_t id;
    struct history history;
};

struct participant {
    struct arena_run *run;
    int rank;
    struct balancer balancer;
    void *memory;
    struct ledger ledger;
    bool *gone; /* by slot: the task was sent to another rank */
    bool begun;
};

struct envelope {
    int from;
    struct balance_message message; /* its tokens are set when it is delivered */
    struct token *tokens;           /* owned */
};

struct arena_run {
    struct arena *arena;
    struct prng prng;
    struct participant *participant;
    struct envelope *mail; /* messages under way, the oldest first */
    size_t mails, capacity;
    int64_t *owner; /* by task: its rank, -1 while under way */
    const char *wrong;
};

/* ---- ports --------------------------------------------------------------------------------- */

static int grow(void *context, struct pool *pool, uint32_t count)
{
    const struct participant *participant = context;

    if (participant->rank == participant->run->arena->starved)
        return -ENOMEM;
    pool->token = realloc(pool->token, count * sizeof(*pool->token));
    pool->spare = realloc(pool->spare, count * sizeof(*pool->spare));
    pool->to = realloc(pool->to, count * sizeof(*pool->to));
    pool->capacity = count;
    return 0;
}

static int donate(void *context, const struct donation *donation, struct pool *pool)
{
    struct participant *participant = context;
    struct arena *arena = participant->run->arena;
    uint32_t *order = malloc((participant->ledger.count + 1) * sizeof(*order));
    int result = grow(context, pool, participant->ledger.count);

    if (result == 0) {
        ledger_sort(&participant->ledger, donation->mean_ns, order);
        pool->count = donation_choose(arena->donation, *donation, &participant->ledger, order,
                                      pool->token);
    }
    for (uint32_t i = 0; i < pool->count; i++)
        arena->longest_ns = max_i64(arena->longest_ns, pool->token[i].load_ns);
    free(order);
    return result;
}

static int admit(void *context, uint32_t arrivals)
{
    const struct participant *participant = context;

    return arrivals > 0 && participant->rank == participant->run->arena->full ? -ENOSPC : 0;
}

static void post(struct participant *from, struct balance_message message,
                 const struct token *tokens, uint32_t count, bool last)
{
    struct arena_run *run = from->run;
    struct envelope *envelope;

    if (run->mails == run->capacity) {
        run->capacity = 2 * run->capacity + 64;
        run->mail = realloc(run->mail, run->capacity * sizeof(*run->mail));
    }
    envelope = &run->mail[run->mails++];
    *envelope = (struct envelope){.from = from->rank, .message = message};
    envelope->message.last = last;
    envelope->message.count = count;
    envelope->tokens = malloc((count + 1) * sizeof(*tokens));
    if (count > 0)
        memcpy(envelope->tokens, tokens, count * sizeof(*tokens));
    run->arena->messages++;
}

/* Sends the message in parts of random length. */
static int send_parts(void *context, const struct balance_message *message)
{
    struct participant *from = context;
    uint32_t done = 0;

    while (message->count - done > PART_MAX) {
        const uint32_t count = 1 +
                               (uint32_t)prng_below(&from->run->prng, message->count - done - 1);

        post(from, *message, message->tokens + done, count, false);
        done += count;
    }
    post(from, *message, message->count ? message->tokens + done : NULL, message->count - done,
         true);
    return 0;
}

static int yield(void *context, int to, const struct token *tokens, uint32_t count)
{
    struct participant *from = context;
    const struct balance_message message = {.peer = to, .kind = BALANCE_TASKS};

    for (uint32_t i = 0; i < count; i++) {
        const struct entry *entry = ledger_entry(&from->ledger, tokens[i].slot);

        if (tokens[i].origin != from->rank || from->gone[tokens[i].slot] ||
            from->run->owner[entry->id] != from->rank)
            from->run->wrong = "a task was claimed twice, or where it is not";
        from->gone[tokens[i].slot] = true;
        from->run->owner[entry->id] = -1;
    }
    /* Each message has the id of a task in place of the task. */
    for (uint32_t i = 0; i < count; i++) {
        const struct entry *entry = ledger_entry(&from->ledger, tokens[i].slot);
        const struct token task = {.slot = (uint32_t)entry->id};

        post(from, message, &task, 1, true);
    }
    return 0;
}

/* ---- delivery ------------------------------------------------------------------------------ */

/* Chooses a message at random, and takes the oldest one that has the same sender and receiver. */
static struct envelope take_any(struct arena_run *run)
{
    const struct envelope *any = &run->mail[prng_below(&run->prng, run->mails)];
    size_t at = 0;

    while (run->mail[at].from != any->from || run->mail[at].message.peer != any->message.peer)
        at++;
    const struct envelope taken = run->mail[at];
    run->mails--;
    for (; at < run->mails; at++)
        run->mail[at] = run->mail[at + 1];
    return taken;
}

static void participant_begin(struct participant *participant)
{
    const struct ledger *ledger = &participant->ledger;

    balancer_begin(&participant->balancer, ledger->known_ns, ledger->known,
                   ledger->count - ledger->known);
    participant->begun = true;
}

static void deliver(struct arena_run *run)
{
    struct envelope envelope = take_any(run);
    struct participant *to = &run->participant[envelope.message.peer];

    if (!to->begun)
        participant_begin(to);
    if (balancer_over(&to->balancer))
        run->wrong = "a message came after the end";
    envelope.message.peer = envelope.from;
    envelope.message.tokens = envelope.tokens;
    if (envelope.message.kind == BALANCE_TASKS) {
        run->owner[envelope.tokens[0].slot] = to->rank;
        balancer_arrived(&to->balancer, 1);
    } else {
        balancer_handle(&to->balancer, &envelope.message);
    }
    free(envelope.tokens);
}

/* ---- a run --------------------------------------------------------------------------------- */

static void participant_open(struct arena_run *run, int rank)
{
    const struct arena *arena = run->arena;
    struct participant *participant = &run->participant[rank];
    const struct balancer_ports ports = {.context = participant,
                                         .grow = grow,
                                         .donate = donate,
                                         .admit = admit,
                                         .send = send_parts,
                                         .yield = yield};
    const size_t size = ((size_t)arena->tasks + 1) * sizeof(struct entry);

    participant->run = run;
    participant->rank = rank;
    participant->gone = calloc((size_t)arena->tasks + 1, 1);
    participant->memory = malloc(balancer_memory_size(&arena->shape, rank) + 1);
    balancer_init(&participant->balancer, &arena->shape, rank, &arena->options, &ports,
                  participant->memory);
    ledger_init(&participant->ledger, malloc(size), size, sizeof(struct entry),
                malloc(bins_count(RESOLUTION) * sizeof(uint32_t)), RESOLUTION);
}

static void participant_close(struct participant *participant)
{
    for (int i = 0; i < participant->balancer.tree_nodes; i++) {
        free(participant->balancer.tree_node[i].pool.token);
        free(participant->balancer.tree_node[i].pool.spare);
        free(participant->balancer.tree_node[i].pool.to);
    }
    free(participant->ledger.entries);
    free(participant->ledger.bin);
    free(participant->memory);
    free(participant->gone);
}

static void tasks_enter(struct arena_run *run)
{
    const struct arena *arena = run->arena;

    for (int i = 0; i < arena->tasks; i++) {
        const struct arena_task *task = &arena->task[i];
        const struct entry entry = {
            .id = task->id, .history = {.predicted_ns = task->load_ns, .runs = !task->unmeasured}};

        run->owner[task->id] = task->rank;
        if (!ledger_add(&run->participant[task->rank].ledger, &entry))
            run->wrong = "a ledger was full";
    }
}

/* Ranks begin one by one, between deliveries. If a message reaches a rank before that, deliver()
 * begins it. */
static void play(struct arena_run *run)
{
    const int ranks = run->arena->shape.ranks;

    for (int next = 0; (next < ranks || run->mails > 0) && !run->wrong;) {
        if (next < ranks && (run->mails == 0 || prng_below(&run->prng, 4) == 0)) {
            if (!run->participant[next].begun)
                participant_begin(&run->participant[next]);
            next++;
        } else {
            deliver(run);
        }
    }
}

static const char *arena_judge(struct arena_run *run)
{
    struct arena *arena = run->arena;

    if (run->wrong)
        return run->wrong;
    arena->decision = run->participant[0].balancer.decision;
    for (int rank = 0; rank < arena->shape.ranks; rank++) {
        const struct balancer *balancer = &run->participant[rank].balancer;

        if (!balancer_over(balancer))
            return "a rank never finished";
        if (memcmp(&balancer->decision, &arena->decision, sizeof(arena->decision)) != 0)
            return "ranks differ on the decision";
    }
    for (int i = 0; i < arena->tasks; i++) {
        const int64_t owner = run->owner[arena->task[i].id];

        if (owner < 0)
            return "a task is lost";
        arena->moved += owner != arena->task[i].rank;
        arena->task[i].rank = (int)owner;
    }
    return NULL;
}

const char *arena_run(struct arena *arena)
{
    struct arena_run run = {.arena = arena};
    const char *wrong;

    arena->messages = 0;
    arena->moved = 0;
    arena->longest_ns = 0;
    prng_seed(&run.prng, arena->seed);
    run.owner = calloc((size_t)arena->tasks + 1, sizeof(*run.owner));
    run.participant = calloc((size_t)arena->shape.ranks, sizeof(*run.participant));
    for (int rank = 0; rank < arena->shape.ranks; rank++)
        participant_open(&run, rank);
    tasks_enter(&run);
    play(&run);
    wrong = arena_judge(&run);
    for (int rank = 0; rank < arena->shape.ranks; rank++)
        participant_close(&run.participant[rank]);
    while (run.mails > 0)
        free(run.mail[--run.mails].tokens);
    free(run.mail);
    free(run.participant);
    free(run.owner);
    return wrong;
}

int64_t arena_greatest(const struct arena *arena, int64_t mean_ns)
{
    int64_t *load_ns = calloc((size_t)arena->shape.ranks, sizeof(*load_ns));
    int64_t greatest_ns = 0;

    for (int i = 0; i < arena->tasks; i++)
        load_ns[arena->task[i].rank] += arena->task[i].unmeasured ? mean_ns
                                                                  : arena->task[i].load_ns;
    for (int rank = 0; rank < arena->shape.ranks; rank++)
        greatest_ns = max_i64(greatest_ns, load_ns[rank]);
    free(load_ns);
    return greatest_ns;
}
