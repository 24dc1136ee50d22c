/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank is to do after a step of the protocol: actions, in their order. */
#ifndef JUGGLE_STEAL_PROTOCOL_PLAN_H
#define JUGGLE_STEAL_PROTOCOL_PLAN_H

#include "libjuggle/steal/protocol/lifelines.h"
#include "libjuggle/steal/protocol/message.h"
#include "libjuggle/steal/protocol/tree.h"

enum action_kind {
    ACTION_SEND, /* the message */
    /* Tasks with the message: `count` of them, or as many as can be had, in as many messages as it
     * takes. Whoever does it says how many were in each by peer_gave(), before it leaves. */
    ACTION_GIVE,
};

struct action {
    enum action_kind kind;
    struct message message;
};

enum { PLAN_MAX = LIFELINES_MAX + 2 * TREE_FANOUT + 4, COUNTS_MAX = 96 };

/* By how many messages with tasks those sent to a rank outnumber those that it has taken. */
struct change {
    int32_t rank;
    int32_t by;
};

struct steal_plan {
    int count;
    struct action action[PLAN_MAX];
    struct change change[COUNTS_MAX]; /* what follows a MESSAGE_COUNTS among the actions */
};

#endif
