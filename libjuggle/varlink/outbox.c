/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/varlink/outbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FLAGS = JSON_COMPACT };

static void compact(struct outbox *outbox)
{
    if (!outbox->begin)
        return;
    memmove(outbox->bytes, outbox->bytes + outbox->begin, outbox->end - outbox->begin);
    outbox->end -= outbox->begin;
    outbox->begin = 0;
}

static int reserve(struct outbox *outbox, size_t size)
{
    compact(outbox);
    if (size > outbox->size_max - outbox->end)
        return -ENOBUFS;
    if (outbox->end + size <= outbox->room)
        return 0;
    char *bytes = realloc(outbox->bytes, outbox->end + size);
    if (!bytes)
        return -ENOMEM;
    outbox->bytes = bytes;
    outbox->room = outbox->end + size;
    return 0;
}

static bool bounds_hold(struct outbox *outbox)
{
    return HOLDS(&outbox->fault, outbox->begin <= outbox->end) &&
           HOLDS(&outbox->fault, outbox->end <= outbox->room) &&
           HOLDS(&outbox->fault, outbox->end <= outbox->size_max);
}

int outbox_add(struct outbox *outbox, const json_t *message)
{
    if (!bounds_hold(outbox))
        return -EPROTO;
    const size_t length = json_dumpb(message, NULL, 0, FLAGS);
    int error = length ? reserve(outbox, length + 1) : -ENOMEM;

    if (error)
        return error;
    /* json_dumpb takes memory again. If there is none, the bytes that it wrote before are no
     * message. */
    if (json_dumpb(message, outbox->bytes + outbox->end, length, FLAGS) != length)
        return -ENOMEM;
    outbox->end += length;
    outbox->bytes[outbox->end++] = '\0';
    return 0;
}

const char *outbox_pending(const struct outbox *outbox, size_t *size)
{
    *size = outbox->end - outbox->begin;
    return *size ? outbox->bytes + outbox->begin : NULL;
}

void outbox_sent(struct outbox *outbox, size_t size)
{
    /* More bytes than were there cannot have been sent: memory behind them would be sent next. */
    if (!bounds_hold(outbox) || !HOLDS(&outbox->fault, size <= outbox->end - outbox->begin))
        size = outbox->end - outbox->begin;
    outbox->begin += size;
    if (outbox->begin < outbox->end)
        return;
    /* An idle client holds no memory. */
    outbox_release(outbox);
}

void outbox_release(struct outbox *outbox)
{
    free(outbox->bytes);
    *outbox = (struct outbox){.size_max = outbox->size_max, .fault = outbox->fault};
}
