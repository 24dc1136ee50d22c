/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/waiting/manners.h"

enum {
    LOOKS_FIRST = 100, /* a message that is on its way arrives within these */
    YIELDS = 20,
};

#define NAP_MIN_NS (50 * NSEC_PER_USEC)
#define NAP_MAX_NS (500 * NSEC_PER_USEC)
/* Of what the wait has lasted: so much later than it could at most does it end. */
#define NAP_SHARE 8

bool manners_want_clock(const struct manners *manners)
{
    return manners->looks >= LOOKS_FIRST + YIELDS;
}

int64_t manners_nap_ns(int64_t waited_ns)
{
    return clamp_i64(waited_ns / NAP_SHARE, NAP_MIN_NS, NAP_MAX_NS);
}

struct manner manners_next(struct manners *manners, int64_t waited_ns)
{
    const bool naps = manners_want_clock(manners);

    if (!naps)
        manners->looks++;
    if (!manners->shared || manners->looks <= LOOKS_FIRST)
        return (struct manner){.kind = MANNER_LOOK};
    if (!naps)
        return (struct manner){.kind = MANNER_YIELD};
    return (struct manner){.kind = MANNER_NAP, .nap_ns = manners_nap_ns(waited_ns)};
}
