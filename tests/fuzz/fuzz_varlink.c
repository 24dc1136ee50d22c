/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes of a hostile client against the protocol and the methods behind it: they must neither break
 * the server's side nor make it keep more than its bounds.
 *
 * The first byte says how the stream is cut, the second which client calls and
 * how much it reads.
 */
#include "juggled/talk/calls.h"
#include "libjuggle/varlink/connection.h"
#include "tests/fuzz/fake_jobs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_SIZE = 2, PRIVILEGED = 1, REFUSES_REPLIES = 2, PID_SHIFT = 2, USER = 1000 };

/* Each piece of the stream takes a millisecond. */
#define PICTURE_INTERVAL_NS (32 * NSEC_PER_MSEC)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct connection_limits limits = {
    .call_size_max = 384,
    .replies_size_max = 16384,
    .calls_per_second = 1000,
    .calls_burst = 8,
    .silence_ns = NSEC_PER_SEC,
    .stall_ns = NSEC_PER_SEC,
};

struct session {
    struct connection *connection;
    struct credentials peer;
    bool refuses_replies; /* takes no reply */
    struct monitor monitor;
    bool watches;
};

static json_t *tell_statistics(void *context, const struct credentials *peer)
{
    (void)context;
    (void)peer;
    return json_object();
}

static int refuse_reload(void *context, char *reason, size_t size)
{
    (void)context;
    snprintf(reason, size, "f:1: wrong");
    return -EINVAL;
}

static const struct calls calls = {.statistics = tell_statistics, .reload = refuse_reload};

/* Checks that a client can read the answers. */
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

/* Returns false if the connection is over. */
static bool session_send(struct session *session, json_t *message, bool continues, int64_t now_ns)
{
    if (connection_send(session->connection, message, continues, now_ns))
        return false;
    if (!session->refuses_replies)
        take_replies(session->connection, now_ns);
    return true;
}

/* The pictures of a client that watches come between its bytes. */
static bool session_show(struct session *session, int64_t now_ns)
{
    bool ended;

    if (!session->watches || now_ns % PICTURE_INTERVAL_NS)
        return true;
    json_t *picture = calls_picture(&calls, &session->peer, &session->monitor, &ended);
    session->watches = !ended;
    return session_send(session, picture, !ended, now_ns);
}

static bool session_serve(struct session *session, int64_t now_ns)
{
    struct call call;
    int error;

    while (!(error = connection_call(session->connection, now_ns, &call))) {
        json_t *message = calls_answer(&calls, &session->peer, &call);
        session->watches = calls_monitor(&call, message, &session->monitor);
        call_release(&call);
        if (!session_send(session, message, session->watches, now_ns))
            return false;
    }
    return error == -EAGAIN && !connection_overdue(session->connection, now_ns);
}

static void session_run(struct session *session, const uint8_t *bytes, size_t size, size_t cut)
{
    int64_t now_ns = 0;
    size_t room = 1;

    while (size && room) {
        char *space;
        if (connection_space(session->connection, &space, &room))
            abort();
        if (room > cut)
            room = cut;
        if (room > size)
            room = size;
        memcpy(space, bytes, room);
        connection_received(session->connection, room);
        bytes += room;
        size -= room;
        now_ns += NSEC_PER_MSEC;
        if (!session_serve(session, now_ns) || !session_show(session, now_ns))
            return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct session session = {.connection = NULL};

    if (size < HEADER_SIZE)
        return -1;
    if (connection_create(&limits, 0, &session.connection))
        abort();
    /* In the stand-in, process and user belong together, as they do in the kernel. */
    session.peer.process = (struct process){.pid = 1 + (bytes[1] >> PID_SHIFT), .start_ticks = 1};
    session.peer.uid = USER + (uid_t)session.peer.process.pid % 2;
    session.peer.privileged = bytes[1] & PRIVILEGED;
    session.refuses_replies = bytes[1] & REFUSES_REPLIES;
    fake_jobs_clear();
    session_run(&session, bytes + HEADER_SIZE, size - HEADER_SIZE, 1 + (size_t)bytes[0]);
    connection_destroy(session.connection);
    return 0;
}
