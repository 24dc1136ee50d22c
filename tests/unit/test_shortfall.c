/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of programs of which not all was balanced. */
#include "tests/lib/suite.h"

#include "libjuggle/job/shortfall.h"

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
    /* Without an expected count whoever came was all. */
    expect((struct shortfall){.distributed = true, .found_count = 2, .balanced_count = 2}, "");
}
END_TEST

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
END_TEST

START_TEST(whoever_was_left_out_is_counted)
{
    expect((struct shortfall){.distributed = true, .balanced_count = 2, .placed_count = 1},
           "1 was pinned by the program");
    expect((struct shortfall){.distributed = true, .balanced_count = 2, .refused_count = 2},
           "2 were not ours to move");
    expect((struct shortfall){.distributed = true, .balanced_count = 2, .crowded = true},
           "more threads than can be watched");
    expect((struct shortfall){.distributed = true}, "had ended before");
    expect((struct shortfall){.distributed = true, .expected_count = 9, .balanced_count = 3},
           "3 threads computed where 9 were expected");
}
END_TEST

SUITE("shortfall", all_balanced_is_nothing_to_tell, a_program_that_never_began_is_explained,
      whoever_was_left_out_is_counted)
