/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/waiting/wait_style.h"

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

void wait_style_begin(struct wait_style *style, bool oversubscribed)
{
    style->oversubscribed = oversubscribed;
    style->asked = false;
    style->looks = 0;
}

void wait_style_end(struct wait_style *style, int64_t waited_ns)
{
    const int64_t short_by_ns = SHORT_NS - min_i64(waited_ns, LONG_NS);

    if (style->asked)
        style->short_by_ns += (short_by_ns - style->short_by_ns) / USUAL_OF;
}

bool wait_style_wants_clock(const struct wait_style *style)
{
    return style->looks >= LOOKS_FIRST + YIELDS;
}

int64_t wait_style_nap_ns(int64_t waited_ns)
{
    return clamp_i64(waited_ns / NAP_SHARE, NAP_MIN_NS, NAP_MAX_NS);
}

struct wait_step wait_style_next(struct wait_style *style, int64_t waited_ns)
{
    const bool clocked = wait_style_wants_clock(style);

    style->asked = true;
    if (!clocked)
        style->looks++;
    if (!style->oversubscribed || style->looks <= LOOKS_FIRST)
        return (struct wait_step){.kind = WAIT_STEP_LOOK};
    if (!clocked || (waited_ns < SHORT_NS && style->short_by_ns > 0))
        return (struct wait_step){.kind = WAIT_STEP_YIELD};
    return (struct wait_step){.kind = WAIT_STEP_NAP, .nap_ns = wait_style_nap_ns(waited_ns)};
}
