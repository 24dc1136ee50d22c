/* SPDX-License-Identifier: BSD-3-Clause */
/* A whole test program from a list of check tests: SUITE("name", test, test, ...). */
#ifndef JUGGLE_TESTS_SUITE_H
#define JUGGLE_TESTS_SUITE_H

#include "tests/lib/stress.h"

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Seconds for one test: sanitizers and loaded machines are slow, and no test asserts a time. It is
 * less than tests/run waits for all of them, so that the one that hangs is named. Under STRESS
 * tests end when they are done. */
enum { SUITE_TIMEOUT_S = 240 };

static inline int suite_finish(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    /* A name that no case has must not look like a pass. */
    bool passed = srunner_ntests_failed(runner) == 0 && srunner_ntests_run(runner) > 0;
    srunner_free(runner);
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}

static inline int suite_run(const char *name, const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);

    /* Each test is a case of its name, which CK_RUN_CASE selects. */
    for (size_t i = 0; i < count; i++) {
        TCase *tcase = tcase_create(tests[i]->name);

        tcase_set_timeout(tcase, stress() ? 0 : SUITE_TIMEOUT_S);
        tcase_add_test(tcase, tests[i]);
        suite_add_tcase(suite, tcase);
    }
    return suite_finish(suite);
}

/* The check that has failed says what did not hold. */
static inline void expect_fault(const char *fault, const char *check)
{
    ck_assert_ptr_nonnull(fault);
    ck_assert_msg(strstr(fault, check), "%s is not of %s", fault, check);
}

/* For what is checked millions of times: ck_assert_msg costs a write each. */
#define REQUIRE(condition, ...)        \
    do {                               \
        if (!(condition))              \
            ck_abort_msg(__VA_ARGS__); \
    } while (0)

#define SUITE(name, ...)                                                 \
    int main(void)                                                       \
    {                                                                    \
        const TTest *const tests[] = {__VA_ARGS__};                      \
        return suite_run(name, tests, sizeof(tests) / sizeof(tests[0])); \
    }

#endif
