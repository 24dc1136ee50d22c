/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of the service's state are read as they were written; anything else is refused. */
#include "tests/lib/suite.h"

#include "juggled/care/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PROCESS "{\"pid\":7,\"start_ticks\":5}"

static struct job_record record;
static char field[RECORD_FIELD_SIZE];

static int parse(const char *job, const char *text)
{
    *field = '\0';
    return record_parse(job, text, strlen(text), &record, field);
}

START_TEST(what_was_written_is_read_again)
{
    static struct processes processes;
    struct wish wish;

    wish_init(&wish);
    wish.threads = 3;
    wish.policy = POLICY_STATIC;
    for (int i = 0; i < PROCESSES_MAX; i++) {
        const struct process process = {.pid = 0x7fffffff - i, .start_ticks = INT64_MAX};
        ck_assert_int_eq(processes_add(&processes, &process), 0);
    }
    json_t *json = record_to_json("4294967294/a.b:c-d", ORIGIN_JOIN, &wish, &processes);
    char *text = json_dumps(json, JSON_COMPACT);
    ck_assert_int_eq(parse("4294967294/a.b:c-d", text), 0);
    ck_assert_uint_eq(record.uid, 4294967294);
    ck_assert_str_eq(record.name, "a.b:c-d");
    ck_assert_int_eq(record.origin, ORIGIN_JOIN);
    ck_assert(wish_equal(&record.wish, &wish));
    ck_assert_int_eq(record.processes.count, PROCESSES_MAX);
    ck_assert(
        process_is(&record.processes.list[PROCESSES_MAX - 1], &processes.list[PROCESSES_MAX - 1]));
    free(text);
    json_decref(json);
}

#define RECORD(origin, settings, processes) \
    "{\"job\":\"0/x\",\"origin\":" origin ",\"settings\":" settings ",\"processes\":" processes "}"

START_TEST(each_field_is_checked_and_named)
{
    static const struct {
        const char *text, *wrong;
    } cases[] = {
        {RECORD("\"join\"", "{}", "[" PROCESS "]"), NULL},
        {RECORD("\"request\"", "{}", "[]"), NULL},
        {RECORD("-5", "{}", "[]"), "origin"},
        {RECORD("99", "{}", "[]"), "origin"},
        {RECORD("1", "{}", "[]"), "origin"},
        {RECORD("\"rule\"", "{}", "[]"), "origin"},
        {RECORD("\"\"", "{}", "[]"), "origin"},
        {RECORD("null", "{}", "[]"), "origin"},
        {RECORD("\"join\"", "[]", "[]"), "settings"},
        {RECORD("\"join\"", "null", "[]"), "settings"},
        {RECORD("\"join\"", "{\"policy\":7}", "[]"), "policy"},
        {RECORD("\"join\"", "{\"threads\":-1}", "[]"), "threads"},
        {RECORD("\"join\"", "{\"no\\u001b[31m\":1}", "[]"), "no\033[31m"},
        {RECORD("\"join\"", "{}", "{}"), "processes"},
        {RECORD("\"join\"", "{}", "[1]"), "pid"},
        {RECORD("\"join\"", "{}", "[{\"pid\":4294967303,\"start_ticks\":5}]"), "pid"},
        {RECORD("\"join\"", "{}", "[{\"pid\":0,\"start_ticks\":5}]"), "pid"},
        {RECORD("\"join\"", "{}", "[{\"pid\":-7,\"start_ticks\":5}]"), "pid"},
        {RECORD("\"join\"", "{}", "[{\"pid\":\"7\",\"start_ticks\":5}]"), "pid"},
        {RECORD("\"join\"", "{}", "[{\"pid\":7.0,\"start_ticks\":5}]"), "pid"},
        {RECORD("\"join\"", "{}", "[{\"pid\":7,\"start_ticks\":-5}]"), "start_ticks"},
        {RECORD("\"join\"", "{}", "[{\"pid\":7}]"), "start_ticks"},
        {RECORD("\"join\"", "{}", "[" PROCESS "," PROCESS "]"), "processes"},
        {"{\"job\":\"0/x\",\"origin\":\"join\",\"settings\":{},\"processes\":[],\"more\":1}",
         "more"},
        {"{\"job\":\"0/x\",\"job\":\"0/x\"}", "JSON"},
        {"{\"origin\":\"join\",\"settings\":{},\"processes\":[]}", "job"},
        {RECORD("\"join\"", "{\"\":1}", "[]"), "empty name"},
        {"[]", "JSON"},
        {"", "JSON"},
        {"{", "JSON"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        const int error = parse("0/x", cases[i].text);
        ck_assert_msg(error == (cases[i].wrong ? -EINVAL : 0), "%s", cases[i].text);
        ck_assert_str_eq(field, cases[i].wrong ? cases[i].wrong : "");
    }
}

/* Only names that a call may give, of users that can exist. */
START_TEST(jobs_are_a_number_and_a_right_name)
{
    static const char *const wrong[] = {
        "",
        "x",
        "zz/x",
        "0/",
        "/x",
        "-1/x",
        "+1/x",
        "01/x",
        " 1/x",
        "4294967295/x",
        "4294967296/x",
        "0/-x",
        "0/.x",
        "0/a b",
        "1001/../../\\u001b[31m",
        "0/a/b",
        "0/x\\n",
        "0x1/x",
        "99999999999999999999/x",
        "0/12345678901234567890123456789012345678901",
    };
    char text[256];

    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
        snprintf(text, sizeof(text),
                 "{\"job\":\"%s\",\"origin\":\"join\",\"settings\":{},\"processes\":[]}", wrong[i]);
        json_t *json = json_loads(text, 0, NULL);
        const char *job = json_string_value(json_object_get(json, "job"));
        ck_assert_ptr_nonnull(job);
        ck_assert_msg(parse(job, text) == -EINVAL, "%s", text);
        ck_assert_str_eq(field, "job");
        json_decref(json);
    }
}

/* The record of another file would be written to a second file, and the first would stay for
 * good. */
START_TEST(a_record_is_that_of_its_file)
{
    ck_assert_int_eq(parse("0/x", RECORD("\"join\"", "{}", "[]")), 0);
    ck_assert_int_eq(parse("0/y", RECORD("\"join\"", "{}", "[]")), -EINVAL);
    ck_assert_str_eq(field, "job");
}

SUITE("record")
