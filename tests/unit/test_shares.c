/* SPDX-License-Identifier: BSD-3-Clause */
/* Work that is limited to a share of the time takes no more than that share, and gets it. */
#include "tests/lib/chance.h"

#include "libjuggle/job/allowance.h"
#include "libjuggle/job/pacing.h"
#include "libjuggle/varlink/bucket.h"

/* A caller that asks too often is served as often as it may ask. */
static void take_from_a_bucket(void)
{
    const int per_second = (int)between(1, 1000), burst = (int)between(1, 50);
    const int64_t interval_ns = NSEC_PER_SEC / per_second;
    int64_t began_ns = below(NSEC_PER_SEC);
    struct bucket bucket = bucket_full(per_second, burst, began_ns);
    int64_t now_ns = began_ns, taken = 0;
    bool greedy = one_in(2);

    for (int i = 0; i < 300; i++) {
        const int64_t next_ns = bucket_next_ns(&bucket);
        if (one_in(100)) { /* a pause saves no more than the burst */
            began_ns = now_ns += 2 * burst * interval_ns + below(NSEC_PER_SEC);
            greedy = false;
            taken = 0;
        }
        now_ns = greedy ? max_i64(now_ns, next_ns) : now_ns + below(interval_ns);
        const bool took = bucket_take(&bucket, now_ns);
        ALWAYS(took == (now_ns >= next_ns));
        taken += took;
        ALWAYS(taken <= burst + (now_ns - began_ns) / interval_ns);
        ALWAYS(!greedy || taken == i + 1);
    }
}

START_TEST(a_bucket_gives_as_often_as_it_may)
{
    live_with_seeds(3000, take_from_a_bucket);
}

/* Whatever the work costs, no more is paid than time has passed for, except for the last
 * payment. */
static void pay_from_a_bucket(void)
{
    const int64_t began_ns = below(NSEC_PER_SEC), burst_ns = below(NSEC_PER_SEC);
    struct bucket bucket = bucket_saved(burst_ns, began_ns);
    int64_t now_ns = began_ns, paid_ns = 0;

    for (int i = 0; i < 300; i++) {
        const int64_t price_ns = below(100 * NSEC_PER_MSEC);
        now_ns = max_i64(now_ns, bucket_paid_ns(&bucket)) + below(2) * below(NSEC_PER_SEC);
        ALWAYS(paid_ns <= burst_ns + now_ns - began_ns);
        bucket_pay(&bucket, price_ns, now_ns);
        paid_ns += price_ns;
        ALWAYS(bucket_paid_ns(&bucket) <= now_ns + price_ns);
    }
}

START_TEST(who_pays_afterwards_pays_all_and_waits_no_longer_than_for_that)
{
    live_with_seeds(3000, pay_from_a_bucket);
}

static void spend_an_allowance(void)
{
    const int share_ppm = (int)between(1, SHARE_ALL_PPM);
    struct allowance allowance = {0};
    int64_t now_ns = 0, spent_ns = 0, last_ns = 0;

    for (int i = 0; i < 300; i++) {
        const int64_t due_ns = max_i64(now_ns, allowance_due_ns(&allowance, share_ppm));
        ALWAYS(due_ns - now_ns <= last_ns * (SHARE_ALL_PPM / share_ppm + 1));
        now_ns = due_ns;
        ALWAYS((double)spent_ns * SHARE_ALL_PPM <=
               1.001 * (double)now_ns * share_ppm + SHARE_ALL_PPM * i);
        allowance_begin(&allowance, now_ns);
        last_ns = below(NSEC_PER_MSEC);
        spent_ns += last_ns;
        allowance_end(&allowance, spent_ns);
        now_ns += below(2) * below(NSEC_PER_MSEC);
    }
}

START_TEST(an_allowance_is_spent_and_not_exceeded)
{
    live_with_seeds(3000, spend_an_allowance);
}

/* Programs that grow and shrink are looked at as soon as the pace allows. */
static void look_at_a_pace(void)
{
    const int64_t began_ns = between(1, NSEC_PER_SEC);
    int64_t now_ns = began_ns, cost_ns = 0, spent_ns = 0, most_ns = 0, threads = 1;
    struct pacing pacing = {0};

    for (int i = 0; i < 500; i++) {
        threads = clamp_i64(one_in(50) ? below(10000) : threads + between(-3, 3), 1, 10000);
        cost_ns = threads * between(800, 1200);
        spent_ns += cost_ns;
        most_ns = max_i64(most_ns, cost_ns);
        pacing_note(&pacing, now_ns, cost_ns);
        const int64_t least_ns = pacing_least_ns(&pacing);
        ALWAYS(least_ns >= PACING_BURST * cost_ns && least_ns <= PACING_LASTING * cost_ns);
        now_ns += least_ns + below(2) * below(100 * NSEC_PER_MSEC);
        ALWAYS(spent_ns <= (now_ns - began_ns) / PACING_LASTING +
                               max_i64(PACING_CREDIT_NS, PACING_CREDIT_LOOKS * most_ns) + i);
    }
}

START_TEST(looks_at_a_pace_keep_their_share)
{
    live_with_seeds(3000, look_at_a_pace);
}

SUITE("shares")
