/* SPDX-License-Identifier: BSD-3-Clause */
/* Text from strangers is shown on a terminal in a form that shows its control characters and
 * does not execute them. */
#include "tests/lib/suite.h"

#include "cli/foreign.h"
#include "libjuggle/ground/units.h"

#include <stdlib.h>
#include <string.h>

static const char *shown(const char *text)
{
    static char buffer[FOREIGN_TEXT_SIZE];

    return foreign_text(text, buffer, sizeof(buffer));
}

START_TEST(plain_text_of_any_language_stays)
{
    static const char *const plain[] = {
        "", "worker 1", "a\\b \"c\" %s", "grün", "Привет", "線程", "\xf0\x9f\x98\x80",
    };

    for (size_t i = 0; i < ARRAY_COUNT(plain); i++)
        ck_assert_str_eq(shown(plain[i]), plain[i]);
}

START_TEST(what_acts_on_a_terminal_is_told_as_bytes)
{
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"\033[31mred", "\\x1b[31mred"},
        {"a\rb", "a\\x0db"},
        {"a\nforged", "a\\x0aforged"},
        {"a\tb\a\b\177", "a\\x09b\\x07\\x08\\x7f"},
        {"\xc2\x9b"
         "31m",
         "\\xc2\\x9b31m"}, /* CSI in the 8-bit form */
        {"\xe2\x80\xae"    /* NOLINT(misc-misleading-bidirectional): it is meant to be misleading */
         "txt.exe",
         "\\xe2\\x80\\xaetxt.exe"},          /* right-to-left override */
        {"\xe2\x80\xa8", "\\xe2\\x80\\xa8"}, /* line separator */
        {"a\xe2\x80\x8b"
         "b",
         "a\\xe2\\x80\\x8bb"}, /* zero-width space */
        {"\xef\xbb\xbf", "\\xef\\xbb\\xbf"},
        {"\xef\xbf\xbf", "\\xef\\xbf\\xbf"}, /* not allowed in XML */
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
        ck_assert_str_eq(shown(cases[i].text), cases[i].shown);
}

START_TEST(what_is_no_utf8_is_told_as_bytes)
{
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"\xff", "\\xff"},
        {"\x80", "\\x80"},
        {"broken\xc3", "broken\\xc3"},
        {"\xc3(", "\\xc3("},
        {"\xe2\x82", "\\xe2\\x82"},
        {"\xc0\x9b", "\\xc0\\x9b"}, /* an escape character in an overlong form of two bytes */
        {"\xe0\x80\x9b", "\\xe0\\x80\\x9b"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* half of a surrogate pair */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* beyond the last code point */
        {"\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
        ck_assert_str_eq(shown(cases[i].text), cases[i].shown);
}

START_TEST(it_is_cut_between_characters)
{
    char buffer[6];

    ck_assert_str_eq(foreign_text("abcdefg", buffer, sizeof(buffer)), "abcde");
    ck_assert_str_eq(foreign_text("abc\xc3\xbc\xc3\xbc", buffer, sizeof(buffer)), "abc\xc3\xbc");
    ck_assert_str_eq(foreign_text("abcd\xc3\xbc", buffer, sizeof(buffer)), "abcd");
    ck_assert_str_eq(foreign_text("ab\033", buffer, sizeof(buffer)), "ab");
    ck_assert_str_eq(foreign_text("a\033", buffer, sizeof(buffer)), "a\\x1b");
    ck_assert_str_eq(foreign_text("a", buffer, 1), "");
}

/* Tries all characters of one and two bytes: none that is shown unchanged has an effect on the
 * terminal. */
START_TEST(no_pair_of_bytes_gets_through_that_acts)
{
    for (int first = 1; first < 0x100; first++) {
        for (int second = 1; second < 0x100; second++) {
            const char text[] = {(char)first, (char)second, '\0'};
            const char *said = shown(text);
            for (const char *byte = said; *byte; byte++)
                ck_assert((unsigned char)*byte >= ' ' && *byte != 0x7f);
            if (first == 0xc2 && second >= 0x80 && second < 0xa0) /* an 8-bit control character */
                ck_assert_uint_eq(strlen(said), 8);
            ck_assert_str_eq(shown(said), said);
        }
    }
}

START_TEST(a_name_of_a_thread_is_never_cut)
{
    struct comm comm;
    char buffer[FOREIGN_COMM_SIZE];

    memset(comm.untrusted, 0x9b, COMM_SIZE - 1);
    comm.untrusted[COMM_SIZE - 1] = '\0';
    ck_assert_uint_eq(strlen(foreign_text(comm.untrusted, buffer, sizeof(buffer))),
                      4 * (COMM_SIZE - 1));
    ck_assert_str_eq(FOREIGN(comm), buffer);
}

START_TEST(a_line_stays_one_whatever_is_put_into_it)
{
    char *written;
    size_t size;
    FILE *out = open_memstream(&written, &size);

    foreign_line(out, "%s: %d", "\033[1mred\r\nforged", 3);
    fclose(out);
    ck_assert_str_eq(written, "\\x1b[1mred\\x0d\\x0aforged: 3\n");
    free(written);
}

SUITE("foreign")
