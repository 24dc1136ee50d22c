/* SPDX-License-Identifier: BSD-3-Clause */
/* Waves: see termination.h. */
#include "libjuggle/steal/protocol/actions.h"

static void wave_begin(struct peer *peer, bool has_tasks)
{
    peer->wave = (struct wave){.dirty = has_tasks};
}

static void wave_gave(struct peer *peer, int to)
{
    (void)to;
    peer->wave.balance++;
}

static void wave_took(struct peer *peer)
{
    peer->wave.balance--;
    peer->wave.dirty = true;
}

static void wave_open(struct wave *wave)
{
    wave->here = true;
    wave->echoes = 0;
    wave->sum = 0;
    wave->vain = false;
}

static void wave_gather(struct wave *wave, const struct message *message)
{
    wave->sum += message->total;
    wave->vain |= message->count != 0;
}

static void wave_visit(struct wave *wave)
{
    wave->sum += wave->balance;
    wave->vain |= wave->dirty;
    wave->dirty = false;
    wave->here = false;
}

/* On rank 0: evaluates the wave. Returns true if no task is left. */
static bool wave_close(struct peer *peer, struct steal_plan *plan)
{
    peer->wave.out = false;
    if (peer->wave.sum != 0 || peer->wave.vain)
        return false;
    peer_finish(peer, plan);
    return true;
}

/* ---- ring: one token, visiting rank 0, 1, ..., back at 0 (Dijkstra; Safra's counting) ------- */

static void ring_advance(struct peer *peer, struct steal_plan *plan)
{
    struct wave *wave = &peer->wave;

    if (!peer->idle || peer->results_pending)
        return;
    if (peer->rank == 0 && !wave->out) {
        wave_open(wave);
        wave->out = true;
    }
    if (!wave->here)
        return;
    wave_visit(wave);
    peer_send(peer, plan, (peer->rank + 1) % peer->ranks, MESSAGE_WAVE, wave->sum, wave->vain);
}

static void ring_handle(struct peer *peer, const struct message *message,
                        const struct change *change, struct steal_plan *plan)
{
    (void)change;
    wave_open(&peer->wave);
    wave_gather(&peer->wave, message);
    if (peer->rank == 0)
        (void)wave_close(peer, plan);
}

/* ---- tree: down to the leaves, the visits on the way up (Francez and Rodeh) ----------------- */

static void tree_advance(struct peer *peer, struct steal_plan *plan)
{
    struct wave *wave = &peer->wave;

    if (!peer->idle || peer->results_pending)
        return;
    if (peer->rank == 0 && !wave->out) {
        wave_open(wave);
        wave->out = true;
        peer_send_children(peer, plan, MESSAGE_WAVE, 0, 0);
    }
    if (!wave->here || wave->echoes < tree_children(peer->rank, peer->ranks))
        return;
    wave_visit(wave);
    if (peer->rank > 0)
        peer_send(peer, plan, tree_parent(peer->rank), MESSAGE_ECHO, wave->sum, wave->vain);
    else if (!wave_close(peer, plan))
        tree_advance(peer, plan);
}

static void tree_handle(struct peer *peer, const struct message *message,
                        const struct change *change, struct steal_plan *plan)
{
    (void)change;
    if (message->kind == MESSAGE_WAVE) {
        wave_open(&peer->wave);
        peer_send_children(peer, plan, MESSAGE_WAVE, 0, 0);
    } else {
        wave_gather(&peer->wave, message);
        peer->wave.echoes++;
    }
}

const struct termination tree_waves = {
    .begin = wave_begin,
    .gave = wave_gave,
    .took = wave_took,
    .advance = tree_advance,
    .handle = tree_handle,
};

const struct termination ring_waves = {
    .begin = wave_begin,
    .gave = wave_gave,
    .took = wave_took,
    .advance = ring_advance,
    .handle = ring_handle,
};
