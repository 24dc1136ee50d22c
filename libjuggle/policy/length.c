/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/policy/length.h"

void length_forget(struct juggle_domain *phase)
{
    *phase = (struct juggle_domain){.rest = phase->rest, .experiment = phase->experiment};
}

bool length_is_near(int64_t seen_ns, int64_t known_ns)
{
    const int64_t distance_ns = seen_ns - known_ns;

    return (distance_ns < 0 ? -distance_ns : distance_ns) <= known_ns / REGULAR_PARTS;
}

static int64_t moved(int64_t known, int64_t seen)
{
    return known + (seen - known) / PHASES_MEMORY;
}

/*
 * Phases are regular when the work between barriers that are seen is the work that is known, or a
 * few times as much: the better the balance, the more barriers nobody has to wait at. The time that
 * it takes depends on the balance.
 *
 * What does not fit is true when it comes twice, or when regular phases have not come for as long
 * as they did before: one barrier that was none must not undo what is known.
 */
void length_learn(struct juggle_domain *phase, int64_t opened_ns, int64_t end_ns)
{
    const int64_t interval_ns = opened_ns - phase->seen_ns;
    const int64_t work_ns = end_ns - phase->seen_start_ns;
    const int64_t count = phase->work_ns ? (work_ns + phase->work_ns / 2) / phase->work_ns : 0;

    if (count >= 1 && count <= PHASES_MEMORY &&
        length_is_near(work_ns - (count - 1) * phase->work_ns, phase->work_ns)) {
        phase->length_ns = moved(phase->length_ns, interval_ns / count);
        phase->work_ns = moved(phase->work_ns, work_ns / count);
        phase->regular_count = phase->regular_count < PHASES_MEMORY ? phase->regular_count + 1
                                                                    : PHASES_MEMORY;
        phase->odd_ns = phase->doubted ? phase->odd_ns : 0;
    } else if (phase->seen_ns) {
        const bool again = length_is_near(work_ns, phase->odd_ns);
        phase->odd_ns = work_ns;
        if (!again && --phase->regular_count >= 0)
            return;
        phase->length_ns = interval_ns;
        phase->work_ns = work_ns;
        phase->regular_count = again;
    }
}
