/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/balance.h"

#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/rebalance.h"
#include "libjuggle/steal/runtime/recall.h"

#include <errno.h>

/* ---- settings ------------------------------------------------------------------------------ */

#define PARAMETER(member) .name = #member, .offset = offsetof(struct steal_balance, member)

static const struct parameter table[] = {
    {PARAMETER(balancer), PARAMETER_CHOICE, STEAL_CHOICE_BALANCER, .most = -1},
    {PARAMETER(donation), PARAMETER_CHOICE, STEAL_CHOICE_DONATION, .most = -1},
    {PARAMETER(within_nodes), PARAMETER_INT, .most = -1},
    {PARAMETER(arity), PARAMETER_INT, .preset = 3, .least = 2, .most = INT32_MAX},
    {PARAMETER(donate_above), PARAMETER_DOUBLE, .most = -1},
    {PARAMETER(fill_below), PARAMETER_DOUBLE, .most = -1},
    {PARAMETER(gain_min_ns), PARAMETER_INT64, .least = 0, .most = INT64_MAX},
};

static const struct parameters parameters = {table, ARRAY_COUNT(table)};

/* Of the published runs, for C and D. */
static const double ABOVE_DEFAULT = 1.003;

void balance_resolve(struct steal_balance *settings)
{
    parameters_default(&parameters, settings);
    if (settings->donate_above == 0)
        settings->donate_above = ABOVE_DEFAULT;
    if (settings->fill_below == 0)
        settings->fill_below = ABOVE_DEFAULT;
}

int balance_check(struct steal_runtime *runtime, const struct steal_balance *settings)
{
    int result = parameters_check(&parameters, runtime, settings);

    if (result == 0 && settings->donate_above < 1)
        return runtime_fail(runtime, -EINVAL, "donate_above must be at least 1, not %g",
                            settings->donate_above);
    return result;
}

int balance_agree(struct steal_runtime *runtime, int status, const struct steal_balance *settings)
{
    return ranks_agree(runtime, status, "", 0, &parameters, settings);
}

/* ---- a run --------------------------------------------------------------------------------- */

/* Plays to the end, which all ranks reach. */
static int balance_play(struct rebalance *rebalance)
{
    struct steal_runtime *runtime = rebalance->collection->runtime;
    struct nap nap = {0};
    int result = 0, end;

    rebalance_begin(rebalance);
    while (result >= 0 && !rebalance_over(rebalance)) {
        result = rebalance_turn(rebalance);
        if (result != 0)
            nap = (struct nap){0};
        else if (runtime->crowded)
            nap_take(&nap, true);
    }
    end = rebalance_end(rebalance);
    return result < 0 ? runtime_fail(runtime, result, "the ranks cannot be reached") : end;
}

/* Settings are the same on all ranks. */
static int balance_run(struct steal_collection *collection, const struct steal_balance *settings)
{
    struct rebalance *rebalance = NULL;
    int result = rebalance_open(collection, settings, &rebalance);

    result = ranks_succeed(collection->runtime, result);
    if (result == 0)
        return balance_play(rebalance);
    rebalance_free(rebalance);
    return result;
}

int steal_rebalance(struct steal_collection *collection, const struct steal_balance *settings)
{
    struct steal_runtime *runtime = collection->runtime;
    struct steal_balance resolved = settings ? *settings : (struct steal_balance){0};
    int result = ranks_meet(runtime, CALL_REBALANCE, collection->id);

    if (result < 0)
        return result;
    if (!record_wanted(&collection->properties))
        return runtime_fail(runtime, -EINVAL, "the collection was created without retain");
    balance_resolve(&resolved);
    result = balance_agree(runtime, balance_check(runtime, &resolved), &resolved);
    if (result == 0)
        result = recall_executed(collection);
    return result < 0 ? result : balance_run(collection, &resolved);
}

/* ---- when it is time ----------------------------------------------------------------------- */

/* What fails for want of room leaves all tasks where they are: they can be executed there, too. */
static int balance_tried(int result)
{
    return result == -ENOSPC || result == -ENOMEM || result == -ECANCELED ? 0 : result;
}

int balance_as_due(struct steal_collection *collection)
{
    const struct steal_properties *properties = &collection->properties;
    const int64_t every = (int64_t)properties->balance_every;
    struct steal_balance settings = properties->balance;

    if (collection->processes == 0 || !record_wanted(properties))
        return 0;
    if (every > 0 && collection->processes % every == 0)
        return balance_tried(balance_run(collection, &settings));
    if (!properties->balance_if_it_pays)
        return 0;
    settings.gain_min_ns = max_i64(settings.gain_min_ns, collection->balance_cost_ns);
    collection->balanced.cost_ns = settings.gain_min_ns;
    return balance_tried(balance_run(collection, &settings));
}

int steal_isolate(struct steal_collection *collection, int isolate)
{
    struct steal_runtime *runtime = collection->runtime;

    if (runtime->processing)
        return runtime_fail(runtime, -EBUSY, "steal_isolate() from within a task");
    collection->properties.isolate = isolate;
    peer_init(&collection->peer, &collection->properties, steal_rank(runtime), runtime->places,
              collection->peer_memory);
    return 0;
}
