/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports options that have no effect with the other ones that were given. */
#include "tools/sim/settings.h"

void settings_tell_unused(const struct settings *settings)
{
    const struct scenario *scenario = &settings->scenario;
    const struct policy_options *policy = &scenario->policy;
    const struct scenario_hogs *hogs = &scenario->hogs;
    const bool replays = settings->replay_path != NULL;
    const bool sweeps = settings->sweep.axes_count > 0;
    const bool writes = settings->json || settings->trace_path || settings->record_path;
    const struct {
        bool unused;
        const char *text;
    } rows[] = {
        {policy->margin_ns && policy->kind != POLICY_PAPER,
         "--margin is ignored: only the policy paper has one"},
        {policy->jitter > 0 && policy->kind == POLICY_JUGGLE && !policy->period_ns && !sweeps,
         "--jitter is ignored: the policy chooses the period itself"},
        {scenario->theft.spell_ns != STOLEN_SPELL_NS && scenario->theft.share <= 0,
         "--stolen-spell is ignored: nothing is stolen without --stolen"},
        {scenario->sharing.preempts && !scenario->sharing.slice_ns,
         "--preempt is ignored: there are no slices without --slice"},
        {scenario->sharing.yield_share != YIELD_SHARE && scenario->barrier != BARRIER_YIELD,
         "--yield-share is ignored: threads yield with --barrier yield only"},
        {!hogs->count && (hogs->pinned || hogs->scale != 1),
         "--hogs-pinned and --hogs-scale are ignored: there are no hogs without --hogs"},
        /* A replay takes everything from the recording. */
        {replays && (writes || sweeps),
         "--json, --trace, --record and --sweep are ignored: a replay only compares plans"},
        {sweeps && !replays && (writes || settings->picture),
         "--json, --picture, --trace and --record are ignored: a sweep prints lines only"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (rows[i].unused)
            complain(settings_command.name, "%s", rows[i].text);
}
