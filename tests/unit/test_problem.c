/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "libjuggle/linux/problem.h"

#include <errno.h>
#include <string.h>

enum { SIZE = 64 };

START_TEST(the_object_comes_first_and_the_error_back)
{
    char problem[SIZE];

    ck_assert_int_eq(problem_of(problem, SIZE, -ENOENT, "no service at %s", "/here"), -ENOENT);
    ck_assert_str_eq(problem, "no service at /here: No such file or directory");
    ck_assert_int_eq(problem_say(problem, SIZE, -EINVAL, "%d is odd", 3), -EINVAL);
    ck_assert_str_eq(problem, "3 is odd");
}
END_TEST

START_TEST(a_limit_is_named)
{
    char problem[SIZE];

    problem_of(problem, SIZE, -EMFILE, "no guardian");
    ck_assert_str_eq(problem, "no guardian: Too many open files (ulimit -n)");
    problem_of(problem, SIZE, -EFBIG, "no page");
    ck_assert_str_eq(problem, "no page: File too large (ulimit -f)");
}
END_TEST

START_TEST(what_does_not_fit_is_cut)
{
    char problem[SIZE + 1];

    memset(problem, 'x', sizeof(problem));
    problem_of(problem, SIZE, -ENOENT, "%080d", 0);
    ck_assert_uint_eq(strlen(problem), SIZE - 1);
    problem_of(problem, SIZE, -ENOENT, "%055d", 0);
    ck_assert_uint_eq(strlen(problem), SIZE - 1);
    ck_assert_int_eq(problem[SIZE], 'x');
}
END_TEST

SUITE("problem", the_object_comes_first_and_the_error_back, a_limit_is_named,
      what_does_not_fit_is_cut)
