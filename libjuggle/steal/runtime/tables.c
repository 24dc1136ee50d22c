/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/tables.h"

#include "libjuggle/steal/deque/deque.h"
#include "libjuggle/steal/placement/bins.h"
#include "libjuggle/steal/protocol/lifelines.h"
#include "libjuggle/steal/runtime/rank.h"

#define MEMBER(type, member) .name = #member, .offset = offsetof(struct type, member)
#define NEEDS(type, member, text) \
    .needs = #member text, .needs_offset = offsetof(struct type, member)

/* ---- of a runtime -------------------------------------------------------------------------- */

#define OPTION(member) MEMBER(steal_options, member)

static const struct parameter options[] = {
    {OPTION(mode), PARAMETER_CHOICE, STEAL_CHOICE_MODE,
     .help = "which threads execute tasks, and which ones answer thieves"},
    {OPTION(workers), PARAMETER_INT, .least = 0, .most = WORKERS_MAX,
     NEEDS(steal_options, mode, " threads"),
     .help = "threads of a rank in mode threads; 0: its share of the node's processors"},
    {OPTION(trace_events), PARAMETER_SIZE,
     .help = "state changes that each worker keeps for a trace; 0: none"},
    {OPTION(progress_interval_ns), PARAMETER_INT64, .least = 0, .most = INT64_MAX,
     .help = "how often progress is reported; 0: never"},
    {OPTION(report), PARAMETER_INT, .least = 0, .most = 1, .flag = true,
     .help = "at the end, a line per function that says what might be improved; 0 or 1"},
};

const struct parameters options_parameters = {options, ARRAY_COUNT(options)};

/* ---- of a collection ----------------------------------------------------------------------- */

enum { STORAGE_MAX = 1 << 30 };

#define PROPERTY(member) MEMBER(steal_properties, member)
#define NEEDS_PROPERTY(member, text, values) \
    NEEDS(steal_properties, member, text), .needs_values = (values)
#define NEEDS_RETAIN NEEDS_PROPERTY(retain, "", 0)

static const struct parameter properties[] = {
    {PROPERTY(function), PARAMETER_UINT32, .fixed = true},
    {PROPERTY(task_size), PARAMETER_SIZE, .least = 1, .most = STEAL_TASK_SIZE_MAX, .fixed = true},
    {PROPERTY(batch), PARAMETER_SIZE, .preset = 1, .least = 1, .most = STEAL_BATCH_MAX,
     .fixed = true},
    {PROPERTY(lanes), PARAMETER_SIZE, .preset = 1, .least = 1, .most = STEAL_BATCH_MAX,
     .fixed = true},
    {PROPERTY(tasks), PARAMETER_SIZE, .preset = 1024, .least = 1, .most = DEQUE_CAPACITY_MAX,
     .help = "tasks that a worker is expected to hold at once"},
    {PROPERTY(memory_max), PARAMETER_SIZE, .preset = INT64_C(256) << 20,
     .help = "bytes of tasks that a worker's deque may grow to"},
    {PROPERTY(retain), PARAMETER_CHOICE, STEAL_CHOICE_RETENTION, .fixed = true},
    {PROPERTY(order), PARAMETER_CHOICE, STEAL_CHOICE_ORDER, NEEDS_RETAIN,
     .help = "the order in which restored tasks are executed"},
    {PROPERTY(prediction), PARAMETER_CHOICE, STEAL_CHOICE_PREDICTION, NEEDS_RETAIN,
     .help = "how a task's duration is predicted from its earlier durations"},
    {PROPERTY(alpha), PARAMETER_DOUBLE, .preset = 0.5, .most = 1,
     NEEDS_PROPERTY(prediction, " weighted", 1U << STEAL_PREDICTION_WEIGHTED),
     .help = "weight of the latest duration in prediction weighted, up to 1; 0: 0.5"},
    {PROPERTY(balance_every), PARAMETER_SIZE, NEEDS_RETAIN,
     .help = "iterations from one balancing to the next; 0: do not balance"},
    {PROPERTY(balance_if_it_pays), PARAMETER_INT, NEEDS_RETAIN, .flag = true,
     .help = "balance when it is expected to save more than it costs; 0 or 1"},
    {PROPERTY(key), PARAMETER_FUNCTION, NEEDS_RETAIN, .fixed = true},
    {PROPERTY(weight), PARAMETER_FUNCTION, NEEDS_RETAIN, .fixed = true},
    {PROPERTY(bins), PARAMETER_SIZE, .preset = 16, .least = 1, .most = 1 << BINS_RESOLUTION_MAX,
     NEEDS_RETAIN, .help = "bins per doubling of the duration, to sort tasks: a power of two"},
    {PROPERTY(bound), PARAMETER_CHOICE, STEAL_CHOICE_BOUND, .fixed = true},
    {PROPERTY(isolate), PARAMETER_INT, .flag = true, .help = "tasks are never stolen; 0 or 1"},
    {PROPERTY(victim), PARAMETER_CHOICE, STEAL_CHOICE_VICTIM, .help = "which rank a thief asks"},
    {PROPERTY(amount), PARAMETER_CHOICE, STEAL_CHOICE_AMOUNT,
     .help = "how many tasks a victim gives"},
    {PROPERTY(termination), PARAMETER_CHOICE, STEAL_CHOICE_TERMINATION,
     .help = "how ranks find out that no task is left"},
    {PROPERTY(exponent), PARAMETER_DOUBLE, .preset = 1,
     NEEDS_PROPERTY(victim, " skewed", 1U << STEAL_VICTIM_SKEWED),
     .help = "with victim skewed, a victim's weight is 1 / distance^exponent; 0: 1"},
    {PROPERTY(lifelines), PARAMETER_INT, .least = 0, .most = LIFELINES_MAX,
     .help = "other ranks at which an idle rank waits for work; 0: it keeps asking"},
    {PROPERTY(radix), PARAMETER_INT, .least = 0, .most = INT32_MAX,
     NEEDS_PROPERTY(lifelines, "", 0),
     .help = "radix of the hypercube: radix^lifelines >= ranks; 0: the least"},
    {PROPERTY(tries), PARAMETER_INT, .preset = 4, .least = 1, .most = INT32_MAX,
     NEEDS_PROPERTY(lifelines, "", 0),
     .help = "victims that refuse before a rank uses its lifelines"},
    {PROPERTY(chunk), PARAMETER_SIZE, .preset = 20, .least = 1, .most = DEQUE_CAPACITY_MAX,
     NEEDS_PROPERTY(amount, " chunk or k", 0),
     .help = "tasks that a victim gives with amount chunk or k"},
    {PROPERTY(poll_tasks), PARAMETER_SIZE, .preset = 512, .least = 1, .most = DEQUE_CAPACITY_MAX,
     .help = "a rank in mode polling looks for messages after this many tasks"},
    {PROPERTY(storage), PARAMETER_SIZE, .least = 0, .most = STORAGE_MAX, .fixed = true},
    {PROPERTY(result), PARAMETER_FUNCTION, .fixed = true},
    {PROPERTY(results_path), PARAMETER_FUNCTION, .fixed = true},
    {PROPERTY(results), PARAMETER_CHOICE, STEAL_CHOICE_RESULTS,
     .help = "the order in which results come to rank 0"},
    {PROPERTY(results_memory), PARAMETER_SIZE, .preset = INT64_C(16) << 20,
     .help = "bytes of results that a rank keeps in memory"},
    {PROPERTY(levels), PARAMETER_INT, .preset = 1, .least = 1, .most = STEAL_LEVELS_MAX,
     .fixed = true},
    {PROPERTY(weighted), PARAMETER_INT, .least = 0, .most = 1, .fixed = true},
    {PROPERTY(waiting), PARAMETER_INT, .least = 0, .most = 1, .fixed = true},
    {PROPERTY(seed), PARAMETER_UINT64, .help = "seed of the random choice of victims"},
};

const struct parameters properties_parameters = {properties, ARRAY_COUNT(properties)};

/* ---- of balancing -------------------------------------------------------------------------- */

#define BALANCE(member) MEMBER(steal_balance, member)

/* The defaults of donate_above and fill_below are C and D of the published runs. */
static const struct parameter balance[] = {
    {BALANCE(balancer), PARAMETER_CHOICE, STEAL_CHOICE_BALANCER,
     .help = "method that decides where tasks go between iterations"},
    {BALANCE(donation), PARAMETER_CHOICE, STEAL_CHOICE_DONATION,
     .help = "which tasks an overloaded rank gives away"},
    {BALANCE(within_nodes), PARAMETER_INT, .flag = true,
     .help = "first between the ranks of a node, then between nodes; 0 or 1"},
    {BALANCE(arity), PARAMETER_INT, .preset = 3, .least = 2, .most = INT32_MAX,
     NEEDS(steal_balance, balancer, " hierarchical"),
     .needs_values = 1U << STEAL_BALANCER_HIERARCHICAL,
     .help = "children of a rank in the tree of balancer hierarchical"},
    {BALANCE(donate_above), PARAMETER_DOUBLE, .preset = 1.003, .least = 1,
     .help = "ranks give away load above this multiple of the average; 0: 1.003"},
    {BALANCE(fill_below), PARAMETER_DOUBLE, .preset = 1.003,
     .help = "ranks receive load up to this multiple of the average; 0: 1.003"},
    {BALANCE(gain_min_ns), PARAMETER_INT64, .least = 0, .most = INT64_MAX,
     .help = "nothing moves unless the greatest load is this much above the average"},
};

const struct parameters balance_parameters = {balance, ARRAY_COUNT(balance)};

/* ---- of checkpoints ------------------------------------------------------------------------ */

static const struct parameter checkpoint[] = {
    {.name = "checkpoint",
     .offset = offsetof(struct checkpoint_wish, path),
     .type = PARAMETER_TEXT,
     .most = PATH_MAX,
     .help = "in JUGGLE_STEAL alone: checkpoint file, from which another run resumes"},
    {.name = "every",
     .offset = offsetof(struct checkpoint_wish, every_ns),
     .type = PARAMETER_TIME,
     .least = 0,
     .most = INT64_MAX,
     .help = "in JUGGLE_STEAL alone: how often the file is written; 0s: only at the end"},
};

const struct parameters checkpoint_parameters = {checkpoint, ARRAY_COUNT(checkpoint)};

/* ---- versions ------------------------------------------------------------------------------ */

#define GREW_FROM(type, member)                                   \
    {                                                             \
#type, offsetof(struct type, member), sizeof(struct type) \
    }
#define NEVER_GREW(type)                                \
    {                                                   \
#type, sizeof(struct type), sizeof(struct type) \
    }

const struct versioned versioned_options = GREW_FROM(steal_options, unused);
const struct versioned versioned_properties = GREW_FROM(steal_properties, storage);
/* It lies within struct steal_properties, so it cannot grow. */
const struct versioned versioned_balance = NEVER_GREW(steal_balance);
const struct versioned versioned_statistics = NEVER_GREW(steal_statistics);
const struct versioned versioned_report = NEVER_GREW(steal_report);
const struct versioned versioned_checkpoint = NEVER_GREW(steal_checkpoint);
