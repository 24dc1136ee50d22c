/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that wait to be sent, each ended by NUL, within a bound. Pure. */
#ifndef JUGGLE_VARLINK_OUTBOX_H
#define JUGGLE_VARLINK_OUTBOX_H

#include "libjuggle/ground/fault.h"
#include "libjuggle/ground/units.h"

#include <jansson.h>
#include <stddef.h>

struct outbox {
    size_t size_max; /* set by the owner; all other members are zero at first */
    size_t begin, end, room;
    char *bytes;
    struct fault fault;
};

/* -ENOBUFS: it would hold more than size_max; nothing was added; -ENOMEM; -EPROTO: a check
 * failed. */
int outbox_add(struct outbox *outbox, const json_t *message) MUST_CHECK;

/* The bytes to send next; NULL when all are sent. */
const char *outbox_pending(const struct outbox *outbox, size_t *size);
void outbox_sent(struct outbox *outbox, size_t size);

void outbox_release(struct outbox *outbox);

#endif
