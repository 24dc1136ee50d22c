/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties, options and functions that are refused, and what the messages name. */
#include "tests/lib/lone.h"
#include "tests/lib/suite.h"

#include "libjuggle/steal/runtime/runtime.h"
#include "tools/steal-sim/network.h"

#include <errno.h>
#include <math.h>

static void expect_refused(struct steal_properties properties, int error, const char *part)
{
    struct steal_collection *untouched = lone.collection;

    ck_assert_int_eq(steal_collection_create(lone.runtime, &properties, &untouched), error);
    ck_assert_ptr_eq(untouched, lone.collection);
    lone_expect_message(part);
}

static int64_t weigh(const void *local, const void *task)
{
    (void)local, (void)task;
    return 1;
}

struct refusal {
    struct steal_properties properties;
    const char *part;
};

static void expect_all_refused(const struct refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect_refused(refusals[i].properties, -EINVAL, refusals[i].part);
}

static const struct refusal mistakes[] = {
    {LONE_PROPERTIES(.bins = 24), "bins must be a power of two, not 24"},
    {LONE_PROPERTIES(.alpha = 1.5), "alpha must be at most 1, not 1.5"},
    {LONE_PROPERTIES(.batch = 2000), "batch must be 1 to 1024, not 2000"},
    {LONE_PROPERTIES(.batch = SIZE_MAX), "batch must be 1 to 1024, not 18446744073709551615"},
    {LONE_PROPERTIES(.lanes = 1025), "lanes must be 1 to 1024, not 1025"},
    {LONE_PROPERTIES(.lanes = 8), "batch must be a multiple of lanes 8, not 1"},
    {LONE_PROPERTIES(.lanes = 8, .batch = 12), "batch must be a multiple of lanes 8, not 12"},
    {LONE_PROPERTIES(.memory_max = 100), "memory_max must be at least"},
    {LONE_PROPERTIES(.lifelines = -1), "lifelines must be 0 to 30, not -1"},
    {LONE_PROPERTIES(.lifelines = 1, .tries = -4), "tries must be 1 to 2147483647, not -4"},
    {LONE_PROPERTIES(.exponent = -0.5), "exponent must not be negative: -0.5"},
    {LONE_PROPERTIES(.exponent = NAN), "exponent must be finite: nan"},
    {LONE_PROPERTIES(.victim = (enum steal_victim)5), "victim 5 does not exist"},
};

static const struct refusal idle[] = {
    {LONE_PROPERTIES(.order = STEAL_ORDER_LONGEST), "order does nothing without retain"},
    {LONE_PROPERTIES(.prediction = STEAL_PREDICTION_MEAN),
     "prediction does nothing without retain"},
    {LONE_PROPERTIES(.retain = STEAL_RETENTION_ALL, .alpha = 0.25),
     "alpha does nothing without prediction weighted"},
    {LONE_PROPERTIES(.bins = 8), "bins does nothing without retain"},
    {LONE_PROPERTIES(.key = lone_key), "key does nothing without retain"},
    {LONE_PROPERTIES(.weight = weigh), "weight does nothing without retain"},
    {LONE_PROPERTIES(.balance_every = 2), "balance_every does nothing without retain"},
    {LONE_PROPERTIES(.balance_if_it_pays = 1), "balance_if_it_pays does nothing without retain"},
    {LONE_PROPERTIES(.retain = STEAL_RETENTION_ALL, .balance = {.within_nodes = 1}),
     "balance does nothing without balance_every or balance_if_it_pays"},
    {LONE_PROPERTIES(.retain = STEAL_RETENTION_ALL, .balance_every = 1,
                     .balance = {.balancer = STEAL_BALANCER_CENTRAL, .arity = 4}),
     "arity does nothing without balancer hierarchical"},
    {LONE_PROPERTIES(.radix = 2), "radix does nothing without lifelines"},
    {LONE_PROPERTIES(.tries = 2), "tries does nothing without lifelines"},
    {LONE_PROPERTIES(.chunk = 10), "chunk does nothing without amount chunk or k"},
    {LONE_PROPERTIES(.exponent = 2), "exponent does nothing without victim skewed"},
    {LONE_PROPERTIES(.storage_initial = &lone), "storage_initial does nothing without storage"},
    {LONE_PROPERTIES(.victim = STEAL_VICTIM_NEAREST, .exponent = 2),
     "exponent does nothing without victim skewed"},
};

START_TEST(bad_properties_are_named)
{
    struct steal_properties properties = LONE_PROPERTIES();

    lone_open((struct steal_properties){0});
    expect_all_refused(mistakes, ARRAY_COUNT(mistakes));
    properties.function = 9;
    expect_refused(properties, -ENOENT, "function 9 is not registered");
    properties.function = 1;
    properties.task_size = 0;
    expect_refused(properties, -EINVAL, "task_size must be 1 to");
    properties.task_size = 65537;
    expect_refused(properties, -EINVAL, "not 65537");
    properties.task_size = 65528;
    properties.retain = 1;
    expect_refused(properties, -EINVAL, "task_size must be at most 65520 with retain");
    lone_close();
}

START_TEST(properties_that_would_do_nothing_are_refused)
{
    lone_open((struct steal_properties){0});
    expect_all_refused(idle, ARRAY_COUNT(idle));
    lone_close();
    lone_open_function((struct steal_properties){0}, &lone_threads, lone_note);
    expect_refused((struct steal_properties)LONE_PROPERTIES(.poll_tasks = 10), -EINVAL,
                   "poll_tasks does nothing without mode polling");
    lone_close();
}

START_TEST(lifelines_must_reach_every_rank)
{
    lone_open_among(10, (struct steal_properties){0}, NULL, lone_note);
    expect_refused((struct steal_properties)LONE_PROPERTIES(.lifelines = 2, .radix = 3), -EINVAL,
                   "radix 3 is too small for lifelines 2 among 10 ranks: it must be 4");
    expect_refused((struct steal_properties)LONE_PROPERTIES(.lifelines = 9, .radix = 1), -EINVAL,
                   "radix 1 is too small for lifelines 9 among 10 ranks: it must be 2");
    lone_close();
}

START_TEST(bad_functions_are_refused)
{
    steal_function function = 42;

    lone_open((struct steal_properties){0});
    ck_assert_int_eq(steal_function_register(lone.runtime, "play", lone_note, &function), -EEXIST);
    lone_expect_message("'play' is registered already");
    ck_assert_int_eq(steal_function_register(lone.runtime, "", lone_note, &function), -EINVAL);
    ck_assert_int_eq(steal_function_register(lone.runtime, "x", NULL, &function), -EINVAL);
    ck_assert_uint_eq(function, 42);
    lone_close();
}

static void expect_no_runtime(struct steal_options options, const char *part)
{
    const struct network_settings settings = {.ranks = 1, .latency_ns = lone_latency_ns};
    struct network *network;
    struct steal_runtime *runtime = NULL;
    struct steal_error error;

    if (options.size == 0)
        options.size = sizeof(options);
    ck_assert_int_eq(network_open(&settings, &network), 0);
    ck_assert_int_eq(runtime_open(network_endpoint(network, 0), &options, &runtime, &error),
                     -EINVAL);
    ck_assert_ptr_null(runtime);
    expect_says(error.message, part);
    network_close(network);
}

static void show(void *context, const struct steal_progress *progress)
{
    (void)context, (void)progress;
}

START_TEST(bad_options_are_named)
{
    expect_no_runtime((struct steal_options){.mode = STEAL_MODE_THREADS, .workers = 5000},
                      "workers must be 0 to 1024, not 5000");
    expect_no_runtime((struct steal_options){.size = 8}, "struct steal_options has 8 bytes");
    expect_no_runtime((struct steal_options){.workers = 2},
                      "workers does nothing without mode threads");
    expect_no_runtime((struct steal_options){.progress = show},
                      "progress does nothing without progress_interval_ns");
    expect_no_runtime((struct steal_options){.progress_interval_ns = 1},
                      "progress_interval_ns does nothing without progress");
    expect_no_runtime((struct steal_options){.progress_context = &(int){0}},
                      "progress_context does nothing without progress");
    expect_no_runtime((struct steal_options){.unused = 3}, "unused must be 0, not 3");
    expect_no_runtime((struct steal_options){.distances = "node", .dimensions = 2},
                      "dimensions does nothing without coordinates");
}

START_TEST(trace_without_events_is_refused)
{
    const struct steal_options traced = {.size = sizeof(traced), .trace_events = 10};

    lone_open((struct steal_properties){0});
    ck_assert_int_eq(steal_trace_write(lone.runtime, "/nowhere/trace.csv"), -EINVAL);
    lone_expect_message("without trace_events");
    lone_close();
    lone_open_function((struct steal_properties){0}, &traced, lone_note);
    ck_assert_int_eq(steal_trace_write(lone.runtime, "/nowhere/trace.csv"), -ENOENT);
    lone_expect_message("/nowhere/trace.csv: No such file");
    lone_close();
}

SUITE("steal interface: refusals")
