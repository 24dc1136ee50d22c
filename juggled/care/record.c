/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/record.h"

#include "juggled/care/parameter.h"
#include "libjuggle/wish/value.h"
#include "libjuggle/wish/wish_json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

json_t *record_to_json(const char *job, enum job_origin origin, const struct wish *wish,
                       const struct processes *processes)
{
    return json_pack("{s:s, s:s, s:o, s:o}", "job", job, "origin", job_origin_name(origin),
                     "settings", wish_to_json(wish), "processes", processes_to_json(processes));
}

/* -1 is no uid: for chown(2) and setresuid(2) it means "unchanged". */
static bool job_take(const char *job, struct job_record *record)
{
    const char *slash = strchr(job, '/');
    char uid[16], again[16];
    int64_t number;

    if (!slash || slash - job >= (ptrdiff_t)sizeof(uid) || !join_name_is_right(slash + 1))
        return false;
    snprintf(uid, sizeof(uid), "%.*s", (int)(slash - job), job);
    if (number_parse(uid, 0, (int64_t)(uid_t)-1 - 1, &number))
        return false;
    /* Accepts only what juggled writes: no blank, sign or leading zero. */
    snprintf(again, sizeof(again), "%lld", (long long)number);
    record->uid = (uid_t)number;
    snprintf(record->name, sizeof(record->name), "%s", slash + 1);
    return !strcmp(uid, again);
}

static bool origin_take(const json_t *json, struct job_record *record)
{
    const char *name = json_string_value(json_object_get(json, "origin"));

    return name && job_origin_parse(name, &record->origin) == 0 && record->origin != ORIGIN_RULE;
}

/* Returns the name of the wrong member, or NULL. */
static const char *processes_take(const json_t *list, struct processes *processes)
{
    struct process process = {0};
    const json_t *each;
    size_t i;

    processes->count = 0;
    if (!json_is_array(list))
        return "processes";
    json_array_foreach(list, i, each)
    {
        if (!parameter_pid(each, &process.pid))
            return "pid";
        if (!parameter_start_ticks(each, &process.start_ticks))
            return "start_ticks";
        if (processes_find(processes, &process) || processes_add(processes, &process))
            return "processes";
    }
    return NULL;
}

static const char *wrong_field(const char *job, const json_t *json, struct job_record *record)
{
    static const char *const known[] = {"job", "origin", "settings", "processes", NULL};
    const char *named = json_string_value(json_object_get(json, "job"));
    const char *settings;

    if (!named || strcmp(named, job) != 0 || !job_take(named, record))
        return "job";
    if (!origin_take(json, record))
        return "origin";
    if (!json_is_object(json_object_get(json, "settings")))
        return "settings";
    if (wish_from_json(json_object_get(json, "settings"), &record->wish, &settings))
        return settings;
    const char *wrong = processes_take(json_object_get(json, "processes"), &record->processes);
    /* An unknown field may ask for something that this version cannot do. */
    return wrong ? wrong : parameter_unknown(json, known);
}

int record_parse(const char *job, const char *text, size_t length, struct job_record *record,
                 char field[RECORD_FIELD_SIZE])
{
    json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    const char *wrong = json_is_object(json) ? wrong_field(job, json, record) : "JSON";

    if (wrong)
        snprintf(field, RECORD_FIELD_SIZE, "%s", *wrong ? wrong : "empty name");
    json_decref(json);
    return wrong ? -EINVAL : 0;
}
