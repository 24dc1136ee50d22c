/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/waiting/manners.h"

enum {
    LOOKS_FIRST = 100, /* a message that is on its way arrives within these */
    YIELDS = 20,       /* before the first nap if waits are long */
    USUAL_OF = 8,      /* recent waits that the mean covers, by which the next one is judged */
};

#define NAP_MIN_NS (50 * NSEC_PER_USEC)
#define NAP_MAX_NS (500 * NSEC_PER_USEC)
/* A nap is this part of the wait so far, within NAP_MIN_NS and NAP_MAX_NS, so that no wait ends
 * later by more than that. */
#define NAP_SHARE 8
/* Waits are short up to SHORT_NS: no nap would pay. A longer wait counts as LONG_NS at most. */
#define SHORT_NS (NAP_SHARE * NAP_MIN_NS)
#define LONG_NS  (4 * SHORT_NS)

void manners_begin(struct manners *manners, bool shared)
{
    manners->shared = shared;
    manners->asked = false;
    manners->looks = 0;
}

void manners_end(struct manners *manners, int64_t waited_ns)
{
    const int64_t spare_ns = SHORT_NS - min_i64(waited_ns, LONG_NS);

    if (manners->asked)
        manners->spare_ns += (spare_ns - manners->spare_ns) / USUAL_OF;
}

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
    const bool clocked = manners_want_clock(manners);

    manners->asked = true;
    if (!clocked)
        manners->looks++;
    if (!manners->shared || manners->looks <= LOOKS_FIRST)
        return (struct manner){.kind = MANNER_LOOK};
    if (!clocked || (waited_ns < SHORT_NS && manners->spare_ns > 0))
        return (struct manner){.kind = MANNER_YIELD};
    return (struct manner){.kind = MANNER_NAP, .nap_ns = manners_nap_ns(waited_ns)};
}
