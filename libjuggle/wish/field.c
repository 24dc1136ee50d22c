/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/wish/field.h"

#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/ground/rates.h"
#include "libjuggle/wish/value.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void *at(const struct field *field, void *record)
{
    return (char *)record + field->offset;
}

static const void *at_const(const struct field *field, const void *record)
{
    return (const char *)record + field->offset;
}

/* ---- texts ---- */

static bool is_list(const char *text)
{
    struct cpu_mask mask;

    return cpu_mask_parse(text, &mask) == 0;
}

static bool is_list_of_lists(const char *text)
{
    struct cpu_mask named, twice;

    return cpu_mask_parse_lists(text, &named, &twice) == 0;
}

static bool is_speeds(const char *text)
{
    struct rates rates;

    return !strcmp(text, "auto") || !strcmp(text, "equal") || rates_parse(text, &rates) == 0;
}

static bool is_pattern(const char *text)
{
    return *text;
}

_Static_assert(FIELD_PATTERN_SIZE == 64, "as the words say");

static const struct {
    size_t size;                         /* in the record */
    bool (*text_is_right)(const char *); /* of a type that is a text; NULL: it is none */
    const char *expects;                 /* NULL: that depends on the field */
} types[] = {
    [FIELD_NUMBER] = {sizeof(int), NULL, NULL},
    [FIELD_DURATION] = {sizeof(int64_t), NULL, NULL},
    [FIELD_FLAG] = {sizeof(bool), NULL, "yes or no"},
    [FIELD_CHOICE] = {sizeof(enum field_type), NULL, NULL},
    [FIELD_LIST] = {FIELD_LIST_SIZE, is_list, "a list such as 0-3,8"},
    [FIELD_LISTS] = {FIELD_LIST_SIZE, is_list_of_lists, "lists such as 0-3;4-7"},
    [FIELD_SPEEDS] = {FIELD_LIST_SIZE, is_speeds, "auto, equal, or speeds such as 1x4,0.6x4"},
    [FIELD_PATTERN] = {FIELD_PATTERN_SIZE, is_pattern, "a pattern of at most 63 characters"},
};

static size_t size_of(const struct field *field)
{
    return types[field->type].size;
}

static bool is_text(const struct field *field)
{
    return types[field->type].text_is_right;
}

static bool is_automatic(const struct field *field)
{
    return field->word == NULL && !is_text(field) && field->standard &&
           !strcmp(field->standard, "auto");
}

static int choice_put(const struct field *field, void *record, const char *text)
{
    for (int i = 0; field->word(i); i++) {
        if (strcmp(text, field->word(i)) != 0)
            continue;
        *(int *)at(field, record) = i;
        return 0;
    }
    return -EINVAL;
}

/* ---- putting ---- */

static void number_store(const struct field *field, void *record, int64_t number)
{
    if (field->type == FIELD_NUMBER)
        *(int *)at(field, record) = (int)number;
    else
        *(int64_t *)at(field, record) = number;
}

int field_put_number(const struct field *field, void *record, int64_t number)
{
    if (field->type != FIELD_NUMBER && field->type != FIELD_DURATION)
        return -EINVAL;
    if (number < field->low || number > field->high)
        return -ERANGE;
    number_store(field, record, number);
    return 0;
}

int field_put_flag(const struct field *field, void *record, bool flag)
{
    if (field->type != FIELD_FLAG)
        return -EINVAL;
    *(bool *)at(field, record) = flag;
    return 0;
}

int field_put_text(const struct field *field, void *record, const char *text)
{
    if (field->type == FIELD_CHOICE)
        return choice_put(field, record, text);
    if (!is_text(field) || strlen(text) >= size_of(field) ||
        !types[field->type].text_is_right(text))
        return -EINVAL;
    memcpy(at(field, record), text, strlen(text) + 1);
    return 0;
}

/* ---- from text ---- */

/* Zero needs no unit. */
static int duration_set(const struct field *field, void *record, const char *text)
{
    int64_t duration_ns = 0;
    int error = strcmp(text, "0") ? duration_parse(text, &duration_ns) : 0;

    return error ? error : field_put_number(field, record, duration_ns);
}

int field_set(const struct field *field, void *record, const char *text)
{
    int64_t number;
    bool flag;

    if (is_automatic(field) && !strcmp(text, "auto")) {
        number_store(field, record, field->automatic);
        return 0;
    }
    switch (field->type) {
    case FIELD_NUMBER:
        if (number_parse(text, field->low, field->high, &number))
            return -EINVAL;
        return field_put_number(field, record, number);
    case FIELD_DURATION:
        return duration_set(field, record, text);
    case FIELD_FLAG:
        return flag_parse(text, &flag) ? -EINVAL : field_put_flag(field, record, flag);
    case FIELD_CHOICE:
    case FIELD_LIST:
    case FIELD_LISTS:
    case FIELD_SPEEDS:
    case FIELD_PATTERN:
        break;
    }
    return field_put_text(field, record, text);
}

void field_reset(const struct field *field, void *record)
{
    memset(at(field, record), 0, size_of(field));
    if (field->standard)
        (void)!field_set(field, record, field->standard); /* a test sets all defaults */
}

/* ---- in words ---- */

static void bound_format(const struct field *field, int64_t bound, char *text, size_t size)
{
    if (field->type == FIELD_NUMBER || bound == 0)
        snprintf(text, size, "%lld", (long long)bound);
    else if (bound % NSEC_PER_SEC == 0)
        snprintf(text, size, "%llds", (long long)(bound / NSEC_PER_SEC));
    else
        snprintf(text, size, "%lldms", (long long)(bound / NSEC_PER_MSEC));
}

/* "1ms to 100ms" */
static void bounds_format(const struct field *field, char *text, size_t size)
{
    char low[24], high[24];

    bound_format(field, field->low, low, sizeof(low));
    bound_format(field, field->high, high, sizeof(high));
    snprintf(text, size, "%s to %s", low, high);
}

/* "juggle, paper or none" */
static void choice_format(const struct field *field, char *text, size_t size)
{
    size_t length = 0;

    *text = '\0';
    for (int i = 0; field->word(i) && length < size; i++) {
        const char *between = i == 0 ? "" : field->word(i + 1) ? ", " : " or ";
        length += (size_t)snprintf(text + length, size - length, "%s%s", between, field->word(i));
    }
}

void field_expects(const struct field *field, char words[FIELD_WORDS_SIZE])
{
    const char *automatic = is_automatic(field) ? ", or auto" : "";
    char range[FIELD_WORDS_SIZE / 2];

    if (field->type == FIELD_CHOICE) {
        choice_format(field, words, FIELD_WORDS_SIZE);
        return;
    }
    if (types[field->type].expects) {
        snprintf(words, FIELD_WORDS_SIZE, "%s", types[field->type].expects);
        return;
    }
    bounds_format(field, range, sizeof(range));
    snprintf(words, FIELD_WORDS_SIZE, "%s from %s%s",
             field->type == FIELD_NUMBER ? "a whole number" : "a duration", range, automatic);
}

void field_hint(const struct field *field, char words[FIELD_WORDS_SIZE])
{
    char range[FIELD_WORDS_SIZE / 2] = "";
    const char *before = field->type == FIELD_CHOICE ? ": " : ", ";

    if (field->type == FIELD_CHOICE)
        choice_format(field, range, sizeof(range));
    else if (field->high)
        bounds_format(field, range, sizeof(range));
    const int length = snprintf(words, FIELD_WORDS_SIZE, "%s%s", *range ? before : "", range);
    if (field->standard)
        snprintf(words + length, (size_t)(FIELD_WORDS_SIZE - length), " (%s)", field->standard);
}

/* ---- looking ---- */

bool field_equal(const struct field *field, const void *a, const void *b)
{
    return is_text(field) ? !strcmp(at_const(field, a), at_const(field, b))
                          : !memcmp(at_const(field, a), at_const(field, b), size_of(field));
}

int64_t field_number(const struct field *field, const void *record)
{
    const void *value = at_const(field, record);

    return field->type == FIELD_DURATION ? *(const int64_t *)value : *(const int *)value;
}

bool field_flag(const struct field *field, const void *record)
{
    return *(const bool *)at_const(field, record);
}

const char *field_text(const struct field *field, const void *record)
{
    const void *value = at_const(field, record);

    return field->type == FIELD_CHOICE ? field->word(*(const int *)value) : value;
}

void field_apply(const struct field *field, const void *record, void *made)
{
    void *target = (char *)made + field->target;

    if (is_text(field))
        *(const char **)target = *field_text(field, record) ? field_text(field, record) : NULL;
    else
        memcpy(target, at_const(field, record), size_of(field));
}
