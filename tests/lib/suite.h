/* SPDX-License-Identifier: BSD-3-Clause */
/* A whole test program: the START_TESTs of one file, and SUITE("name") at its end. */
#ifndef JUGGLE_TESTS_SUITE_H
#define JUGGLE_TESTS_SUITE_H

#include "tests/lib/stress.h"

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Seconds for one test: sanitizers and loaded machines are slow, and no test asserts a time. It
 * is less than the timeout of tests/run, so that Check names the test that hangs. Under STRESS
 * there is no limit. */
enum { SUITE_TIMEOUT_S = 240 };

struct suite_test {
    TTest test;
    struct suite_test *next;
};

static struct suite_test *suite_first, **suite_end = &suite_first;

static inline void suite_add(struct suite_test *test)
{
    *suite_end = test;
    suite_end = &test->next;
}

/* Like Check's own, but tests need not be listed: each adds itself before main(), in the order
 * of the file. A test ends with its brace: Check's END_TEST has meant nothing since 0.13, which
 * this needs. */
#undef START_TEST
#define START_TEST(name)                                                                  \
    static void name##_test(int _i);                                                      \
    __attribute__((constructor)) static void name##_add(void)                             \
    {                                                                                     \
        static struct suite_test test = {{#name, name##_test, __FILE__, __LINE__}, NULL}; \
        suite_add(&test);                                                                 \
    }                                                                                     \
    static void name##_test(int _i CK_ATTRIBUTE_UNUSED)

static inline int suite_run(const char *name)
{
    Suite *suite = suite_create(name);

    /* Each test is a case of its name, which CK_RUN_CASE selects. */
    for (const struct suite_test *at = suite_first; at; at = at->next) {
        TCase *tcase = tcase_create(at->test.name);

        tcase_set_timeout(tcase, stress() ? 0 : SUITE_TIMEOUT_S);
        tcase_add_test(tcase, &at->test);
        suite_add_tcase(suite, tcase);
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    /* A name that no case has must not look like a pass. */
    bool passed = srunner_ntests_failed(runner) == 0 && srunner_ntests_run(runner) > 0;
    srunner_free(runner);
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}

#define SUITE(name)             \
    int main(void)              \
    {                           \
        return suite_run(name); \
    }

/* Checks that this check has failed and that the fault says so; NULL: that no check has failed. */
static inline void expect_fault(const char *fault, const char *check)
{
    if (check)
        ck_assert_msg(fault && strstr(fault, check), "%s is not of %s", fault ? fault : "nothing",
                      check);
    else
        ck_assert_msg(!fault, "%s", fault);
}

/* Checks that the text contains this part. */
static inline void expect_says(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part), "'%s' does not say '%s'", text, part);
}

/* One way to break what is tested, in a function that takes the number of the way and returns
 * the check that must find it. After the last way it returns NULL, and breaks nothing. */
#define BREAKAGE(check, ...) \
    do {                     \
        if (which-- == 0) {  \
            __VA_ARGS__;     \
            return check;    \
        }                    \
    } while (0)

/* For conditions that are checked millions of times: each ck_assert_msg() costs a write. */
#define REQUIRE(condition, ...)        \
    do {                               \
        if (!(condition))              \
            ck_abort_msg(__VA_ARGS__); \
    } while (0)

#endif
