/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/growth.h"

void growth_begin(struct growth *growth, const struct cpu_mask *known)
{
    *growth = (struct growth){.known = *known, .seen = *known, .rest_ns = INT64_MIN};
}

void growth_domain_lost(struct growth *growth, const struct cpu_mask *domain)
{
    cpu_mask_unite(&growth->deserted, domain);
}

void growth_processor_back(struct growth *growth, int cpu)
{
    growth->returned |= cpu_mask_has(&growth->deserted, cpu);
}

bool growth_see(struct growth *growth, const struct cpu_mask *usable, int64_t now_ns)
{
    const bool settled = cpu_mask_equal(usable, &growth->seen);

    growth->seen = *usable;
    return settled && growth->rest_ns <= now_ns &&
           (growth->returned || !cpu_mask_subset(usable, &growth->known));
}

void growth_tried(struct growth *growth, bool succeeded, int64_t now_ns, int64_t cost_ns)
{
    if (succeeded) {
        growth->known = growth->seen;
        growth->returned = false;
        cpu_mask_clear(&growth->deserted);
    }
    growth->rest_ns = now_ns + max_i64(GROWTH_REST_NS, cost_ns * GROWTH_COST_RATIO);
}
