/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/protocol/termination.h"

#include "libjuggle/steal/protocol/peer.h"

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

/* Rank 0 has the wave's result. True if no task is left. */
static bool wave_close(struct peer *peer, struct plan *plan)
{
    peer->wave.out = false;
    if (peer->wave.sum != 0 || peer->wave.vain)
        return false;
    peer_finish(peer, plan);
    return true;
}

/* ---- ring: one token, visiting rank 0, 1, ..., back at 0 (Dijkstra; Safra's counting) ------- */

static void ring_advance(struct peer *peer, struct plan *plan)
{
    struct wave *wave = &peer->wave;

    if (peer->rank == 0 && !wave->out) {
        wave_open(wave);
        wave->out = true;
    }
    if (!wave->here)
        return;
    wave_visit(wave);
    peer_send(peer, plan, (peer->rank + 1) % peer->ranks, MESSAGE_WAVE, wave->sum, wave->vain);
}

static void ring_hear(struct peer *peer, const struct message *message, struct plan *plan)
{
    wave_open(&peer->wave);
    wave_gather(&peer->wave, message);
    if (peer->rank == 0)
        (void)wave_close(peer, plan);
}

/* ---- tree: down to the leaves, the visits on the way up (Francez and Rodeh) ----------------- */

static void tree_advance(struct peer *peer, struct plan *plan)
{
    struct wave *wave = &peer->wave;

    if (peer->rank == 0 && !wave->out) {
        wave_open(wave);
        wave->out = true;
        peer_send_children(peer, plan, MESSAGE_WAVE);
    }
    if (!wave->here || wave->echoes < tree_children(peer->rank, peer->ranks))
        return;
    wave_visit(wave);
    if (peer->rank > 0)
        peer_send(peer, plan, tree_parent(peer->rank), MESSAGE_ECHO, wave->sum, wave->vain);
    else if (!wave_close(peer, plan))
        tree_advance(peer, plan);
}

static void tree_hear(struct peer *peer, const struct message *message, struct plan *plan)
{
    if (message->kind == MESSAGE_WAVE) {
        wave_open(&peer->wave);
        peer_send_children(peer, plan, MESSAGE_WAVE);
    } else {
        wave_gather(&peer->wave, message);
        peer->wave.echoes++;
    }
}

const struct termination termination_table[] = {
    [STEAL_TERMINATION_TREE] = {tree_advance, tree_hear},
    [STEAL_TERMINATION_RING] = {ring_advance, ring_hear},
};
