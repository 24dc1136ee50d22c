/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages that ranks send each other while they process a collection. */
#ifndef JUGGLE_STEAL_PROTOCOL_MESSAGE_H
#define JUGGLE_STEAL_PROTOCOL_MESSAGE_H

#include <stdint.h>

enum message_kind {
    MESSAGE_REQUEST, /* thief to victim: asks for tasks; `count` 1: over a lifeline, to be
                        remembered */
    /* Reply to a request: `count` tasks come along, or none; `total` more follow in further
     * answers. */
    MESSAGE_ANSWER,
    MESSAGE_DEAL, /* to a thief that waits at a lifeline: as ANSWER, but `count` is never 0 */
    MESSAGE_SEED, /* to all ranks, at the start: as DEAL */
    MESSAGE_WAVE, /* visits idle ranks; `total`: task messages under way; `count`: 1 if the wave is
                     in vain */
    MESSAGE_ECHO, /* a subtree's answer to a wave, with the same fields */
    MESSAGE_COUNTS, /* to rank 0: `count` changes of the task messages under way follow */
    MESSAGE_FINISH, /* to the children: no task is left anywhere, stop asking */
    /* To the parent: no rank below awaits an answer; `total` tasks are left there, and `count`
     * holds the PEER_ bits that say why. */
    MESSAGE_QUIET,
    MESSAGE_EXIT,     /* to the children: no rank awaits an answer, leave; `total` and `count` as in
                         QUIET, of all ranks */
    MESSAGE_CANCEL,   /* to all ranks, through the tree: drop all tasks; `total`: the rank that
                         canceled */
    MESSAGE_REPORT,   /* to the parent: `total` tasks executed, `count` ranks active below */
    MESSAGE_COUNTERS, /* to the home of counters: `count` notes on them follow, which may release
                         tasks there; the message is counted like one with tasks */
    MESSAGE_RESULT,   /* to rank 0: results follow, `total` bytes */
    MESSAGE_TAKEN,    /* reply to a RESULT: rank 0 has taken it */
    MESSAGE_PAUSE,    /* to parent and children: begin no more tasks; `count`: why, as PEER_ bits */
    MESSAGE_BOUND,    /* to parent and children: `bound` is better than those before */
    MESSAGE_BROKEN, /* to parent and children: on rank `total` a check has failed, if `count` is 0,
                       or the errno `count` keeps it from going on: leave at once */
};

struct message {
    int32_t peer;   /* the receiver; in a received message, the sender */
    uint32_t epoch; /* the number of the epoch that it belongs to */
    uint32_t kind;
    uint32_t count;
    int64_t total;
    uint64_t bound; /* best bound that the sender knows, as 64 bits of the collection's kind */
};

#endif
