/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/varlink/bucket.h"
#include "libjuggle/varlink/connection.h"
#include "juggled/talk/description.h"
#include "libjuggle/varlink/frames.h"
#include "libjuggle/varlink/outbox.h"
#include "tests/lib/chance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct connection_limits limits = {
    .call_size_max = 256,
    .replies_size_max = 64,
    .calls_per_second = 10,
    .calls_burst = 3,
    .silence_ns = 60 * NSEC_PER_SEC,
    .stall_ns = 5 * NSEC_PER_SEC,
};

/* ---- frames ---- */

static void frames_feed(struct frames *frames, const char *bytes, size_t length)
{
    while (length) {
        char *space;
        size_t size;
        ck_assert_int_eq(frames_space(frames, &space, &size), 0);
        ck_assert_uint_gt(size, 0);
        size = size < length ? size : length;
        memcpy(space, bytes, size);
        frames_fill(frames, size);
        bytes += size;
        length -= size;
    }
}

START_TEST(frames_cut_wherever_the_bytes_break)
{
    static const char stream[] = "one\0two\0\0three";

    for (size_t cut = 0; cut <= sizeof(stream); cut++) {
        struct frames *frames;
        const char *message;
        size_t length;

        ck_assert_int_eq(frames_create(64, &frames), 0);
        frames_feed(frames, stream, cut);
        frames_feed(frames, stream + cut, sizeof(stream) - cut);
        ck_assert_int_eq(frames_take(frames, &message, &length), 0);
        ck_assert_str_eq(message, "one");
        ck_assert_int_eq(frames_take(frames, &message, &length), 0);
        ck_assert_str_eq(message, "two");
        ck_assert_int_eq(frames_take(frames, &message, &length), 0);
        ck_assert_uint_eq(length, 0);
        ck_assert_int_eq(frames_take(frames, &message, &length), 0);
        ck_assert_str_eq(message, "three");
        ck_assert_int_eq(frames_take(frames, &message, &length), -EAGAIN);
        frames_destroy(frames);
    }
}

/* A stream of messages comes in pieces of any size, and each message is taken out when it is
 * complete. */
static void cut_anywhere(void)
{
    const size_t size_max = (size_t)between(1, 9000);
    char stream[20000];
    size_t ends = 0, put = 0, taken = 0;
    struct frames *frames;

    while (ends + size_max < sizeof(stream) && !one_in(50)) {
        const size_t length = (size_t)below(one_in(2) ? min_i64(4, (int64_t)size_max)
                                                      : (int64_t)size_max);
        memset(stream + ends, (int)between('a', 'z'), length);
        stream[ends + length] = '\0';
        ends += length + 1;
    }
    ck_assert_int_eq(frames_create(size_max, &frames), 0);
    while (taken < ends) {
        const char *message;
        size_t length, size;
        char *space;

        ALWAYS(!frames_space(frames, &space, &size) && size <= size_max);
        size = (size_t)min_i64((int64_t)size, (int64_t)(ends - put));
        size = one_in(2) ? size : (size_t)below((int64_t)size + 1);
        memcpy(space, stream + put, size);
        frames_fill(frames, size);
        put += size;
        ALWAYS(put - taken <= size_max);
        while (!one_in(4) && frames_waiting(frames)) {
            ALWAYS(!frames_take(frames, &message, &length));
            ALWAYS(!strcmp(message, stream + taken) && length == strlen(message));
            taken += length + 1;
            ALWAYS(taken <= put);
        }
    }
    ALWAYS(taken == ends && !frames_fault(frames));
    frames_destroy(frames);
}

START_TEST(frames_lose_nothing_and_hold_no_more_than_they_may)
{
    live_with_seeds(1000, cut_anywhere);
}

START_TEST(frames_refuse_what_is_too_long)
{
    struct frames *frames;
    const char *message;
    char *space;
    size_t length;
    char bytes[10000];

    memset(bytes, 'x', sizeof(bytes));
    ck_assert_int_eq(frames_create(sizeof(bytes), &frames), 0);
    frames_feed(frames, bytes, sizeof(bytes) - 1);
    ck_assert_int_eq(frames_take(frames, &message, &length), -EAGAIN);
    frames_feed(frames, "x", 1);
    ck_assert_int_eq(frames_take(frames, &message, &length), -EMSGSIZE);
    ck_assert_int_eq(frames_space(frames, &space, &length), 0);
    ck_assert_uint_eq(length, 0);
    frames_destroy(frames);
}

/* ---- messages ---- */

static int parse(const char *text, struct call *call)
{
    return call_parse(text, strlen(text), call);
}

START_TEST(calls_are_parsed)
{
    struct call call;

    ck_assert_int_eq(parse("{\"method\":\"a.B\",\"parameters\":{\"pid\":7},\"more\":true}", &call),
                     0);
    ck_assert_str_eq(call.method, "a.B");
    ck_assert(call.more && !call.oneway);
    ck_assert_int_eq(json_integer_value(json_object_get(call.parameters, "pid")), 7);
    call_release(&call);
    ck_assert_int_eq(parse("{\"method\":\"a.B\"}", &call), 0);
    ck_assert_uint_eq(json_object_size(call.parameters), 0);
    call_release(&call);
}

START_TEST(what_is_no_call_is_refused)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "7",
        "\"a.B\"",
        "null",
        "{}",
        "{\"method\":7}",
        "{\"method\":\"a.B\",\"parameters\":[]}",
        "{\"method\":\"a.B\",\"more\":1}",
        "{\"method\":\"a.B\",\"oneway\":\"yes\"}",
        "{\"method\":\"a.B\",\"method\":\"a.C\"}",
        "{\"method\":\"a.B\"} x",
        "{\"method\":\"a\xff.B\"}",
        "{\"method\":\"a\\u0000.B\"}",
    };
    struct call call;

    for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
        ck_assert_int_eq(parse(texts[i], &call), -EBADMSG);
}

START_TEST(replies_come_back_as_they_were_made)
{
    json_t *messages[] = {
        reply_make(NULL),
        json_pack("{s:{s:i}, s:b}", "parameters", "n", 1, "continues", 1),
        error_make("io.juggle.NoSuchJob", json_pack("{s:s}", "job", "x")),
    };

    for (size_t i = 0; i < ARRAY_COUNT(messages); i++) {
        char *text = json_dumps(messages[i], JSON_COMPACT);
        struct reply reply;

        ck_assert_int_eq(reply_parse(text, strlen(text), &reply), 0);
        ck_assert(json_equal(reply.message, messages[i]));
        ck_assert_int_eq(reply.continues, i == 1);
        ck_assert_int_eq(reply.error != NULL, i == 2);
        reply_release(&reply);
        free(text);
        json_decref(messages[i]);
    }
}

/* ---- connections ---- */

static struct connection *client_new(void)
{
    struct connection *connection;

    ck_assert_int_eq(connection_create(&limits, 0, &connection), 0);
    return connection;
}

static void client_writes(struct connection *connection, const char *bytes, size_t length)
{
    char *space;
    size_t size;

    ck_assert_int_eq(connection_space(connection, &space, &size), 0);
    ck_assert_uint_ge(size, length);
    memcpy(space, bytes, length);
    connection_received(connection, length);
}

#define CALL "{\"method\":\"a.B\"}"

START_TEST(one_call_is_answered_after_the_other)
{
    static const char two[] = CALL "\0" CALL;
    struct connection *connection = client_new();
    struct call call;
    size_t size;

    client_writes(connection, two, sizeof(two));
    ck_assert_int_eq(connection_call(connection, 1, &call), 0);
    call_release(&call);
    ck_assert_int_eq(connection_call(connection, 1, &call), -EAGAIN);
    ck_assert_int_eq(connection_send(connection, reply_make(NULL), true, 1), 0);
    ck_assert_int_eq(connection_call(connection, 1, &call), -EAGAIN);
    ck_assert_int_eq(connection_send(connection, reply_make(NULL), false, 1), 0);
    const char *bytes = connection_pending(connection, &size);
    ck_assert_str_eq(bytes, "{\"parameters\":{},\"continues\":true}");
    ck_assert_str_eq(bytes + strlen(bytes) + 1, "{\"parameters\":{}}");
    connection_sent(connection, size - 1, 1);
    ck_assert_int_eq(connection_call(connection, 1, &call), -EAGAIN);
    connection_sent(connection, 1, 1);
    ck_assert_int_eq(connection_call(connection, 1, &call), 0);
    call_release(&call);
    connection_destroy(connection);
}

START_TEST(a_oneway_call_has_no_reply)
{
    static const char text[] = "{\"method\":\"a.B\",\"oneway\":true}";
    struct connection *connection = client_new();
    struct call call;
    size_t size;

    client_writes(connection, text, sizeof(text));
    ck_assert_int_eq(connection_call(connection, 1, &call), 0);
    call_release(&call);
    ck_assert_int_eq(connection_send(connection, reply_make(NULL), false, 1), 0);
    ck_assert_ptr_null(connection_pending(connection, &size));
    connection_destroy(connection);
}

START_TEST(calls_beyond_the_rate_wait)
{
    static const char four[] = CALL "\0" CALL "\0" CALL "\0" CALL;
    struct connection *connection = client_new();
    struct call call;

    client_writes(connection, four, sizeof(four));
    for (int i = 0; i < limits.calls_burst; i++) {
        ck_assert_int_eq(connection_call(connection, 0, &call), 0);
        call_release(&call);
        ck_assert_int_eq(connection_send(connection, reply_make(NULL), false, 0), 0);
        size_t size;
        connection_pending(connection, &size);
        connection_sent(connection, size, 0);
    }
    ck_assert_int_eq(connection_call(connection, 0, &call), -EAGAIN);
    const int64_t due_ns = connection_due_ns(connection);
    ck_assert_int_eq(due_ns, NSEC_PER_SEC / limits.calls_per_second);
    ck_assert_int_eq(connection_call(connection, due_ns - 1, &call), -EAGAIN);
    ck_assert_int_eq(connection_call(connection, due_ns, &call), 0);
    call_release(&call);
    connection_destroy(connection);
}

START_TEST(a_client_that_takes_nothing_is_dropped)
{
    static const char text[] = CALL;
    struct connection *connection = client_new();
    struct call call;

    client_writes(connection, text, sizeof(text));
    ck_assert_int_eq(connection_call(connection, 0, &call), 0);
    call_release(&call);
    ck_assert(!connection_overdue(connection, INT64_MAX - 1));
    ck_assert_int_eq(connection_send(connection, reply_make(NULL), true, 7), 0);
    ck_assert(!connection_overdue(connection, 7 + limits.stall_ns - 1));
    ck_assert(connection_overdue(connection, 7 + limits.stall_ns));
    ck_assert_int_eq(connection_due_ns(connection), 7 + limits.stall_ns);
    ck_assert_int_eq(connection_send(connection, reply_make(NULL), true, 8), -ENOBUFS);
    connection_destroy(connection);
}

START_TEST(a_client_that_asks_nothing_is_dropped)
{
    struct connection *connection = client_new();

    client_writes(connection, "{", 1);
    ck_assert(!connection_overdue(connection, limits.silence_ns - 1));
    ck_assert(connection_overdue(connection, limits.silence_ns));
    connection_destroy(connection);
}

/* The owner of the connection may have reasons to answer it late. */
START_TEST(a_client_whose_call_waits_is_not_silent)
{
    static const char text[] = CALL;
    struct connection *connection = client_new();

    ck_assert(!connection_waits(connection));
    client_writes(connection, text, sizeof(text));
    ck_assert(connection_waits(connection));
    ck_assert(!connection_overdue(connection, INT64_MAX - 1));
    connection_destroy(connection);
}

START_TEST(noise_ends_a_connection)
{
    struct connection *connection = client_new();
    struct call call;

    client_writes(connection, "noise", sizeof("noise"));
    ck_assert_int_eq(connection_call(connection, 0, &call), -EBADMSG);
    connection_destroy(connection);
}

/* ---- the service's description ---- */

static json_t *ask(const char *method, const char *interface)
{
    struct call call = {.method = method, .parameters = json_object()};
    json_t *message = NULL;

    if (interface)
        json_object_set_new(call.parameters, "interface", json_string(interface));
    if (!description_answers(&call, &message))
        message = json_null();
    json_decref(call.parameters);
    return message;
}

static void expect_error(const char *method, const char *interface, const char *error)
{
    json_t *message = ask(method, interface);

    ck_assert_str_eq(json_string_value(json_object_get(message, "error")), error);
    json_decref(message);
}

static void expect_no_interface(const char *method, const char *interface)
{
    json_t *message = ask(method, NULL);
    const json_t *parameters = json_object_get(message, "parameters");

    ck_assert_str_eq(json_string_value(json_object_get(parameters, "interface")), interface);
    json_decref(message);
    expect_error(method, NULL, "org.varlink.service.InterfaceNotFound");
}

static int memory_left;

static void *allocate(size_t size)
{
    return memory_left-- > 0 ? malloc(size) : NULL;
}

/* Writing a message allocates memory each time. */
START_TEST(without_memory_there_is_no_message_rather_than_a_part_of_one)
{
    static const char expected[] = "{\"parameters\":{\"jobs\":[{\"job\":\"0/a\"}]}}";
    json_t *message = json_loads(expected, 0, NULL);
    int error = -ENOMEM, failed_count = 0;

    ck_assert_ptr_nonnull(message);
    for (int room = 0; error; room++) {
        struct outbox outbox = {.size_max = 1024};
        size_t size;
        memory_left = room;
        json_set_alloc_funcs(allocate, free);
        error = outbox_add(&outbox, message);
        json_set_alloc_funcs(malloc, free);
        const char *pending = outbox_pending(&outbox, &size);
        if (error) {
            ck_assert_int_eq(error, -ENOMEM);
            ck_assert_ptr_null(pending);
        } else {
            ck_assert_uint_eq(size, sizeof(expected));
            ck_assert_str_eq(pending, expected);
        }
        failed_count += error != 0;
        outbox_release(&outbox);
    }
    ck_assert_int_gt(failed_count, 1);
    json_decref(message);
}

START_TEST(the_service_describes_itself)
{
    json_t *message = ask("org.varlink.service.GetInterfaceDescription", "io.juggle");
    const json_t *parameters = json_object_get(message, "parameters");
    const char *text = json_string_value(json_object_get(parameters, "description"));

    ck_assert_str_eq(text, description_juggle);
    ck_assert_ptr_nonnull(strstr(text, "\ninterface io.juggle\n"));
    json_decref(message);
    message = ask("org.varlink.service.GetInfo", NULL);
    parameters = json_object_get(message, "parameters");
    ck_assert_uint_eq(json_array_size(json_object_get(parameters, "interfaces")), 2);
    json_decref(message);
    ck_assert(json_is_null(ask("io.juggle.Jobs", NULL)));
    expect_error("org.varlink.service.Nothing", NULL, "org.varlink.service.MethodNotFound");
    expect_no_interface("io.jugglers.Jobs", "io.jugglers");
    expect_no_interface("Jobs", "Jobs");
    expect_error("org.varlink.service.GetInterfaceDescription", NULL,
                 "org.varlink.service.InvalidParameter");
    expect_error("org.varlink.service.GetInterfaceDescription", "x",
                 "org.varlink.service.InterfaceNotFound");
}

SUITE("varlink")
