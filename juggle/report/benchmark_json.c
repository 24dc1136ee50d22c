/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/report/benchmark.h"

#include "juggle/report/text_json.h"

static const char *const names[VARIANTS_COUNT] = {
    [VARIANT_PLAIN] = "plain",
    [VARIANT_JUGGLE] = "juggle",
    [VARIANT_FIT] = "fit",
};

static json_t *variant_to_json(const struct benchmark *benchmark, const struct verdict *verdict,
                               enum variant variant)
{
    const struct estimate *time = &verdict->times_ns[variant], *ratio = &verdict->ratios[variant];
    json_t *times = json_array();

    for (int i = 0; i < benchmark->rounds; i++)
        json_array_append_new(times, json_integer((json_int_t)benchmark->times_ns[i][variant]));
    return json_pack("{s:s, s:I, s:I, s:I, s:f, s:f, s:f, s:o}", "name", names[variant],
                     "median_ns", (json_int_t)time->median, "low_ns", (json_int_t)time->low,
                     "high_ns", (json_int_t)time->high, "ratio", ratio->median, "ratio_low",
                     ratio->low, "ratio_high", ratio->high, "times_ns", times);
}

static json_t *benchmark_to_json(const struct benchmark *benchmark)
{
    struct verdict verdict;
    json_t *variants = json_array();

    benchmark_judge(benchmark, &verdict);
    for (int i = 0; i < VARIANTS_COUNT; i++)
        json_array_append_new(variants, variant_to_json(benchmark, &verdict, (enum variant)i));
    return json_pack("{s:o, s:i, s:i, s:f, s:o, s:s}", "command", words_to_json(benchmark->command),
                     "rounds_asked", benchmark->rounds_asked, "rounds", benchmark->rounds,
                     "confidence", verdict.confidence, "variants", variants, "use",
                     names[verdict.use]);
}

int benchmark_print_json(const struct benchmark *benchmark, FILE *out)
{
    return json_print(benchmark_to_json(benchmark), out);
}
