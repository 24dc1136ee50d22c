/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank is to do after a step of the protocol: actions, in their order. */
#ifndef JUGGLE_STEAL_PROTOCOL_PLAN_H
#define JUGGLE_STEAL_PROTOCOL_PLAN_H

#include "libjuggle/steal/protocol/lifelines.h"
#include "libjuggle/steal/protocol/message.h"
#include "libjuggle/steal/protocol/tree.h"

enum action_kind {
    ACTION_SEND, /* sends the message */
    /* Sends tasks with the message: `count` of them, or as many as there are, in several messages
     * if needed. The caller calls peer_gave() for each message before it is sent. */
    ACTION_GIVE,
};

struct action {
    enum action_kind kind;
    struct message message;
};

enum { PLAN_MAX = LIFELINES_MAX + 2 * TREE_FANOUT + 4, COUNTS_MAX = 96 };

/* How many more messages with tasks were sent to a rank than that rank has taken. */
struct change {
    int32_t rank;
    int32_t by;
};

struct steal_plan {
    int count;
    struct action action[PLAN_MAX];
    struct change change[COUNTS_MAX]; /* the payload of a MESSAGE_COUNTS among the actions */
};

#endif
