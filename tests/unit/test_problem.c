/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "libjuggle/linux/problem.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

enum { SIZE = 128 };

START_TEST(the_object_comes_first_and_the_error_back)
{
    char problem[SIZE];

    ck_assert_int_eq(problem_of(problem, SIZE, -ENOENT, "no service at %s", "/here"), -ENOENT);
    ck_assert_str_eq(problem, "no service at /here: No such file or directory");
    ck_assert_int_eq(problem_say(problem, SIZE, -EINVAL, "%d is odd", 3), -EINVAL);
    ck_assert_str_eq(problem, "3 is odd");
}

START_TEST(a_limit_is_named)
{
    char problem[SIZE];

    problem_of(problem, SIZE, -EMFILE, "no guardian");
    ck_assert_str_eq(problem, "no guardian: Too many open files (ulimit -n)");
    problem_of(problem, SIZE, -EFBIG, "no page");
    ck_assert_str_eq(problem, "no page: File too large (ulimit -f)");
}

START_TEST(a_limit_of_the_address_space_is_named_where_there_is_one)
{
    char problem[SIZE];
    struct rlimit limit;

    ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
    if (limit.rlim_cur == RLIM_INFINITY) {
        problem_of(problem, SIZE, -ENOMEM, "no table");
        ck_assert_str_eq(problem, "no table: Cannot allocate memory");
    }
    limit.rlim_cur = limit.rlim_max < INT64_MAX ? limit.rlim_max : INT64_MAX;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
    problem_of(problem, SIZE, -ENOMEM, "no table");
    ck_assert_str_eq(problem, "no table: Cannot allocate memory (ulimit -v)");
    problem_of(problem, SIZE, -EAGAIN, "no threads");
    ck_assert_ptr_nonnull(strstr(problem, "ulimit -v"));
}

START_TEST(what_does_not_fit_is_cut)
{
    char problem[SIZE + 1];

    memset(problem, 'x', sizeof(problem));
    problem_of(problem, SIZE, -ENOENT, "%0144d", 0);
    ck_assert_uint_eq(strlen(problem), SIZE - 1);
    problem_of(problem, SIZE, -ENOENT, "%0119d", 0);
    ck_assert_uint_eq(strlen(problem), SIZE - 1);
    ck_assert_int_eq(problem[SIZE], 'x');
}

SUITE("problem")
