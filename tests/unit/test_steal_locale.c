/* SPDX-License-Identifier: BSD-3-Clause */
/* A program in a locale with decimal commas: numbers that machines read and write keep decimal
 * points. */
#include "tests/lib/lone.h"
#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

/* Returns false if no such locale can be made. */
static bool commas_begin(void)
{
    char text[8];

    scratch_folder(folder, sizeof(folder));
    if (!scratch_locale(folder, LC_NUMERIC,
                        "LC_NUMERIC\ndecimal_point \"<U002C>\"\nthousands_sep \"\"\n"
                        "grouping -1\nEND LC_NUMERIC\n"))
        return false;
    snprintf(text, sizeof(text), "%.1f", 0.5);
    ck_assert_str_eq(text, "0,5");
    return true;
}

START_TEST(settings_have_points)
{
    struct steal_properties properties = {.size = sizeof(properties)};
    struct steal_error error = {""};

    if (commas_begin())
        ck_assert_msg(steal_properties_parse(&properties, "exponent=1.5", &error) == 0 &&
                          properties.exponent == 1.5,
                      "%g: %s", properties.exponent, error.message);
    scratch_remove(folder);
}

/* Returns the text after a number such as "123.456". */
static const char *past_number(const char *text)
{
    const size_t whole = strspn(text, "0123456789");

    ck_assert(whole > 0 && text[whole] == '.');
    ck_assert_uint_eq(strspn(text + whole + 1, "0123456789"), 3);
    return text + whole + 4;
}

START_TEST(times_of_a_trace_have_points)
{
    const struct steal_options options = {.size = sizeof(options), .trace_events = 16};
    char path[96], line[256];
    int states = 0;

    if (commas_begin()) {
        snprintf(path, sizeof(path), "%s/trace.json", folder);
        lone_open_function((struct steal_properties){0}, &options, lone_note);
        lone_add(1);
        lone_process();
        ck_assert_int_eq(steal_trace_write(lone.runtime, path), 0);
        lone_close();
        FILE *file = fopen(path, "r");
        ck_assert_ptr_nonnull(file);
        while (fgets(line, sizeof(line), file)) {
            const char *time = strstr(line, "\"ts\":");

            if (!time)
                continue;
            time = past_number(time + strlen("\"ts\":"));
            ck_assert_int_eq(strncmp(time, ",\"dur\":", 7), 0);
            ck_assert_int_eq(*past_number(time + 7), '}');
            states++;
        }
        fclose(file);
        ck_assert_int_gt(states, 0);
    }
    scratch_remove(folder);
}

SUITE("steal locale")
