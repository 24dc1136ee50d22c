/* SPDX-License-Identifier: BSD-3-Clause */
/* A token bucket: how often something may be done, with a burst at first. Pure. */
#ifndef JUGGLE_VARLINK_BUCKET_H
#define JUGGLE_VARLINK_BUCKET_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

struct bucket {
    int64_t interval_ns; /* between two tokens in the long run */
    int64_t burst_ns;    /* the interval times the burst: tokens are kept as time */
    int64_t saved_ns;
    int64_t seen_ns;
};

static inline struct bucket bucket_full(int per_second, int burst, int64_t now_ns)
{
    const int64_t interval_ns = NSEC_PER_SEC / per_second;

    return (struct bucket){interval_ns, interval_ns * burst, interval_ns * burst, now_ns};
}

/* A bucket of saved time that bucket_pay takes from. */
static inline struct bucket bucket_saved(int64_t burst_ns, int64_t now_ns)
{
    return (struct bucket){0, burst_ns, burst_ns, now_ns};
}

static inline void bucket_refill(struct bucket *bucket, int64_t now_ns)
{
    bucket->saved_ns = min_i64(bucket->burst_ns, bucket->saved_ns + now_ns - bucket->seen_ns);
    bucket->seen_ns = now_ns;
}

/* Takes a token. False if there is none now. */
static inline bool bucket_take(struct bucket *bucket, int64_t now_ns)
{
    bucket_refill(bucket, now_ns);
    if (bucket->saved_ns < bucket->interval_ns)
        return false;
    bucket->saved_ns -= bucket->interval_ns;
    return true;
}

/* When there is a token again. */
static inline int64_t bucket_next_ns(const struct bucket *bucket)
{
    return bucket->seen_ns + max_i64(0, bucket->interval_ns - bucket->saved_ns);
}

/* Work of unequal cost is done first and paid for afterwards; the balance may become negative. */
static inline void bucket_pay(struct bucket *bucket, int64_t price_ns, int64_t now_ns)
{
    bucket_refill(bucket, now_ns);
    bucket->saved_ns -= price_ns;
}

/* When the balance is not negative any more. */
static inline int64_t bucket_paid_ns(const struct bucket *bucket)
{
    return bucket->seen_ns + max_i64(0, -bucket->saved_ns);
}

#endif
