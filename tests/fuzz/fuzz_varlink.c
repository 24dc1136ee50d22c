/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes of a hostile client against the protocol: they must neither break the server's side nor
 * make it keep more than its bounds. The first byte says how the stream is cut.
 */
#include "juggle/service/wish.h"
#include "libjuggle/varlink/connection.h"
#include "juggle/service/description.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct connection_limits limits = {
    .call_size_max = 1024,
    .replies_size_max = 16384,
    .calls_per_second = 1000,
    .calls_burst = 8,
    .silence_ns = NSEC_PER_SEC,
    .stall_ns = NSEC_PER_SEC,
};

static json_t *answer(const struct call *call)
{
    const char *field;
    struct wish wish;
    json_t *message;

    if (description_answers(call, &message))
        return message;
    if (wish_from_json(json_object_get(call->parameters, "settings"), &wish, &field))
        return description_error("InvalidParameter", "parameter", field);
    return reply_make(wish_to_json(&wish), false);
}

/* What was answered must be what a client can read. */
static void take_replies(struct connection *connection, int64_t now_ns)
{
    size_t size;
    const char *bytes = connection_pending(connection, &size);

    while (bytes) {
        const size_t length = strlen(bytes);
        struct reply reply;
        if (length >= size || reply_parse(bytes, length, &reply))
            abort();
        reply_release(&reply);
        connection_sent(connection, length + 1, now_ns);
        bytes = connection_pending(connection, &size);
    }
}

/* False when the connection is over. */
static bool serve(struct connection *connection, int64_t now_ns)
{
    struct call call;
    int error;

    while (!(error = connection_call(connection, now_ns, &call))) {
        json_t *message = answer(&call);
        call_release(&call);
        if (connection_send(connection, message, call.more, now_ns))
            return false;
        take_replies(connection, now_ns);
    }
    return error == -EAGAIN && !connection_overdue(connection, now_ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const size_t cut = size ? 1 + bytes[0] : 1;
    struct connection *connection;
    int64_t now_ns = 0;
    size_t done = 1;

    if (connection_create(&limits, now_ns, &connection))
        abort();
    while (done < size) {
        char *space;
        size_t room;
        if (connection_space(connection, &space, &room))
            abort();
        if (room > cut)
            room = cut;
        if (room > size - done)
            room = size - done;
        memcpy(space, bytes + done, room);
        connection_received(connection, room);
        done += room;
        now_ns += NSEC_PER_MSEC;
        if (!serve(connection, now_ns) || !room)
            break;
    }
    connection_destroy(connection);
    return 0;
}
