/* SPDX-License-Identifier: BSD-3-Clause */
/* Printed values are read back as the same values. */
#include "tests/lib/chance.h"

#include "libjuggle/ground/rates.h"
#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/wish/value.h"

#include <stdio.h>
#include <string.h>

/* Durations of any magnitude, mostly near to where another unit or another digit begins. */
static int64_t some_duration_ns(void)
{
    int64_t duration_ns = 1;

    for (int64_t digits = below(17); digits > 0; digits--)
        duration_ns *= 10;
    return one_in(2) ? duration_ns - below(duration_ns / 500 + 2) : between(0, 10 * duration_ns);
}

static void print_a_duration(void)
{
    char text[DURATION_SIZE], again[DURATION_SIZE];

    for (int i = 0; i < 10; i++) {
        const int64_t duration_ns = some_duration_ns();
        int64_t read_ns;

        duration_format(duration_ns, text, sizeof(text));
        ALWAYS(!duration_parse(text, &read_ns));
        ALWAYS(llabs(read_ns - duration_ns) <= duration_ns / 200);
        ALWAYS(!strpbrk(text, "e+-"));
        ALWAYS(!strcmp(duration_format(read_ns, again, sizeof(again)), text));
    }
}

START_TEST(durations_are_read_as_they_were_printed)
{
    live_with_seeds(20000, print_a_duration);
}

static void print_rates(void)
{
    struct rates rates, read;
    char text[2048] = "";

    rates.count = (int)between(1, 40);
    rates.smt_rate = one_in(2) ? 0 : between(RATE_MIN, RATE_ONE);
    for (int i = 0; i < rates.count; i++) {
        rates.values[i] = i && one_in(2) ? rates.values[i - 1] : between(RATE_MIN, RATE_MAX);
        sprintf(text + strlen(text), "%s%d.%06d", i ? "," : "", (int)(rates.values[i] / RATE_ONE),
                (int)(rates.values[i] % RATE_ONE));
    }
    if (rates.smt_rate)
        sprintf(text + strlen(text), ",smt=%.6f", (double)rates.smt_rate / (double)RATE_ONE);
    ALWAYS(!rates_parse(text, &read));
    ALWAYS(read.count == rates.count && read.smt_rate == rates.smt_rate);
    ALWAYS(!memcmp(read.values, rates.values, (size_t)rates.count * sizeof(rates.values[0])));
}

START_TEST(rates_are_read_as_they_were_printed)
{
    live_with_seeds(5000, print_rates);
}

static struct cpu_mask some_mask(int *count)
{
    struct cpu_mask mask = {0};
    int cpu = (int)below(CPU_MASK_CPUS_MAX);

    for (*count = 0; cpu < CPU_MASK_CPUS_MAX && *count < 100;
         cpu += one_in(3) ? 1 + below(90) : 1) {
        cpu_mask_add(&mask, cpu);
        ++*count;
    }
    return mask;
}

static void print_a_mask(void)
{
    int count, walked = 0;
    const struct cpu_mask mask = some_mask(&count);
    struct cpu_mask read;
    char text[1024];

    ALWAYS(cpu_mask_format(&mask, text, sizeof(text)) == (int)strlen(text));
    ALWAYS(!cpu_mask_parse(text, &read));
    ALWAYS(cpu_mask_equal(&mask, &read) && cpu_mask_count(&read) == count);
    for (int cpu = -1; (cpu = cpu_mask_next(&read, cpu)) >= 0;)
        walked++;
    ALWAYS(walked == count);
}

START_TEST(masks_are_read_as_they_were_printed)
{
    live_with_seeds(5000, print_a_mask);
}

/* Digits, units, and characters that parsers handle badly. */
static void read_anything(void)
{
    static const char signs[] = "0123456789.,-+eExmsunh% ;";
    char text[16] = "";
    struct cpu_mask named, twice;
    struct rates rates;
    int64_t duration_ns = -1;
    double share = -1;

    for (int i = 0, length = (int)below(sizeof(text)); i < length; i++)
        text[i] = signs[below((int64_t)sizeof(signs) - 1)];
    ALWAYS(duration_parse(text, &duration_ns) ? duration_ns == -1 : duration_ns >= 0);
    ALWAYS(share_parse(text, &share) ? share == -1 : share >= 0 && share <= 1);
    if (!cpu_mask_parse_lists(text, &named, &twice))
        ALWAYS(cpu_mask_count(&named) > 0 && cpu_mask_subset(&twice, &named));
    if (rates_parse(text, &rates))
        return;
    for (int i = 0; i < rates.count; i++)
        ALWAYS(rates.values[i] >= RATE_MIN && rates.values[i] <= RATE_MAX);
}

START_TEST(whatever_is_read_is_within_its_bounds)
{
    live_with_seeds(50000, read_anything);
}

SUITE("values")
