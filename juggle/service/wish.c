/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/service/wish.h"

#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct wish wish_default = {.idle = WORKERS_IDLE_AUTO};

/* ---- values, however they came ---- */

static bool is_list(const char *text)
{
    struct cpu_mask mask;

    return strlen(text) < WISH_LIST_SIZE && cpu_mask_parse(text, &mask) == 0;
}

/* Lists between semicolons; whether they overlap is seen when the machine is known. */
static bool is_list_of_lists(const char *text)
{
    char list[WISH_LIST_SIZE];

    for (;;) {
        const size_t length = strcspn(text, ";");
        if (length >= sizeof(list))
            return false;
        memcpy(list, text, length);
        list[length] = '\0';
        if (!is_list(list))
            return false;
        if (!text[length])
            return true;
        text += length + 1;
    }
}

static bool is_pattern(const char *text)
{
    return *text && strlen(text) < WISH_PATTERN_SIZE;
}

static int text_set(char *target, size_t size, const char *text, bool (*is_right)(const char *))
{
    if (strlen(text) >= size || !is_right(text))
        return -EINVAL;
    memcpy(target, text, strlen(text) + 1);
    return 0;
}

static int number_set(int *target, int64_t value, int low, int high)
{
    if (value < low || value > high)
        return -EINVAL;
    *target = (int)value;
    return 0;
}

static int period_set(struct wish *wish, int64_t period_ns)
{
    if (period_ns < PERIOD_MIN_NS || period_ns > PERIOD_MAX_NS)
        return -EINVAL;
    wish->period_ns = period_ns;
    return 0;
}

/* ---- configuration ---- */

static int set_threads(struct wish *wish, const char *value)
{
    const char *ignored;
    int threads = 0;
    int error = strcmp(value, "auto") ? option_count(value, &threads, &ignored) : 0;

    return error ? -EINVAL : number_set(&wish->threads, threads, 0, WISH_THREADS_MAX);
}

static int set_period(struct wish *wish, const char *value)
{
    int64_t period_ns;

    if (!strcmp(value, "auto")) {
        wish->period_ns = 0;
        return 0;
    }
    return duration_parse(value, &period_ns) ? -EINVAL : period_set(wish, period_ns);
}

static int set_policy(struct wish *wish, const char *value)
{
    return policy_kind_parse(value, &wish->policy);
}

static int set_cpus(struct wish *wish, const char *value)
{
    return text_set(wish->cpus, sizeof(wish->cpus), value, is_list);
}

static int set_domains(struct wish *wish, const char *value)
{
    return text_set(wish->domains, sizeof(wish->domains), value, is_list_of_lists);
}

static int set_inter_domain(struct wish *wish, const char *value)
{
    const char *ignored;

    return option_flag(value, &wish->inter_domain, &ignored);
}

static int set_idle(struct wish *wish, const char *value)
{
    const char *ignored;
    int idle = WORKERS_IDLE_AUTO;
    int error = strcmp(value, "auto") ? option_number(value, &idle, &ignored) : 0;

    return error ? -EINVAL : number_set(&wish->idle, idle, WORKERS_IDLE_AUTO, WISH_THREADS_MAX);
}

static int set_idle_comm(struct wish *wish, const char *value)
{
    return text_set(wish->idle_comm, sizeof(wish->idle_comm), value, is_pattern);
}

static int set_match(struct wish *wish, const char *value)
{
    return text_set(wish->match, sizeof(wish->match), value, is_pattern);
}

static int set_override(struct wish *wish, const char *value)
{
    const char *ignored;

    return option_flag(value, &wish->override, &ignored);
}

static const struct {
    const char *name;
    int (*set)(struct wish *wish, const char *value);
    const char *expected;
} keys[] = {
    {"threads", set_threads, "a whole number from 1 to 4096, or auto"},
    {"period", set_period, "a duration from 1ms to 100ms, or auto"},
    {"policy", set_policy, "juggle, paper, ideal, static or none"},
    {"processors", set_cpus, "a list such as 0-3,8"},
    {"domains", set_domains, "lists such as 0-3;4-7"},
    {"inter-domain", set_inter_domain, "yes or no"},
    {"idle", set_idle, "a whole number from 0 to 4096, or auto"},
    {"idle-threads", set_idle_comm, "a pattern of at most 63 characters"},
    {"match-threads", set_match, "a pattern of at most 63 characters"},
    {"override", set_override, "yes or no"},
};

int wish_set(struct wish *wish, const char *key, const char *value, const char **expected)
{
    for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
        if (strcmp(key, keys[i].name))
            continue;
        *expected = keys[i].expected;
        return keys[i].set(wish, value) ? -EINVAL : 0;
    }
    return -ENOENT;
}

const char *wish_problem(const struct wish *wish)
{
    return *wish->domains && wish->inter_domain ? "domains and inter-domain exclude each other"
                                                : NULL;
}

bool wish_equal(const struct wish *a, const struct wish *b)
{
    return a->threads == b->threads && a->period_ns == b->period_ns && a->policy == b->policy &&
           !strcmp(a->cpus, b->cpus) && !strcmp(a->domains, b->domains) &&
           a->inter_domain == b->inter_domain && a->idle == b->idle &&
           !strcmp(a->idle_comm, b->idle_comm) && !strcmp(a->match, b->match) &&
           a->override == b->override;
}

/* ---- JSON ---- */

static int take_integer(const json_t *value, int64_t *integer)
{
    if (!json_is_integer(value))
        return -EINVAL;
    *integer = json_integer_value(value);
    return 0;
}

static int take_text(const json_t *value, char *target, size_t size, bool (*is_right)(const char *))
{
    const char *text = json_string_value(value);

    return text ? text_set(target, size, text, is_right) : -EINVAL;
}

static int take_flag(const json_t *value, bool *flag)
{
    if (!json_is_boolean(value))
        return -EINVAL;
    *flag = json_is_true(value);
    return 0;
}

static int take_field(struct wish *wish, const char *name, const json_t *value)
{
    int64_t number;

    if (!strcmp(name, "threads"))
        return take_integer(value, &number)
                   ? -EINVAL
                   : number_set(&wish->threads, number, 1, WISH_THREADS_MAX);
    if (!strcmp(name, "period_ns"))
        return take_integer(value, &number) ? -EINVAL : period_set(wish, number);
    if (!strcmp(name, "policy"))
        return json_is_string(value) ? set_policy(wish, json_string_value(value)) : -EINVAL;
    if (!strcmp(name, "cpus"))
        return take_text(value, wish->cpus, sizeof(wish->cpus), is_list);
    if (!strcmp(name, "domains"))
        return take_text(value, wish->domains, sizeof(wish->domains), is_list_of_lists);
    if (!strcmp(name, "inter_domain"))
        return take_flag(value, &wish->inter_domain);
    if (!strcmp(name, "idle"))
        return take_integer(value, &number) ? -EINVAL
                                            : number_set(&wish->idle, number, 0, WISH_THREADS_MAX);
    if (!strcmp(name, "idle_comm"))
        return take_text(value, wish->idle_comm, sizeof(wish->idle_comm), is_pattern);
    if (!strcmp(name, "match"))
        return take_text(value, wish->match, sizeof(wish->match), is_pattern);
    if (!strcmp(name, "override"))
        return take_flag(value, &wish->override);
    return -EINVAL;
}

int wish_from_json(const json_t *json, struct wish *wish, const char **field)
{
    struct wish taken = wish_default;
    const char *name;
    json_t *value;

    *field = "settings";
    if (json && !json_is_null(json) && !json_is_object(json))
        return -EINVAL;
    json_object_foreach((json_t *)json, name, value)
    {
        if (json_is_null(value))
            continue;
        if (take_field(&taken, name, value)) {
            *field = name;
            return -EINVAL;
        }
    }
    if (wish_problem(&taken)) {
        *field = "inter_domain";
        return -EINVAL;
    }
    *wish = taken;
    return 0;
}

static void put_text(json_t *json, const char *name, const char *text)
{
    if (*text)
        json_object_set_new(json, name, json_string(text));
}

static void put_flag(json_t *json, const char *name, bool flag)
{
    if (flag)
        json_object_set_new(json, name, json_true());
}

json_t *wish_to_json(const struct wish *wish)
{
    json_t *json = json_pack("{s:s}", "policy", policy_kind_name(wish->policy));

    if (wish->threads)
        json_object_set_new(json, "threads", json_integer(wish->threads));
    if (wish->period_ns)
        json_object_set_new(json, "period_ns", json_integer(wish->period_ns));
    if (wish->idle != WORKERS_IDLE_AUTO)
        json_object_set_new(json, "idle", json_integer(wish->idle));
    put_text(json, "cpus", wish->cpus);
    put_text(json, "domains", wish->domains);
    put_text(json, "idle_comm", wish->idle_comm);
    put_text(json, "match", wish->match);
    put_flag(json, "inter_domain", wish->inter_domain);
    put_flag(json, "override", wish->override);
    return json;
}
