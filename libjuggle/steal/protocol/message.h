/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks tell each other while they process a collection. */
#ifndef JUGGLE_STEAL_PROTOCOL_MESSAGE_H
#define JUGGLE_STEAL_PROTOCOL_MESSAGE_H

#include <stdint.h>

enum message_kind {
    MESSAGE_REQUEST, /* thief to victim: have you tasks? `count` 1: over a lifeline, remember me */
    /* To a request: `count` tasks come along, or none; `total` more follow in further answers. */
    MESSAGE_ANSWER,
    MESSAGE_DEAL,   /* to one who waits at a lifeline's end: the same, but never none */
    MESSAGE_SEED,   /* to everybody, at the start: the same */
    MESSAGE_WAVE,   /* is everybody idle? `total`: task messages under way; `count`: 1 if in vain */
    MESSAGE_ECHO,   /* a subtree's answer to a wave, in the same terms */
    MESSAGE_COUNTS, /* to rank 0: `count` changes of what is under way to whom follow */
    MESSAGE_FINISH, /* to the children: no task is left anywhere, ask no more */
    /* To the parent: nobody below awaits an answer; `total` tasks are left there, as `count` says
     * what was wanted. */
    MESSAGE_QUIET,
    MESSAGE_EXIT,   /* to the children: nobody anywhere awaits an answer, leave; the same of all */
    MESSAGE_CANCEL, /* to all, through the tree: drop all tasks; `total`: the rank that wants it */
    MESSAGE_REPORT, /* to the parent: `total` tasks executed, `count` ranks active below */
    MESSAGE_COUNTERS, /* to where they are at home: `count` notes on counters follow, which may
                         release tasks there: they count as tasks do */
    MESSAGE_RESULT,   /* to rank 0: `count` results follow, of `total` bytes */
    MESSAGE_TAKEN,    /* to a RESULT: rank 0 has them */
    MESSAGE_PAUSE,    /* to parent and children: begin no more tasks; `count`: what is wanted */
    MESSAGE_BOUND,    /* to parent and children: the bound that each message has is a better one */
    MESSAGE_BROKEN,   /* to parent and children: a check has failed on rank `total`, or it cannot go
                         on   for the errno `count`: leave at once */
};

struct message {
    int32_t peer;   /* whom it goes to; once received, whom it came from */
    uint32_t epoch; /* which process() of the runtime it belongs to */
    uint32_t kind;
    uint32_t count;
    int64_t total;
    uint64_t bound; /* that the sender knows, as its collection holds it */
};

#endif
