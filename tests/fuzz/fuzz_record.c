/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records of the state that anybody could have written. The first line is the job in the name of
 * the file. An accepted record is one that juggled would have written, and is read again as the
 * same.
 */
#include "juggled/care/record.h"
#include "cli/foreign.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOB_SIZE = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void expect_right(const char *job, const struct job_record *record)
{
    char again[JOB_SIZE];

    snprintf(again, sizeof(again), "%u/%s", (unsigned)record->uid, record->name);
    if (strcmp(job, again) != 0 || !join_name_is_right(record->name))
        abort();
    if (record->origin != ORIGIN_REQUEST && record->origin != ORIGIN_JOIN)
        abort();
    for (int i = 0; i < record->processes.count; i++)
        if (record->processes.list[i].pid <= 0)
            abort();
}

static void expect_same(const char *job, const struct job_record *record)
{
    static struct job_record again;
    char field[RECORD_FIELD_SIZE];
    json_t *json = record_to_json(job, record->origin, &record->wish, &record->processes);
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

    if (!text || record_parse(job, text, strlen(text), &again, field) ||
        !wish_equal(&again.wish, &record->wish) || again.processes.count != record->processes.count)
        abort();
    free(text);
    json_decref(json);
}

/* Checks that text from the record is safe on a terminal. */
static void expect_plain(const char *text)
{
    char shown[FOREIGN_TEXT_SIZE];

    for (const char *byte = foreign_text(text, shown, sizeof(shown)); *byte; byte++)
        if ((unsigned char)*byte < ' ' || *byte == 0x7f)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct job_record record;
    char job[JOB_SIZE] = "", field[RECORD_FIELD_SIZE] = "";
    const uint8_t *end = memchr(bytes, '\n', size);

    if (!end || end - bytes >= JOB_SIZE)
        return -1;
    memcpy(job, bytes, (size_t)(end - bytes));
    const char *text = (const char *)end + 1;
    if (record_parse(job, text, size - (size_t)(end + 1 - bytes), &record, field) == 0) {
        expect_right(job, &record);
        expect_same(job, &record);
    } else if (!*field) {
        abort();
    }
    expect_plain(field);
    return 0;
}
