/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/report/benchmark.h"

#include "libjuggle/ground/sort.h"
#include "libjuggle/wish/value.h"

#include <math.h>

enum { RANGE_SIZE = 80 };

#define CONFIDENCE_WANTED 0.95
/* Below this confidence nothing is recommended. Two rounds of three agree by chance too often. */
#define CONFIDENCE_MIN 0.75
/* A variant that gains less than this is not worth a word on the command line. */
#define GAIN_MIN 0.01
/* Ratios are sorted as whole numbers. */
#define RATIO_SCALE 1e9

/* ---- order statistics ---- */

/* The probability that the true median lies between the value at index `skipped` and the value
 * at that distance from the end. It lies outside only if at most `skipped` of `count` draws are
 * on one side of it; each draw is there with probability 1/2. */
static double coverage(int count, int skipped)
{
    double outside = 0;

    for (int i = 0; i <= skipped; i++)
        outside += exp(lgamma(count + 1) - lgamma(i + 1) - lgamma(count - i + 1) - count * log(2));
    return fmax(0, 1 - 2 * outside);
}

static int skipped_of(int count)
{
    int skipped = 0;

    while (2 * (skipped + 1) < count - 1 && coverage(count, skipped + 1) >= CONFIDENCE_WANTED)
        skipped++;
    return skipped;
}

static struct estimate estimate(struct sort_item *items, int count, double unit)
{
    const int skipped = skipped_of(count);

    const int lower = (count - 1) / 2, upper = count / 2;

    sort_items(items, count);
    return (struct estimate){
        .median = unit * ((double)items[lower].key + (double)items[upper].key) / 2,
        .low = unit * (double)items[skipped].key,
        .high = unit * (double)items[count - 1 - skipped].key,
    };
}

static struct estimate estimate_times(const struct benchmark *benchmark, enum variant variant)
{
    struct sort_item items[BENCHMARK_ROUNDS_MAX];

    for (int i = 0; i < benchmark->rounds; i++)
        items[i] = (struct sort_item){benchmark->times_ns[i][variant], i};
    return estimate(items, benchmark->rounds, 1);
}

/* Ratios are taken within a round, because a change between rounds affects all runs of a round. */
static struct estimate estimate_ratios(const struct benchmark *benchmark, enum variant variant)
{
    struct sort_item items[BENCHMARK_ROUNDS_MAX];

    for (int i = 0; i < benchmark->rounds; i++) {
        const double plain_ns = (double)max_i64(1, benchmark->times_ns[i][VARIANT_PLAIN]);
        const double ratio = (double)benchmark->times_ns[i][variant] / plain_ns;
        items[i] = (struct sort_item){llround(fmin(ratio, 1e6) * RATIO_SCALE), i};
    }
    return estimate(items, benchmark->rounds, 1 / RATIO_SCALE);
}

/* ---- what to use ---- */

static bool is_faster(const struct verdict *verdict, enum variant variant)
{
    const struct estimate *ratio = &verdict->ratios[variant];

    return verdict->confidence >= CONFIDENCE_MIN && ratio->high < 1 && ratio->median < 1 - GAIN_MIN;
}

/* Returns the fastest variant. If two are equally good, the one that changes less. */
static enum variant best_of(const struct verdict *verdict)
{
    enum variant best = VARIANT_PLAIN;

    for (int i = VARIANT_JUGGLE; i < VARIANTS_COUNT; i++) {
        const double bound = verdict->ratios[best].median * (1 - GAIN_MIN);
        if (is_faster(verdict, (enum variant)i) && verdict->ratios[i].median < bound)
            best = (enum variant)i;
    }
    return best;
}

void benchmark_judge(const struct benchmark *benchmark, struct verdict *verdict)
{
    verdict->confidence = coverage(benchmark->rounds, skipped_of(benchmark->rounds));
    for (int i = 0; i < VARIANTS_COUNT; i++) {
        verdict->times_ns[i] = estimate_times(benchmark, (enum variant)i);
        verdict->ratios[i] = estimate_ratios(benchmark, (enum variant)i);
    }
    verdict->use = best_of(verdict);
}

const char *variant_name(enum variant variant)
{
    static const char *const names[VARIANTS_COUNT] = {
        [VARIANT_PLAIN] = "as it is",
        [VARIANT_JUGGLE] = "juggle",
        [VARIANT_FIT] = "juggle --fit",
    };

    return names[variant];
}

/* ---- text ---- */

static void print_variant(const struct verdict *verdict, enum variant variant, FILE *out)
{
    const struct estimate *time = &verdict->times_ns[variant];
    const struct estimate *ratio = &verdict->ratios[variant];
    char range[RANGE_SIZE];

    snprintf(range, sizeof(range), "%s to %s", IN_WORDS(time->low), IN_WORDS(time->high));
    fprintf(out, "%-13s %10s   ", variant_name(variant), IN_WORDS(time->median));
    if (variant == VARIANT_PLAIN)
        fprintf(out, "%s\n", range);
    else
        fprintf(out, "%-24s %.3f of it (%.3f to %.3f)\n", range, ratio->median, ratio->low,
                ratio->high);
}

static void print_use(const struct verdict *verdict, FILE *out)
{
    const double fastest = fmin(verdict->ratios[VARIANT_JUGGLE].median,
                                verdict->ratios[VARIANT_FIT].median);

    if (verdict->use != VARIANT_PLAIN)
        fprintf(out, "use %s: %.3f of the time as it is\n", variant_name(verdict->use),
                verdict->ratios[verdict->use].median);
    else if (verdict->confidence < CONFIDENCE_MIN)
        fprintf(out, "nothing is sure after so few rounds: 3 show something, 6 to 95 %%\n");
    else
        fprintf(out, "use it as it is: nothing else was surely faster%s\n",
                fastest < 1 - GAIN_MIN ? "; more rounds might show it" : "");
}

void benchmark_print_text(const struct benchmark *benchmark, FILE *out)
{
    struct verdict verdict;

    benchmark_judge(benchmark, &verdict);
    fprintf(out, "%-13s %10s   interval, sure to %.0f %% after %d round%s\n", "", "median",
            100 * verdict.confidence, benchmark->rounds, plural(benchmark->rounds));
    for (int i = 0; i < VARIANTS_COUNT; i++)
        print_variant(&verdict, (enum variant)i, out);
    print_use(&verdict, out);
}
