/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/cpu_mask.h"

#include <errno.h>
#include <string.h>

static struct cpu_mask mask_of(const char *list)
{
    struct cpu_mask mask;

    ck_assert_int_eq(cpu_mask_parse(list, &mask), 0);
    return mask;
}

START_TEST(lists_come_back_as_the_kernel_writes_them)
{
    static const char *const lists[][2] = {
        {"0", "0"},   {"0-3,8", "0-3,8"},         {"8,0-3", "0-3,8"}, {"1,2,3", "1-3"},
        {"0,0", "0"}, {"8190-8191", "8190-8191"}, {"5-5,7", "5,7"},   {"1023-1024", "1023-1024"},
    };
    char text[64];

    for (size_t i = 0; i < ARRAY_COUNT(lists); i++) {
        struct cpu_mask mask = mask_of(lists[i][0]);
        ck_assert_int_eq(cpu_mask_format(&mask, text, sizeof(text)), (int)strlen(lists[i][1]));
        ck_assert_str_eq(text, lists[i][1]);
    }
}

START_TEST(what_is_no_list_is_refused)
{
    static const char *const wrong[] = {"",   ",",   "0,",   ",0", "a",   "0-",  "3-1", "-1",  " 0",
                                        "0 ", "0\n", "0--2", "+1", "0x1", "1.5", "0;1", "0,,1"};
    struct cpu_mask mask = mask_of("7");

    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++)
        ck_assert_msg(cpu_mask_parse(wrong[i], &mask) == -EINVAL, "'%s' was taken", wrong[i]);
    ck_assert_int_eq(cpu_mask_parse("8192", &mask), -ERANGE);
    ck_assert_int_eq(cpu_mask_parse("0-99999999999999999999", &mask), -ERANGE);
    ck_assert_int_eq(cpu_mask_next(&mask, -1), 7);
}

START_TEST(a_short_buffer_is_cut_and_its_need_told)
{
    static const char *const cut[] = {
        [5] = "...",        [9] = "...",           [10] = "10-20,...",
        [12] = "10-20,...", [13] = "10-20,30,...", [14] = "10-20,30,..."};
    struct cpu_mask mask = mask_of("10-20,30,40-50");
    char text[16];

    for (size_t size = 5; size < ARRAY_COUNT(cut); size++) {
        memset(text, 'x', sizeof(text));
        ck_assert_int_eq(cpu_mask_format(&mask, text, size), 14);
        ck_assert(!cut[size] || !strcmp(text, cut[size]));
        ck_assert_int_eq(text[size], 'x');
    }
    ck_assert_int_eq(cpu_mask_format(&mask, text, 0), 14);
}

START_TEST(sets_behave_as_sets)
{
    struct cpu_mask some = mask_of("1,3,5000"), more = mask_of("0-8,5000"), other = mask_of("9");

    ck_assert_int_eq(cpu_mask_count(&some), 3);
    ck_assert(cpu_mask_subset(&some, &more));
    ck_assert(!cpu_mask_subset(&more, &some));
    ck_assert(!cpu_mask_subset(&other, &more));
    ck_assert_int_eq(cpu_mask_next(&some, -1), 1);
    ck_assert_int_eq(cpu_mask_next(&some, 3), 5000);
    ck_assert_int_eq(cpu_mask_next(&some, 5000), -1);
    struct cpu_mask rest = more, expected = mask_of("0,2,4-8");
    cpu_mask_subtract(&rest, &some);
    ck_assert(cpu_mask_equal(&rest, &expected));
    cpu_mask_intersect(&more, &some);
    ck_assert(cpu_mask_equal(&more, &some));
}

START_TEST(a_mask_tells_who_set_it)
{
    static const struct {
        const char *now, *ours, *original;
        enum affinity_owner owner;
    } cases[] = {
        {"3", "3", "0-7", AFFINITY_OURS},        {"0-7", "3", "0-7", AFFINITY_USERS},
        {"0-5", "3", "0-7", AFFINITY_UNDONE},   /* the cpuset shrank, and 3 was taken away */
        {"0-1", "0-3", "0-7", AFFINITY_UNDONE}, /* the cpuset shrank within the domain */
        {"4", "3", "0-7", AFFINITY_PROGRAM},     {"1", "0-3", "0-7", AFFINITY_PROGRAM},
        {"4-5", "0-3", "0-7", AFFINITY_PROGRAM},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct cpu_mask now = mask_of(cases[i].now), ours = mask_of(cases[i].ours),
                        original = mask_of(cases[i].original);
        ck_assert_msg(affinity_classify(&now, &ours, &original, NULL) == cases[i].owner,
                      "%s of %s within %s", cases[i].now, cases[i].ours, cases[i].original);
    }
}

START_TEST(a_cpuset_tells_what_the_kernel_has_cut)
{
    static const struct {
        const char *now, *ours, *original, *allowed;
        enum affinity_owner owner;
    } cases[] = {
        {"0", "0-3", "0-7", "0,6", AFFINITY_OURS}, /* one processor of our mask is left */
        {"0-5", "0-7", "0-7", "0-5", AFFINITY_OURS},
        {"0-2", "3", "0-7", "0-2", AFFINITY_USERS},     /* none is left */
        {"4", "3", "2-3", "4", AFFINITY_UNDONE},        /* none of the user's mask is left either */
        {"1-2", "0-3", "0-7", "0-7", AFFINITY_PROGRAM}, /* two processors that the program chose */
        {"0-5", "3", "0-7", "0-7", AFFINITY_PROGRAM},
        {"1", "0-3", "0-7", "0,1", AFFINITY_PROGRAM},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct cpu_mask now = mask_of(cases[i].now), ours = mask_of(cases[i].ours),
                        original = mask_of(cases[i].original), allowed = mask_of(cases[i].allowed);
        ck_assert_msg(affinity_classify(&now, &ours, &original, &allowed) == cases[i].owner,
                      "%s of %s within %s, of which %s are allowed", cases[i].now, cases[i].ours,
                      cases[i].original, cases[i].allowed);
    }
}

SUITE("cpu_mask")
