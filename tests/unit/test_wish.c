/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/chance.h"

#include "juggled/talk/description.h"
#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/wish/wish_json.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { WORDS_SIZE = 1 << 16 };

static const struct field *by_option(const char *option)
{
    for (const struct field *field = wish_fields; field->option; field++)
        if (!strcmp(field->option, option))
            return field;
    ck_abort_msg("there is no %s", option);
}

/* ---- the table ---- */

START_TEST(every_default_can_be_set)
{
    for (const struct field *field = wish_fields; field->option; field++) {
        struct wish wish = {.policy = POLICY_NONE}, standard;

        wish_init(&standard);
        if (field->standard)
            ck_assert_msg(field_set(field, &wish, field->standard) == 0 &&
                              field_equal(field, &wish, &standard),
                          "%s = %s", field->option, field->standard);
    }
}

START_TEST(by_default_a_wish_is_what_the_pages_say)
{
    struct wish wish;

    memset(&wish, 0x55, sizeof(wish));
    wish_init(&wish);
    ck_assert_int_eq(wish.threads, 0);
    ck_assert_int_eq(wish.period_ns, 0);
    ck_assert_int_eq(wish.margin_ns, 0);
    ck_assert_int_eq(wish.idle, WORKERS_IDLE_AUTO);
    ck_assert_int_eq(wish.policy, POLICY_JUGGLE);
    ck_assert_int_eq(wish.balancers, BALANCERS_AUTO);
    ck_assert(!wish.inter_domain && !wish.override && !*wish.cpus && !*wish.match);
    ck_assert_ptr_null(wish_problem(&wish));
    ck_assert_ptr_null(wish_first_set(&wish, false));
    ck_assert_ptr_null(wish_unused(&wish));
}

START_TEST(words_are_those_of_the_rooms_below)
{
    const struct field *progress = by_option("progress");

    for (int i = 0; i < PROGRESS_KINDS_COUNT; i++)
        ck_assert_str_eq(progress->word(i), progress_kind_name((enum progress_kind)i));
    ck_assert_ptr_null(progress->word(PROGRESS_KINDS_COUNT));
}

START_TEST(what_is_wrong_is_refused_and_changes_nothing)
{
    static const struct {
        const char *option, *text, *expected;
    } cases[] = {
        {"threads", "0", "a whole number from 1 to 4096, or auto"},
        {"threads", "4097", "a whole number from 1 to 4096, or auto"},
        {"period", "10", "a duration from 1ms to 100ms, or auto"},
        {"period", "0", "a duration from 1ms to 100ms, or auto"},
        {"period", "101ms", "a duration from 1ms to 100ms, or auto"},
        {"margin", "-1ms", "a duration from 0 to 10s"},
        {"cpus", "3-1", "a list such as 0-3,8"},
        {"domains", "0;;1", "lists such as 0-3;4-7"},
        {"capacity", "fast", "auto, equal, or speeds such as 1x4,0.6x4"},
        {"capacity", "1,0", "auto, equal, or speeds such as 1x4,0.6x4"},
        {"capacity", "", "auto, equal, or speeds such as 1x4,0.6x4"},
        {"policy", "best", "juggle, paper, ideal, static or none"},
        {"balancers", "many", "auto, per-processor or single"},
        {"idle", "-1", "a whole number from 0 to 4096, or auto"},
        {"match", "", "a pattern of at most 63 characters"},
        {"override", "maybe", "yes or no"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        const struct field *field = by_option(cases[i].option);
        char words[FIELD_WORDS_SIZE];
        struct wish wish, standard;

        wish_init(&wish);
        wish_init(&standard);
        ck_assert_msg(field_set(field, &wish, cases[i].text), "%s = %s", cases[i].option,
                      cases[i].text);
        ck_assert(wish_equal(&wish, &standard));
        field_expects(field, words);
        ck_assert_str_eq(words, cases[i].expected);
    }
}

START_TEST(what_nobody_acts_on_is_named)
{
    static const struct {
        const char *option, *text, *policy, *period, *named;
    } cases[] = {
        {"margin", "1ms", "juggle", "auto", "margin"}, {"margin", "1ms", "ideal", "auto", "margin"},
        {"margin", "1ms", "paper", "auto", ""},        {"period", "5ms", "static", "5ms", "period"},
        {"period", "5ms", "none", "5ms", "period"},    {"period", "5ms", "juggle", "5ms", ""},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct wish wish;
        wish_init(&wish);
        ck_assert_int_eq(field_set(by_option("policy"), &wish, cases[i].policy), 0);
        ck_assert_int_eq(field_set(by_option("period"), &wish, cases[i].period), 0);
        ck_assert_int_eq(field_set(by_option(cases[i].option), &wish, cases[i].text), 0);
        const char *unused = wish_unused(&wish);
        const size_t length = strlen(cases[i].named);
        ck_assert_msg(!unused == !length, "%zu: %s", i, unused ? unused : "nothing");
        ck_assert(!unused || !strncmp(unused, cases[i].named, length));
    }
}

START_TEST(nothing_is_a_margin)
{
    struct wish wish;

    wish_init(&wish);
    ck_assert_int_eq(field_set(by_option("margin"), &wish, "2ms"), 0);
    ck_assert_int_eq(field_set(by_option("margin"), &wish, "0"), 0);
    ck_assert_int_eq(wish.margin_ns, 0);
    ck_assert_int_eq(field_set(by_option("margin"), &wish, "0ms"), 0);
}

/* Makes every field different from the default. */
static void wish_fill(struct wish *wish)
{
    wish_init(wish);
    for (const struct field *field = wish_fields; field->option; field++) {
        switch (field->type) {
        case FIELD_NUMBER:
        case FIELD_DURATION:
            ck_assert_int_eq(field_put_number(field, wish, field->high), 0);
            break;
        case FIELD_FLAG:
            ck_assert_int_eq(field_put_flag(field, wish, true), 0);
            break;
        case FIELD_CHOICE:
            ck_assert_int_eq(field_put_text(field, wish, field->word(1)), 0);
            break;
        case FIELD_LIST:
        case FIELD_LISTS:
        case FIELD_PATTERN:
            ck_assert_int_eq(field_put_text(field, wish, "0-1"), 0);
            break;
        case FIELD_SPEEDS:
            ck_assert_int_eq(field_put_text(field, wish, "1x4,0.6x4"), 0);
        }
    }
}

START_TEST(all_of_a_wish_reaches_the_job)
{
    struct job_options options = {0};
    struct wish wish;

    wish_fill(&wish);
    wish.spin = SPIN_ALWAYS; /* not the default */
    wish_apply(&wish, &options);
    ck_assert_int_eq(options.threads_expected, WISH_THREADS_MAX);
    ck_assert_int_eq(options.policy.period_ns, PERIOD_MAX_NS);
    ck_assert_double_eq_tol(options.policy.jitter, 0.1, 1e-12);
    ck_assert_int_gt(options.policy.margin_ns, 0);
    ck_assert_int_eq(options.policy.kind, 1);
    ck_assert_int_eq(options.progress, 1);
    ck_assert_int_eq(options.shape, 1);
    ck_assert_int_eq(options.spin, SPIN_ALWAYS);
    ck_assert_int_eq(options.idle_threads, WISH_THREADS_MAX);
    ck_assert(options.inter_domain && options.follow_memory && options.override);
    ck_assert_ptr_eq(options.cpus, wish.cpus);
    ck_assert_ptr_eq(options.domains, wish.domains);
    ck_assert_str_eq(options.capacity, "1x4,0.6x4");
    ck_assert_ptr_eq(options.idle_comm, wish.idle_comm);
    ck_assert_ptr_eq(options.match, wish.match);
    wish_init(&wish);
    wish_apply(&wish, &options);
    ck_assert_ptr_null(options.cpus);
    ck_assert_str_eq(options.capacity, "auto");
}

START_TEST(what_no_service_can_do_is_named)
{
    struct wish wish;

    wish_init(&wish);
    wish.follow_memory = true;
    ck_assert_str_eq(wish_first_set(&wish, false), "follow-memory");
}

/* ---- JSON ---- */

START_TEST(wishes_come_back_as_they_were_sent)
{
    const char *name;
    struct wish wish, back;

    wish_fill(&wish);
    /* Domains exclude inter_domain, and a service cannot do follow_memory. */
    wish.inter_domain = wish.follow_memory = false;
    json_t *json = wish_to_json(&wish);
    ck_assert_int_eq(wish_from_json(json, &back, &name), 0);
    ck_assert(wish_equal(&wish, &back));
    json_decref(json);

    wish_init(&wish);
    json = wish_to_json(&wish);
    ck_assert_uint_eq(json_object_size(json), 0);
    json_decref(json);
}

/* ---- random wishes ---- */

static void some_text(const struct field *field, char *text)
{
    const int length = (int)between(1, 20);
    struct cpu_mask mask = {0};
    int words_count = 0;

    switch (field->type) {
    case FIELD_CHOICE:
        while (field->word(words_count))
            words_count++;
        strcpy(text, field->word((int)below(words_count)));
        return;
    case FIELD_PATTERN:
        for (int i = 0; i < length; i++)
            text[i] = (char)(one_in(20) ? between(1, 255) : between(' ', '~'));
        text[length] = '\0';
        return;
    case FIELD_SPEEDS:
        sprintf(text, "%dx%d,0.5", (int)between(1, 9), (int)between(1, 9));
        return;
    default:
        for (int i = 0; i < length; i++)
            cpu_mask_add(&mask, (int)below(200));
        cpu_mask_format(&mask, text, FIELD_LIST_SIZE);
    }
}

static void wish_for_anything(struct wish *wish)
{
    char text[FIELD_LIST_SIZE];

    wish_init(wish);
    for (const struct field *field = wish_fields; field->option; field++) {
        if (!field->name || one_in(2))
            continue;
        if (field->type == FIELD_NUMBER || field->type == FIELD_DURATION) {
            ALWAYS(!field_put_number(field, wish, between(field->low, field->high)));
        } else if (field->type == FIELD_FLAG) {
            ALWAYS(!field_put_flag(field, wish, one_in(2)));
        } else {
            some_text(field, text);
            ALWAYS(!field_put_text(field, wish, text));
        }
    }
}

/* JSON cannot hold bytes that are not UTF-8: the pattern that comes back matches what the old
 * one did, and more. */
static bool fits(const char *pattern, const char *read)
{
    for (; *pattern; pattern++, read++)
        if (*pattern != *read && !(*pattern & 0x80 && *read == '?'))
            return false;
    return !*read;
}

static void send_a_wish(void)
{
    struct wish wish, back;
    const char *name;

    wish_for_anything(&wish);
    if (wish_problem(&wish))
        return;
    json_t *json = wish_to_json(&wish);
    ALWAYS(json != NULL);
    ALWAYS(!wish_from_json(json, &back, &name));
    ALWAYS(fits(wish.match, back.match) && fits(wish.idle_comm, back.idle_comm));
    strcpy(wish.match, back.match);
    strcpy(wish.idle_comm, back.idle_comm);
    ALWAYS(wish_equal(&wish, &back));
    json_decref(json);
}

START_TEST(any_wish_comes_back_as_it_was_sent)
{
    live_with_seeds(5000, send_a_wish);
}

START_TEST(wrong_wishes_name_their_field)
{
    static const struct {
        const char *text;
        const char *field;
    } cases[] = {
        {"[]", "settings"},
        {"{\"threads\":0}", "threads"},
        {"{\"threads\":\"3\"}", "threads"},
        {"{\"threads\":4294967297}", "threads"},
        {"{\"period_ns\":1}", "period_ns"},
        {"{\"margin_ns\":-1}", "margin_ns"},
        {"{\"policy\":7}", "policy"},
        {"{\"cpus\":\"x\"}", "cpus"},
        {"{\"override\":1}", "override"},
        {"{\"follow_memory\":true}", "follow_memory"},
        {"{\"nonsense\":1}", "nonsense"},
        {"{\"inter_domain\":true,\"domains\":\"0;1\"}", "inter_domain"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        json_t *json = json_loads(cases[i].text, 0, NULL);
        const char *field;
        struct wish wish;

        ck_assert_int_eq(wish_from_json(json, &wish, &field), -EINVAL);
        ck_assert_str_eq(field, cases[i].field);
        json_decref(json);
    }
}

/* ---- manual pages ---- */

/* Reads a page without its macros' dots and line ends: words with one blank between them. */
static void words_read(const char *path, char *page)
{
    FILE *file = fopen(path, "r");
    size_t length = 0;
    bool blank = true;
    int byte;

    ck_assert_msg(file, "no %s", path);
    while ((byte = getc(file)) != EOF && length < WORDS_SIZE - 1) {
        if (!isspace(byte))
            page[length++] = (char)byte;
        else if (!blank)
            page[length++] = ' ';
        blank = isspace(byte);
    }
    page[length] = '\0';
    fclose(file);
}

static void expect_words(const char *path, const char *page, const char *words)
{
    ck_assert_msg(strstr(page, words), "%s does not say '%s'", path, words);
}

static void expect_type(const struct field *field)
{
    static const char *const types[] = {
        [FIELD_NUMBER] = "int",    [FIELD_DURATION] = "int",   [FIELD_FLAG] = "bool",
        [FIELD_CHOICE] = "string", [FIELD_LIST] = "string",    [FIELD_LISTS] = "string",
        [FIELD_SPEEDS] = "string", [FIELD_PATTERN] = "string",
    };
    char line[96];

    snprintf(line, sizeof(line), "\n  %s: ?%s", field->name, types[field->type]);
    expect_words("io.juggle.varlink", description_juggle, line);
}

START_TEST(the_pages_and_the_interface_know_every_field)
{
    static char juggle[WORDS_SIZE], conf[WORDS_SIZE];

    words_read("man/juggle.1", juggle);
    words_read("man/juggle.conf.5", conf);
    for (const struct field *field = wish_fields; field->option; field++) {
        char words[96];
        snprintf(words, sizeof(words), "Fl -%s ", field->option);
        expect_words("man/juggle.1", juggle, words);
        snprintf(words, sizeof(words), ".It Cm %s ", field->key);
        if (field->key)
            expect_words("man/juggle.conf.5", conf, words);
        if (field->name)
            expect_type(field);
        for (int i = 0; field->word && field->word(i); i++)
            expect_words("man/juggle.1", juggle, field->word(i));
    }
}

SUITE("wish")
