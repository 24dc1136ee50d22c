/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/varlink/connection.h"

#include "libjuggle/varlink/bucket.h"
#include "libjuggle/varlink/frames.h"
#include "libjuggle/varlink/outbox.h"

#include <errno.h>
#include <stdlib.h>

struct connection {
    struct fault fault;
    struct connection_limits limits;
    struct frames *frames;
    struct outbox outbox;
    struct bucket calls;
    bool answering;      /* a call was given out and its last reply has not come */
    bool oneway;         /* that call wants no reply */
    bool throttled;      /* a call waits until the bucket allows it */
    int64_t answered_ns; /* when the last call was answered */
    int64_t taken_ns;    /* when the client last took something, or had taken all */
};

int connection_create(const struct connection_limits *limits, int64_t now_ns,
                      struct connection **result)
{
    struct connection *connection = calloc(1, sizeof(*connection));

    if (!connection)
        return -ENOMEM;
    int error = frames_create(limits->call_size_max, &connection->frames);
    if (error) {
        free(connection);
        return error;
    }
    connection->limits = *limits;
    connection->outbox.size_max = limits->replies_size_max;
    connection->calls = bucket_full(limits->calls_per_second, limits->calls_burst, now_ns);
    connection->answered_ns = now_ns;
    connection->taken_ns = now_ns;
    *result = connection;
    return 0;
}

void connection_destroy(struct connection *connection)
{
    if (!connection)
        return;
    frames_destroy(connection->frames);
    outbox_release(&connection->outbox);
    free(connection);
}

int connection_space(struct connection *connection, char **space, size_t *size)
{
    return frames_space(connection->frames, space, size);
}

void connection_received(struct connection *connection, size_t size)
{
    frames_fill(connection->frames, size);
}

const char *connection_fault(const struct connection *connection)
{
    const char *fault = fault_text(&connection->fault);

    if (!fault)
        fault = fault_text(&connection->outbox.fault);
    return fault ? fault : frames_fault(connection->frames);
}

static bool is_free(const struct connection *connection)
{
    size_t waiting;

    return !connection->answering && !outbox_pending(&connection->outbox, &waiting);
}

bool connection_waits(const struct connection *connection)
{
    return is_free(connection) && frames_waiting(connection->frames);
}

bool connection_is_done(const struct connection *connection)
{
    return is_free(connection) && !frames_waiting(connection->frames);
}

int connection_call(struct connection *connection, int64_t now_ns, struct call *call)
{
    const char *message;
    size_t length;

    connection->throttled = false;
    if (!connection_waits(connection))
        return -EAGAIN;
    if (!bucket_take(&connection->calls, now_ns)) {
        connection->throttled = true;
        return -EAGAIN;
    }
    int error = frames_take(connection->frames, &message, &length);
    if (!error)
        error = call_parse(message, length, call);
    if (error)
        return error;
    connection->answering = true;
    connection->oneway = call->oneway;
    return 0;
}

int connection_send(struct connection *connection, json_t *message, bool continues, int64_t now_ns)
{
    size_t waiting;
    int error = 0;

    if (!message)
        return -ENOMEM;
    /* The client would take a reply to no call for the reply to its next call. */
    if (!HOLDS(&connection->fault, connection->answering)) {
        json_decref(message);
        return -EPROTO;
    }
    if (!outbox_pending(&connection->outbox, &waiting))
        connection->taken_ns = now_ns;
    if (continues && json_object_set_new(message, "continues", json_true()))
        error = -ENOMEM;
    if (!error && !connection->oneway)
        error = outbox_add(&connection->outbox, message);
    json_decref(message);
    connection->answering = continues;
    connection->answered_ns = now_ns;
    return error;
}

const char *connection_pending(const struct connection *connection, size_t *size)
{
    return outbox_pending(&connection->outbox, size);
}

void connection_sent(struct connection *connection, size_t size, int64_t now_ns)
{
    outbox_sent(&connection->outbox, size);
    connection->taken_ns = now_ns;
}

/* When to drop the client. A client that is being answered, or will be, need not send another
 * call. */
static int64_t patience_end_ns(const struct connection *connection)
{
    size_t waiting;

    if (outbox_pending(&connection->outbox, &waiting))
        return connection->taken_ns + connection->limits.stall_ns;
    if (connection->answering || frames_waiting(connection->frames))
        return INT64_MAX;
    return connection->answered_ns + connection->limits.silence_ns;
}

int64_t connection_due_ns(const struct connection *connection)
{
    const int64_t end_ns = patience_end_ns(connection);

    return connection->throttled ? min_i64(end_ns, bucket_next_ns(&connection->calls)) : end_ns;
}

bool connection_overdue(const struct connection *connection, int64_t now_ns)
{
    return now_ns >= patience_end_ns(connection);
}
