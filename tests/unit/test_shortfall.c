/* SPDX-License-Identifier: BSD-3-Clause */
/* What is reported of a program whose threads were not all balanced. */
#include "tests/lib/suite.h"

#include "libjuggle/job/shortfall.h"

#include <errno.h>
#include <string.h>

static void expect(struct shortfall shortfall, const char *words)
{
    char text[SHORTFALL_SIZE];

    ck_assert_int_eq(shortfall_tell(&shortfall, text), *words != '\0');
    ck_assert_msg(*words ? strstr(text, words) != NULL : !*text, "'%s' lacks '%s'", text, words);
}

START_TEST(all_balanced_is_nothing_to_tell)
{
    expect((struct shortfall){.distributed = true,
                              .expected_count = 3,
                              .found_count = 4,
                              .working_count = 3,
                              .balanced_count = 3},
           "");
    /* Without an expected count, the threads that came are all. */
    expect((struct shortfall){.distributed = true, .found_count = 2, .balanced_count = 2}, "");
}

START_TEST(a_program_that_never_began_is_explained)
{
    expect((struct shortfall){0}, "no thread of the program was seen");
    expect((struct shortfall){.expected_count = 5, .found_count = 4, .working_count = 3},
           "3 threads computed where 5 were expected (-n), of 4 found");
    expect((struct shortfall){.expected_count = 5, .found_count = 4, .working_count = 1},
           "1 thread computed");
    expect((struct shortfall){.found_count = 9, .working_count = 1}, "of 9 found");
    expect((struct shortfall){.expected_count = 2, .found_count = 2, .working_count = 2},
           "ended before");
    expect((struct shortfall){.lone = true, .found_count = 2, .working_count = 2},
           "there was one processor only");
}

START_TEST(names_and_numbers_that_leave_nobody_are_told_as_such)
{
    expect((struct shortfall){.named = true, .expected_count = 2, .found_count = 3},
           "none of the 3 threads found has a name that --match");
    expect(
        (struct shortfall){.named = true, .found_count = 3, .named_count = 1, .working_count = 1},
        "no two threads computed");
    expect((struct shortfall){.expected_count = 3,
                              .idle_count = 1,
                              .found_count = 3,
                              .named_count = 3,
                              .working_count = 3},
           "3 were found where 4 are needed: 1 to set aside (--idle), 3 to balance");
    expect((struct shortfall){.idle_count = 3, .found_count = 3, .working_count = 3},
           "3 were found where 4 are needed: 3 to set aside (--idle), 1 to balance");
    expect((struct shortfall){.idle_count = -1, .found_count = 3, .working_count = 1},
           "no two threads computed");
}

START_TEST(each_cause_has_its_own_words)
{
    struct shortfall shortfall = {.distributed = true, .balanced_count = 2};

    shortfall_refuse(&shortfall, -EMFILE);
    shortfall_refuse(&shortfall, -EMFILE);
    expect(shortfall, "2 needed more open files than are allowed (ulimit -n)");
    shortfall = (struct shortfall){.distributed = true};
    shortfall_refuse(&shortfall, -EIO);
    expect(shortfall, "1 could not be balanced: Input/output error");
    expect((struct shortfall){.scan_error = -EMFILE},
           "could not be listed: Too many open files (ulimit -n)");
    expect((struct shortfall){.guardian_error = -EAGAIN}, "no guardian: Resource temporarily "
                                                          "unavailable (ulimit -u");
    /* No limit of the user would help. */
    shortfall = (struct shortfall){.distributed = true};
    shortfall_refuse(&shortfall, -ENFILE);
    expect(shortfall, "1 could not be balanced: Too many open files in system");
    /* Pinned until they ended, which was too early to be sure. */
    expect((struct shortfall){.distributed = true, .passing_count = 3}, "3 were pinned");
    expect(
        (struct shortfall){
            .distributed = true, .expected_count = 3, .balanced_count = 2, .passing_count = 1},
        "1 was pinned by the program, and had ended");
    expect((struct shortfall){.distributed = true, .balanced_count = 2, .passing_count = 1}, "");
}

START_TEST(the_most_that_was_seen_counts)
{
    struct shortfall shortfall = {.expected_count = 9};

    shortfall_see(&shortfall, 7, 6, 5);
    shortfall_see(&shortfall, 1, 1, 0);
    ck_assert_int_eq(shortfall.named_count, 6);
    expect(shortfall, "5 threads computed where 9 were expected (-n), of 7 found");
}

START_TEST(whoever_was_left_out_is_counted)
{
    expect((struct shortfall){.distributed = true, .balanced_count = 2, .pinned_count = 1},
           "1 was pinned by the program");
    expect(
        (struct shortfall){
            .distributed = true, .balanced_count = 2, .refused_count = 2, .refused_error = -EPERM},
        "no permission to move 2 threads");
    expect((struct shortfall){.distributed = true,
                              .balanced_count = 2,
                              .refused_count = 1,
                              .refused_error = -ENOTSUP},
           "1 has SCHED_DEADLINE and cannot be moved");
    expect((struct shortfall){.distributed = true, .balanced_count = 2, .table_full = true},
           "more threads than can be watched");
    expect((struct shortfall){.distributed = true}, "had ended before");
    expect((struct shortfall){.distributed = true, .expected_count = 9, .balanced_count = 3},
           "3 threads computed where 9 were expected");
}

SUITE("shortfall")
