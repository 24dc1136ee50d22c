/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells of options that change nothing beside the others. */
#include "tools/sim/settings.h"

static const struct scenario *standard(void)
{
    static struct settings settings; /* large */

    if (!settings.domains_count)
        settings_init(&settings);
    return &settings.scenario;
}

static bool margin_unused(const struct settings *settings)
{
    return settings->scenario.policy.margin_ns && settings->scenario.policy.kind != POLICY_PAPER;
}

static bool jitter_unused(const struct settings *settings)
{
    const struct policy_options *policy = &settings->scenario.policy;

    return policy->jitter > 0 && policy->kind == POLICY_JUGGLE && !policy->period_ns &&
           !settings->sweep.axes_count;
}

static bool spell_unused(const struct settings *settings)
{
    return settings->scenario.theft.spell_ns != standard()->theft.spell_ns &&
           settings->scenario.theft.share <= 0;
}

static bool preempt_unused(const struct settings *settings)
{
    return settings->scenario.sharing.preempts && !settings->scenario.sharing.slice_ns;
}

static bool yield_unused(const struct settings *settings)
{
    const double share = settings->scenario.sharing.yield_share;
    const double usual = standard()->sharing.yield_share;

    return (share < usual || share > usual) && settings->scenario.barrier != BARRIER_YIELD;
}

static bool hogs_unused(const struct settings *settings)
{
    const struct scenario_hogs *hogs = &settings->scenario.hogs;

    return !hogs->count && (hogs->pinned || hogs->scale < 1 || hogs->scale > 1);
}

/* A recording is what was simulated, by whomever. */
static bool replay_unused(const struct settings *settings)
{
    return settings->replay_path && (settings->json || settings->trace_path ||
                                     settings->record_path || settings->sweep.axes_count > 0);
}

/* A sweep prints one line for each run. */
static bool outputs_unused(const struct settings *settings)
{
    return settings->sweep.axes_count > 0 && !settings->replay_path &&
           (settings->json || settings->picture || settings->trace_path || settings->record_path);
}

void settings_tell_unused(const struct settings *settings)
{
    static const struct {
        bool (*unused)(const struct settings *settings);
        const char *text;
    } rows[] = {
        {margin_unused, "--margin is ignored: only the policy paper has one"},
        {jitter_unused, "--jitter is ignored: a period that is learned has none"},
        {spell_unused, "--stolen-spell is ignored: nothing is stolen without --stolen"},
        {preempt_unused, "--preempt is ignored: there are no slices without --slice"},
        {yield_unused, "--yield-share is ignored: threads yield with --barrier yield only"},
        {hogs_unused,
         "--hogs-pinned and --hogs-scale are ignored: there are no hogs without --hogs"},
        {replay_unused, "--json, --trace, --record and --sweep are ignored: a replay has none"},
        {outputs_unused,
         "--json, --picture, --trace and --record are ignored: a sweep prints lines only"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (rows[i].unused(settings))
            complain(settings_command.name, "%s", rows[i].text);
}
