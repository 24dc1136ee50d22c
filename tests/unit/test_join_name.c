/* SPDX-License-Identifier: BSD-3-Clause */
/* Which names jobs may have, and the name that the launcher's job gets from the environment. */
#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"

#include "libjuggle/ground/units.h"
#include "libjuggle/join/name.h"

#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORTY "1234567890123456789012345678901234567890"

START_TEST(names_begin_with_no_point_or_hyphen_and_have_forty_bytes)
{
    static const char *const right[] = {"a", "Z9", "_", ":x", "a.-", FORTY};
    static const char *const wrong[] = {"",    ".a",  "-a",        "a b",
                                        "a/b", "a\n", ("x" FORTY), "caf\xe9"};

    for (size_t i = 0; i < ARRAY_COUNT(right); i++)
        ck_assert_msg(join_name_is_right(right[i]), "%s", right[i]);
    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++)
        ck_assert_msg(!join_name_is_right(wrong[i]), "%s", wrong[i]);
}

/* Checks the name that is made of the launcher's names: other bytes become points, and the end
 * is kept if it is too long. */
static void expect_name(const char *job, const char *step, const char *expected)
{
    char name[JOIN_NAME_SIZE];

    ck_assert_int_eq(setenv("SLURM_JOB_ID", job, 1) | setenv("SLURM_STEP_ID", step, 1), 0);
    join_name(name);
    ck_assert_str_eq(name, expected);
    ck_assert(join_name_is_right(name));
}

START_TEST(the_launchers_names_are_made_right)
{
    expect_name("12", "", "slurm-12");
    expect_name("12", "3", "slurm-12.3");
    expect_name("a b\xe9", "4+5", "slurm-a.b..4.5");
    expect_name("x" FORTY, "7", "slurm-90123456789012345678901234567890.7");
}

/* In the locale of this test e with an accent, one byte above 0x7f, is a letter. */
START_TEST(a_locale_brings_no_letters)
{
    char folder[64];

    scratch_folder(folder, sizeof(folder));
    if (scratch_locale(folder, LC_CTYPE,
                       "LC_CTYPE\nalpha <U0041>..<U005A>;<U0061>..<U007A>;<U00E9>\n"
                       "END LC_CTYPE\n")) {
        ck_assert(isalnum(0xe9));
        ck_assert(!join_name_is_right("caf\xe9"));
        expect_name("caf\xe9", "", "slurm-caf.");
    }
    scratch_remove(folder);
}

SUITE("names of jobs")
