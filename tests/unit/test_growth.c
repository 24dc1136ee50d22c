/* SPDX-License-Identifier: BSD-3-Clause */
/* When processors that came late are taken in. */
#include "tests/lib/suite.h"

#include "libjuggle/job/growth.h"

#define LOOK_NS (NSEC_PER_SEC / 4)

static struct growth growth;
static int64_t now_ns;

static struct cpu_mask mask_of(const char *list)
{
    struct cpu_mask mask;

    ck_assert_int_eq(cpu_mask_parse(list, &mask), 0);
    return mask;
}

static void begin(const char *list)
{
    const struct cpu_mask known = mask_of(list);

    now_ns = 0;
    growth_begin(&growth, &known);
}

static bool see(const char *list)
{
    const struct cpu_mask usable = mask_of(list);

    now_ns += LOOK_NS;
    return growth_see(&growth, &usable, now_ns);
}

START_TEST(what_is_known_is_nothing_new)
{
    begin("0-5");
    for (int i = 0; i < 10; i++)
        ck_assert(!see("0-5"));
    /* Neither what goes nor what comes back. */
    for (int i = 0; i < 10; i++)
        ck_assert(!see(i / 3 % 2 ? "0-3" : "0-5"));
}
END_TEST

START_TEST(what_comes_is_awaited_until_no_more_comes)
{
    begin("0-5");
    ck_assert(!see("0-6"));
    ck_assert(!see("0-7"));
    ck_assert(see("0-7"));
    growth_tried(&growth, true, now_ns, 0);
    for (int i = 0; i < 20; i++)
        ck_assert(!see("0-7"));
}
END_TEST

START_TEST(another_cpuset_is_new_however_large_it_is)
{
    begin("0-1");
    ck_assert(!see("3"));
    ck_assert(see("3"));
}
END_TEST

START_TEST(what_failed_is_tried_again_after_a_rest)
{
    begin("0");
    ck_assert(!see("0-1"));
    ck_assert(see("0-1"));
    growth_tried(&growth, false, now_ns, 0);
    const int64_t failed_ns = now_ns;
    while (!see("0-1"))
        ck_assert_int_lt(now_ns - failed_ns, GROWTH_REST_NS);
    ck_assert_int_eq(now_ns - failed_ns, GROWTH_REST_NS);
}
END_TEST

/* Two processors of which one is there at a time, so that each is new to a machine that was read
 * without it. */
START_TEST(processors_that_take_turns_do_not_take_the_time)
{
    const int64_t cost_ns = 50 * NSEC_PER_MSEC;
    int64_t spent_ns = 0;

    begin("0");
    for (int i = 0; i < 10000; i++) {
        if (!see(i / 2 % 2 ? "0,1" : "0,2"))
            continue;
        growth_tried(&growth, true, now_ns, cost_ns);
        spent_ns += cost_ns;
    }
    ck_assert_int_gt(spent_ns, 10 * cost_ns);
    ck_assert_int_le(spent_ns, now_ns / GROWTH_COST_RATIO + cost_ns);
}
END_TEST

START_TEST(a_domain_that_returns_is_new_once)
{
    const struct cpu_mask domain = mask_of("4-7");

    begin("0-7");
    growth_return(&growth, 5);
    ck_assert(!see("0-7"));
    growth_desert(&growth, &domain);
    for (int i = 0; i < 10; i++)
        ck_assert(!see("0-3"));
    growth_return(&growth, 3);
    ck_assert(!see("0-3"));
    growth_return(&growth, 5);
    ck_assert(!see("0-5"));
    ck_assert(!see("0-7"));
    ck_assert(see("0-7"));
    growth_tried(&growth, true, now_ns, 0);
    growth_return(&growth, 6);
    for (int i = 0; i < 20; i++)
        ck_assert(!see("0-7"));
}
END_TEST

SUITE("growth", what_is_known_is_nothing_new, what_comes_is_awaited_until_no_more_comes,
      another_cpuset_is_new_however_large_it_is, what_failed_is_tried_again_after_a_rest,
      processors_that_take_turns_do_not_take_the_time, a_domain_that_returns_is_new_once)
