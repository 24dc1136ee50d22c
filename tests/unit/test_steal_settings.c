/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of the stealing runtime as text: those of the program, and those of the user, which
 * override them. */
#include "tests/lib/lone.h"
#include "tests/lib/suite.h"

#include "libjuggle/steal/runtime/collection.h"
#include "libjuggle/steal/runtime/runtime.h"
#include "libjuggle/steal/runtime/tables.h"
#include "libjuggle/ground/version.h"
#include "tools/steal-sim/network.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* ---- the program's settings ---------------------------------------------------------------- */

static struct steal_properties parsed(const char *text)
{
    struct steal_properties properties = {.size = sizeof(properties)};
    struct steal_error error;

    ck_assert_msg(steal_properties_parse(&properties, text, &error) == 0, "%s: %s", text,
                  error.message);
    return properties;
}

START_TEST(text_sets_what_it_names)
{
    struct steal_options options = {.size = sizeof(options), .trace_events = 7};
    struct steal_properties properties = parsed(
        "lifelines=2, mode=threads,victim=round-robin,exponent=1.5,,memory_max=64M,seed="
        "18446744073709551615,balance_every=3,balancer=central,gain_min_ns=500,\n");

    ck_assert_int_eq(properties.lifelines, 2);
    ck_assert_int_eq(properties.victim, STEAL_VICTIM_ROUND_ROBIN);
    ck_assert(properties.exponent == 1.5);
    ck_assert_uint_eq(properties.memory_max, 64 << 20);
    ck_assert_uint_eq(properties.seed, UINT64_MAX);
    ck_assert_uint_eq(properties.balance_every, 3);
    ck_assert_int_eq(properties.balance.balancer, STEAL_BALANCER_CENTRAL);
    ck_assert_int_eq(properties.balance.gain_min_ns, 500);
    ck_assert_int_eq(steal_options_parse(&options, "lifelines=2,mode=threads,workers=3", NULL), 0);
    ck_assert_int_eq(options.mode, STEAL_MODE_THREADS);
    ck_assert_int_eq(options.workers, 3);
    ck_assert_uint_eq(options.trace_events, 7);
}

START_TEST(the_later_of_two_counts_and_zero_is_the_default)
{
    ck_assert_int_eq(parsed("tries=3,tries=5").tries, 5);
    ck_assert_int_eq(parsed("tries=3,tries=0").tries, 0);
    ck_assert_int_eq(parsed("").tries, 0);
}

static const struct mistake {
    const char *text, *told;
} mistakes[] = {
    {"lifeline=2", "'lifeline' is not a setting of the stealing runtime"},
    {"lifelines", "'lifelines' has no value: it is lifelines=VALUE"},
    {"=2", "'' is not a setting"},
    {"lifelines=31", "lifelines must be 0 to 30, not 31"},
    {"lifelines=-1", "lifelines is a whole number from 0 to 30, not '-1'"},
    {"lifelines=", "lifelines is a whole number from 0 to 30, not ''"},
    {"lifelines=2x", "lifelines is a whole number from 0 to 30, not '2x'"},
    {"lifelines=4294967298", "lifelines is a whole number from 0 to 30, not '4294967298'"},
    {"tries=1.5", "tries is a whole number from 0 to 2147483647, not '1.5'"},
    {"seed=18446744073709551616", "seed is a whole number from 0 to 18446744073709551615"},
    {"tries=99999999999999999999999999999999999999",
     "tries is a whole number from 0 to 2147483647"},
    {"memory_max=16000000000G", "memory_max is a whole number from 0 to "},
    {"lifelines=1K", "lifelines is a whole number from 0 to 30, not '1K'"},
    {"exponent=nan", "exponent is a number of at least 0, not 'nan'"},
    {"exponent=-1", "exponent is a number of at least 0, not '-1'"},
    {"alpha=0x1", "alpha is a number of at least 0, not '0x1'"},
    {"exponent=inf", "exponent is a number of at least 0, not 'inf'"},
    {"exponent=+1", "exponent is a number of at least 0, not '+1'"},
    {"tries= 4", "'tries' has a blank beside its '='"},
    {"exponent =1", "'exponent ' has a blank beside its '='"},
    {",", "a setting is missing between two commas"},
    {" , ,", "a setting is missing between two commas"},
    {"victim=anyone", "victim is one of uniform, round-robin, skewed, nearest, not 'anyone'"},
    {"victim=unif", "not 'unif'"},
    {"arity=1", "arity must be 2 to 2147483647, not 1"},
    {"task_size=8", "'task_size' can be set only in the program's code"},
    {"key=1", "'key' can be set only in the program's code"},
    {"tries=2,checkpoint=file", "'checkpoint' can be set only in JUGGLE_STEAL"},
    {"every=5s", "'every' can be set only in JUGGLE_STEAL"},
};

START_TEST(what_is_wrong_is_named_and_nothing_changes)
{
    for (size_t i = 0; i < ARRAY_COUNT(mistakes); i++) {
        struct steal_properties properties = parsed("tries=7"), before;
        struct steal_error error = {""};
        /* Compares all bytes, padding too: nothing may be written. */
        memcpy(&before, &properties, sizeof(before));
        int result = steal_properties_parse(&properties, mistakes[i].text, &error);

        ck_assert_msg(result == -EINVAL, "'%s' is taken", mistakes[i].text);
        expect_says(error.message, mistakes[i].told);
        ck_assert_mem_eq(&properties, &before, sizeof(properties));
    }
}

START_TEST(structs_of_another_size_and_null_are_refused)
{
    struct steal_properties properties = {.size = 8};
    struct steal_options options = {.size = 0};
    struct steal_error error;

    ck_assert_int_eq(steal_properties_parse(&properties, "", &error), -EINVAL);
    expect_says(error.message, "struct steal_properties has 8 bytes in the program");
    ck_assert_int_eq(steal_options_parse(&options, "", &error), -EINVAL);
    expect_says(error.message, "the size of struct steal_options is not set");
    options.size = sizeof(options);
    ck_assert_int_eq(steal_options_parse(&options, NULL, &error), -EINVAL);
    ck_assert_str_eq(error.message, "text is NULL");
    ck_assert_int_eq(steal_options_parse(NULL, "", &error), -EINVAL);
    ck_assert_int_eq(steal_properties_parse(NULL, "", NULL), -EINVAL);
}

/* ---- help ---------------------------------------------------------------------------------- */

static void expect_table_in_help(const struct parameters *table, const char *help)
{
    char line[128];

    for (size_t i = 0; i < table->count; i++) {
        snprintf(line, sizeof(line), "  %s=", table->list[i].name);
        ck_assert_msg((strstr(help, line) != NULL) == !table->list[i].fixed, "%s", line);
    }
}

START_TEST(help_has_a_line_for_each_setting)
{
    char help[8192], brief[16] = "";
    const size_t length = steal_settings_help(help, sizeof(help));

    ck_assert_uint_lt(length, sizeof(help));
    ck_assert_uint_eq(strlen(help), length);
    expect_table_in_help(&options_parameters, help);
    expect_table_in_help(&properties_parameters, help);
    expect_table_in_help(&balance_parameters, help);
    ck_assert(strstr(help, "  mode=polling|threads"));
    ck_assert(strstr(help, "uses its lifelines; 0: 4\n"));
    for (const char *line = help; *line; line = strchr(line, '\n') + 1)
        ck_assert_msg(strcspn(line, "\n") <= 100, "%.100s", line);
    ck_assert_uint_eq(steal_settings_help(NULL, 0), length);
    ck_assert_uint_eq(steal_settings_help(brief, sizeof(brief)), length);
    ck_assert_uint_eq(strlen(brief), sizeof(brief) - 1);
}

START_TEST(the_version_is_the_houses)
{
    ck_assert_str_eq(steal_version(), JUGGLE_VERSION);
}

/* ---- the user's settings ------------------------------------------------------------------- */

static struct network *network;
static struct steal_runtime *runtime;
static struct steal_error failure;

static int open_under(const char *text, const struct steal_options *options)
{
    const struct network_settings settings = {.ranks = 1, .latency_ns = lone_latency_ns};
    struct transport *transport;
    int result;

    ck_assert_int_eq(network_open(&settings, &network), 0);
    transport = network_endpoint(network, 0);
    transport->settings = text;
    result = runtime_open(transport, options, &runtime, &failure);
    if (result < 0)
        network_close(network);
    return result;
}

static void close_runtime(void)
{
    ck_assert_int_eq(steal_runtime_destroy(runtime), 0);
    network_close(network);
}

/* Returns the properties of the collection that is made of the program's properties with the
 * settings `text`. */
static struct steal_properties wanted(const char *text, const struct steal_options *options,
                                      struct steal_properties properties)
{
    struct steal_collection *collection;

    ck_assert_int_eq(open_under(text, options), 0);
    ck_assert_int_eq(
        steal_function_register(runtime, "nothing", lone_nothing, &properties.function), 0);
    properties.size = sizeof(properties);
    properties.task_size = 8;
    ck_assert_msg(steal_collection_create(runtime, &properties, &collection) == 0, "%s: %s", text,
                  steal_message(runtime));
    properties = collection->properties;
    ck_assert_int_eq(steal_collection_destroy(collection), 0);
    return properties;
}

START_TEST(what_the_user_wants_goes_over_what_the_program_sets)
{
    const struct steal_options polling = {.size = sizeof(polling)};
    struct steal_properties properties = wanted("lifelines=2,mode=threads,workers=2,chunk=5",
                                                &polling,
                                                (struct steal_properties){
                                                    .lifelines = 4,
                                                    .tries = 7,
                                                    .amount = STEAL_AMOUNT_CHUNK,
                                                });

    ck_assert_int_eq(steal_workers(runtime), 2);
    ck_assert_int_eq(properties.lifelines, 2);
    ck_assert_int_eq(properties.tries, 7);
    ck_assert_uint_eq(properties.chunk, 5);
    close_runtime();
}

START_TEST(what_the_user_makes_meaningless_of_the_programs_is_dropped)
{
    struct steal_properties properties = wanted("lifelines=0,amount=half,mode=polling",
                                                &lone_threads,
                                                (struct steal_properties){
                                                    .lifelines = 4,
                                                    .tries = 7,
                                                    .radix = 9,
                                                    .amount = STEAL_AMOUNT_CHUNK,
                                                    .chunk = 9,
                                                });

    ck_assert_int_eq(steal_workers(runtime), 1);
    ck_assert_int_eq(properties.tries, 4);
    ck_assert_int_eq(properties.radix, 0);
    ck_assert_uint_eq(properties.chunk, 20);
    close_runtime();
    wanted("mode=threads,workers=1", NULL, (struct steal_properties){.poll_tasks = 9});
    close_runtime();
    properties = wanted("balance_every=0", NULL,
                        (struct steal_properties){.retain = STEAL_RETENTION_ALL,
                                                  .balance_every = 2,
                                                  .balance = {.balancer = STEAL_BALANCER_CENTRAL}});
    ck_assert_int_eq(properties.balance.balancer, STEAL_BALANCER_HIERARCHICAL);
    close_runtime();
}

/* A user who asked for a checkpoint must not learn at the end of the run that there is none. */
START_TEST(what_is_no_checkpoint_is_refused_before_one_is_kept)
{
    ck_assert_int_eq(open_under("checkpoint=file,every=5x", NULL), -EINVAL);
    ck_assert_msg(strstr(failure.message, "every"), "%s", failure.message);
    ck_assert_int_eq(open_under("checkpoint=file,every=5s", NULL), 0);
    close_runtime();
}

START_TEST(what_a_collection_has_no_use_for_is_passed_over)
{
    static const char text[] = "order=longest,prediction=weighted,alpha=0.3,balancer=central";
    struct steal_properties properties = wanted(text, NULL, (struct steal_properties){0});

    ck_assert_int_eq(properties.order, STEAL_ORDER_EXECUTED);
    ck_assert_int_eq(properties.prediction, STEAL_PREDICTION_LAST);
    ck_assert_int_eq(properties.balance.balancer, STEAL_BALANCER_HIERARCHICAL);
    close_runtime();
    properties = wanted(
        text, NULL,
        (struct steal_properties){.retain = STEAL_RETENTION_ALL, .balance_if_it_pays = 1});
    ck_assert_int_eq(properties.order, STEAL_ORDER_LONGEST);
    ck_assert(properties.alpha == 0.3);
    ck_assert_int_eq(properties.balance.balancer, STEAL_BALANCER_CENTRAL);
    close_runtime();
}

static void take(void *local, uint64_t id, const void *data, size_t size)
{
    (void)local, (void)id, (void)data, (void)size;
}

/* Another collection of the program may have results. */
START_TEST(how_results_come_is_passed_over_where_there_are_none)
{
    static const char text[] = "results=by-id,results_memory=4K";
    struct steal_properties properties = wanted(text, NULL, (struct steal_properties){0});

    ck_assert_int_eq(properties.results, STEAL_RESULTS_ARRIVED);
    close_runtime();
    properties = wanted(text, NULL, (struct steal_properties){.result = take});
    ck_assert_int_eq(properties.results, STEAL_RESULTS_BY_ID);
    ck_assert_uint_eq(properties.results_memory, 4096);
    close_runtime();
}

START_TEST(progress_of_a_program_that_shows_none_is_passed_over)
{
    const struct steal_options options = {.size = sizeof(options)};

    ck_assert_int_eq(open_under("progress_interval_ns=5", &options), 0);
    close_runtime();
}

/* The first version of the struct ended before `report`, with padding of any value. */
START_TEST(what_was_padding_of_the_first_struct_is_nothing)
{
    const struct steal_options first = {.size = offsetof(struct steal_options, report),
                                        .unused = 3};

    ck_assert_int_eq(open_under("", &first), 0);
    close_runtime();
}

static void expect_refused_of(const char *text, struct steal_properties properties,
                              const char *told)
{
    struct steal_collection *collection;

    properties.size = sizeof(properties);
    properties.task_size = 8;
    ck_assert_int_eq(open_under(text, NULL), 0);
    ck_assert_int_eq(
        steal_function_register(runtime, "nothing", lone_nothing, &properties.function), 0);
    ck_assert_int_eq(steal_collection_create(runtime, &properties, &collection), -EINVAL);
    expect_says(steal_message(runtime), told);
    close_runtime();
}

static void expect_refused(const char *text, const char *told)
{
    expect_refused_of(text, (struct steal_properties){0}, told);
}

/* Which settings act with which choice is looked up before the choices are checked. */
START_TEST(what_the_program_chooses_wrong_is_told_whatever_the_user_sets)
{
    expect_refused_of("seed=1", (struct steal_properties){.victim = 99},
                      "victim 99 does not exist");
    expect_refused_of("exponent=2", (struct steal_properties){.victim = 99},
                      "victim 99 does not exist");
    expect_refused_of("seed=1", (struct steal_properties){.balance = {.balancer = 64}},
                      "balancer 64 does not exist");
}

/* The program's settings alone are right. */
START_TEST(what_the_user_makes_wrong_of_a_balancing_names_the_environment)
{
    const struct steal_balance central = {.size = sizeof(central),
                                          .balancer = STEAL_BALANCER_CENTRAL};
    struct steal_collection *collection;
    struct steal_properties properties = {
        .size = sizeof(properties), .task_size = 8, .retain = STEAL_RETENTION_ALL};

    ck_assert_int_eq(open_under("arity=7", NULL), 0);
    ck_assert_int_eq(
        steal_function_register(runtime, "nothing", lone_nothing, &properties.function), 0);
    ck_assert_int_eq(steal_collection_create(runtime, &properties, &collection), 0);
    ck_assert_int_eq(steal_rebalance(collection, &central), -EINVAL);
    ck_assert_str_eq(steal_message(runtime),
                     "arity does nothing without balancer hierarchical (JUGGLE_STEAL is arity=7)");
    ck_assert_int_eq(steal_collection_destroy(collection), 0);
    close_runtime();
}

START_TEST(what_the_user_writes_wrong_names_the_environment)
{
    ck_assert_int_eq(open_under("lifeline=2", NULL), -EINVAL);
    ck_assert_str_eq(failure.message,
                     "JUGGLE_STEAL: 'lifeline' is not a setting of the stealing runtime");
    ck_assert_int_eq(open_under("mode=slow", NULL), -EINVAL);
    ck_assert_str_eq(failure.message, "JUGGLE_STEAL: mode is one of polling, threads, not 'slow'");
    ck_assert_int_eq(open_under("retain=all", NULL), -EINVAL);
    expect_refused("lifelines=99", "JUGGLE_STEAL: lifelines must be 0 to 30, not 99");
    expect_refused("radix=9", "radix does nothing without lifelines (JUGGLE_STEAL is radix=9)");
    expect_refused("bins=0,tries=2", "tries does nothing without lifelines");
}

START_TEST(an_empty_environment_changes_nothing)
{
    ck_assert_int_eq(wanted("", NULL, (struct steal_properties){.lifelines = 3}).lifelines, 3);
    close_runtime();
}

SUITE("steal settings")
