/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/api/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Maps the members of struct juggle_options to the fields of a wish. */
static const struct {
    const char *name; /* of the field */
    const char *member;
    size_t offset;
    bool has_none; /* a negative value is none; zero is the default, as in all members */
} members[] = {
#define MEMBER(of) .member = #of, .offset = offsetof(struct juggle_options, of)
    {"threads", MEMBER(threads)},
    {"cpus", MEMBER(cpus)},
    {"domains", MEMBER(domains)},
    {"inter_domain", MEMBER(inter_domain)},
    {"capacity", MEMBER(capacity)},
    {"policy", MEMBER(policy)},
    {"progress", MEMBER(progress)},
    {"balancers", MEMBER(balancers)},
    {"period_ns", MEMBER(period_ns)},
    {"margin_ns", MEMBER(margin_ns)},
    {"match", MEMBER(match)},
    {"idle_comm", MEMBER(idle_comm)},
    {"idle", MEMBER(idle), .has_none = true},
    {"override", MEMBER(override_pins)},
};

int options_refuse(struct juggle_error *error, int code, const char *message)
{
    snprintf(error->message, sizeof(error->message), "%s", message);
    return code;
}

static int number_take(const struct field *field, int64_t number, bool has_none, struct wish *wish)
{
    if (!number)
        return 0;
    return field_put_number(field, wish, has_none && number < 0 ? 0 : number);
}

static int member_take(const struct field *field, const void *value, bool has_none,
                       struct wish *wish)
{
    switch (field->type) {
    case FIELD_NUMBER:
        return number_take(field, *(const int *)value, has_none, wish);
    case FIELD_DURATION:
        return number_take(field, *(const int64_t *)value, has_none, wish);
    case FIELD_FLAG:
        return field_put_flag(field, wish, *(const int *)value);
    case FIELD_CHOICE:
    case FIELD_LIST:
    case FIELD_LISTS:
    case FIELD_SPEEDS:
    case FIELD_PATTERN:
        break;
    }
    const char *text = *(const char *const *)value;
    return text ? field_put_text(field, wish, text) : 0;
}

static int refuse_member(struct juggle_error *error, const char *member, const struct field *field)
{
    char words[FIELD_WORDS_SIZE];

    field_expects(field, words);
    /* In a number 0 stands for what "auto" is in a text. */
    char *automatic = strstr(words, ", or auto");
    if (automatic)
        *automatic = '\0';
    snprintf(error->message, sizeof(error->message), "%s is not usable: expected %s%s", member,
             words, automatic && field->low ? ", or 0" : "");
    return -EINVAL;
}

int options_convert(const struct juggle_options *options, struct wish *wish,
                    struct juggle_error *error)
{
    struct wish made;

    if (options->size == 0)
        return options_refuse(error, -EINVAL,
                              "the size of struct juggle_options is not set: set it to "
                              "sizeof(struct juggle_options)");
    if (options->size != sizeof(*options)) {
        snprintf(error->message, sizeof(error->message),
                 "struct juggle_options has %zu bytes in the program and %zu in the library: "
                 "compile the program with this version's header",
                 options->size, sizeof(*options));
        return -EINVAL;
    }
    wish_init(&made);
    for (size_t i = 0; i < ARRAY_COUNT(members); i++) {
        const struct field *field = wish_field_by_name(members[i].name);
        const void *value = (const char *)options + members[i].offset;
        if (member_take(field, value, members[i].has_none, &made))
            return refuse_member(error, members[i].member, field);
    }
    if (wish_problem(&made))
        return options_refuse(error, -EINVAL, wish_problem(&made));
    *wish = made;
    return 0;
}
