/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/balance.h"

#include "libjuggle/steal/runtime/pausing.h"
#include "libjuggle/steal/runtime/reservation.h"
#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/broken.h"
#include "libjuggle/steal/runtime/rebalance.h"
#include "libjuggle/steal/runtime/recall.h"
#include "libjuggle/steal/runtime/settings.h"
#include "libjuggle/steal/runtime/tables.h"

#include <errno.h>

/* ---- one balancing ------------------------------------------------------------------------- */

/* Runs the balancer to the end, which all ranks reach, or leaves if one rank cannot go on. */
static int balance_play(struct rebalance *rebalance)
{
    struct steal_collection *collection = rebalance->collection;
    struct steal_runtime *runtime = collection->runtime;
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
    /* Some ranks may have reached the end before they heard of the failure: all ranks meet here. */
    return result < 0 ? ranks_succeed(runtime, broken_leave(collection, result))
                      : broken_share(runtime, end);
}

/* `settings` must be the same on all ranks. */
static int balance_run(struct steal_collection *collection, const struct steal_balance *settings)
{
    struct rebalance *rebalance = NULL;
    int result = recall_executed(collection);

    if (result < 0)
        return result;
    result = rebalance_open(collection, settings, &rebalance);
    result = ranks_succeed(collection->runtime, result);
    if (result == 0)
        return balance_play(rebalance);
    rebalance_free(rebalance);
    return result;
}

int steal_rebalance(struct steal_collection *collection, const struct steal_balance *settings)
{
    struct steal_balance resolved = {0};
    struct steal_runtime *runtime;
    int result;

    if (!collection)
        return -EINVAL;
    runtime = collection->runtime;
    result = reservation_check(collection);
    if (result == 0)
        result = pausing_check(collection);
    if (result == 0)
        result = broken_before(runtime);
    if (result == 0 && settings)
        result = versioned_read(&versioned_balance, settings, &resolved, runtime->message);
    if (result == 0)
        result = settings_over(runtime->transport->settings, SECTION_BALANCE, &resolved,
                               runtime->message);
    result = ranks_meet(runtime, CALL_REBALANCE, collection->id, result);
    if (result < 0)
        return result;
    if (!record_wanted(&collection->properties))
        return runtime_fail(runtime, -EINVAL, "the collection was created without retain");
    result = parameters_need(&balance_parameters, &resolved, runtime->message);
    parameters_default(&balance_parameters, &resolved);
    if (result == 0)
        result = parameters_check(&balance_parameters, &resolved, runtime->message);
    if (result < 0)
        result = runtime_quote_user_settings(runtime, result);
    result = ranks_agree(runtime, result, "", 0, &balance_parameters, &resolved);
    return result < 0 ? result : balance_run(collection, &resolved);
}

/* ---- when balancing is due ----------------------------------------------------------------- */

/* Balances; failures for want of room or memory are ignored if all ranks have only such failures,
 * because all tasks are still where they were, and can be executed there. */
static int balance_try(struct steal_collection *collection, const struct steal_balance *settings)
{
    struct steal_runtime *runtime = collection->runtime;
    const int result = balance_run(collection, settings);
    const bool spared = result == -ENOSPC || result == -ENOMEM || result == -ECANCELED;

    if (result == 0)
        return 0;
    return ranks_succeed(runtime, spared && !runtime->transport->broken ? 0 : result);
}

int balance_as_due(struct steal_collection *collection)
{
    const struct steal_properties *properties = &collection->properties;
    const int64_t every = (int64_t)properties->balance_every;
    struct steal_balance settings = properties->balance;

    if (collection->processes == 0 || !record_wanted(properties))
        return 0;
    if (every > 0 && collection->processes % every == 0)
        return balance_try(collection, &settings);
    if (!properties->balance_if_it_pays)
        return 0;
    settings.gain_min_ns = max_i64(settings.gain_min_ns, collection->balance_cost_ns);
    collection->balanced.cost_ns = settings.gain_min_ns;
    return balance_try(collection, &settings);
}

int steal_isolate(struct steal_collection *collection, int isolate)
{
    struct steal_runtime *runtime;

    if (!collection)
        return -EINVAL;
    runtime = collection->runtime;
    if (runtime->processing)
        return runtime_fail(runtime, -EBUSY, "steal_isolate() from within a task");
    runtime_forget(runtime);
    collection->properties.isolate = isolate;
    peer_init(&collection->peer, &collection->properties, steal_rank(runtime), runtime->places,
              collection->peer_memory);
    return 0;
}
