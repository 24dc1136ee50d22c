/* SPDX-License-Identifier: BSD-3-Clause */
/* When processors that came late are added. */
#include "tests/lib/chance.h"

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
    /* Neither a processor that goes nor one that comes back is news. */
    for (int i = 0; i < 10; i++)
        ck_assert(!see(i / 3 % 2 ? "0-3" : "0-5"));
}

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

START_TEST(another_cpuset_is_new_however_large_it_is)
{
    begin("0-1");
    ck_assert(!see("3"));
    ck_assert(see("3"));
}

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

/* Two processors of which one is online at a time, so that each is new to a machine that was
 * read without it. Reading the machine again may take only a part of the time. */
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

START_TEST(a_domain_that_returns_is_new_once)
{
    const struct cpu_mask domain = mask_of("4-7");

    begin("0-7");
    growth_processor_back(&growth, 5);
    ck_assert(!see("0-7"));
    growth_domain_lost(&growth, &domain);
    for (int i = 0; i < 10; i++)
        ck_assert(!see("0-3"));
    growth_processor_back(&growth, 3);
    ck_assert(!see("0-3"));
    growth_processor_back(&growth, 5);
    ck_assert(!see("0-5"));
    ck_assert(!see("0-7"));
    ck_assert(see("0-7"));
    growth_tried(&growth, true, now_ns, 0);
    growth_processor_back(&growth, 6);
    for (int i = 0; i < 20; i++)
        ck_assert(!see("0-7"));
}

/* ---- random events ---- */

enum { CPUS = 6 };

static struct cpu_mask some_mask(void)
{
    struct cpu_mask mask = {0};

    for (int cpu = 0; cpu < CPUS; cpu++)
        if (one_in(2))
            cpu_mask_add(&mask, cpu);
    return mask;
}

/* The usable processors change randomly, or stay. Each time that growth is due it is tried,
 * which costs some time. */
static void look_on(void)
{
    struct cpu_mask usable = some_mask(), known = usable;
    struct cpu_mask deserted = {0};
    int64_t spent_ns = 0, cost_ns = 0;
    int looks_at_news = 0; /* looks in a row at the same news */
    bool returned = false;

    now_ns = 0;
    growth_begin(&growth, &known);
    for (int i = 0; i < 400; i++) {
        const struct cpu_mask before = usable;
        if (one_in(i % 100 < 50 ? 2 : 50))
            usable = some_mask();
        if (one_in(20)) {
            const struct cpu_mask domain = some_mask();
            growth_domain_lost(&growth, &domain);
            cpu_mask_unite(&deserted, &domain);
        }
        if (one_in(20)) {
            const int cpu = (int)below(CPUS);
            growth_processor_back(&growth, cpu);
            returned |= cpu_mask_has(&deserted, cpu);
        }
        const bool news = returned || !cpu_mask_subset(&usable, &known);
        const bool due = (now_ns += LOOK_NS, growth_see(&growth, &usable, now_ns));
        looks_at_news = news && cpu_mask_equal(&usable, &before) ? looks_at_news + 1 : 0;
        ALWAYS(!due || looks_at_news > 0);
        ALWAYS(looks_at_news * LOOK_NS <=
               max_i64(GROWTH_REST_NS, cost_ns * GROWTH_COST_RATIO) + LOOK_NS);
        if (!due)
            continue;
        cost_ns = below(50 * NSEC_PER_MSEC);
        spent_ns += cost_ns;
        ALWAYS((spent_ns - cost_ns) * GROWTH_COST_RATIO <= now_ns);
        const bool succeeded = !one_in(4);
        growth_tried(&growth, succeeded, now_ns, cost_ns);
        looks_at_news = 0;
        if (succeeded) {
            known = usable;
            returned = false;
            cpu_mask_clear(&deserted);
        }
    }
}

START_TEST(what_is_new_is_tried_in_time_and_takes_little)
{
    live_with_seeds(3000, look_on);
}

SUITE("growth")
