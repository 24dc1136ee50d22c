/* SPDX-License-Identifier: BSD-3-Clause */
/* Each member writes its own rows alone; they are read after all members have been waited for. */
#include "tools/ubench/ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LINE_VALUES = 64 / sizeof(int64_t) };

static size_t table_size(const struct ledger *ledger)
{
    return (size_t)ledger->members_count * ledger->row_length * sizeof(int64_t);
}

static int table_map(const struct ledger *ledger, int64_t **table)
{
    void *memory = mmap(NULL, table_size(ledger), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return -errno;
    *table = memory;
    return 0;
}

int ledger_init(struct ledger *ledger, int members_count, int phases_count)
{
    *ledger = (struct ledger){.members_count = members_count, .phases_count = phases_count};
    /* One more barrier than phases, rounded up to whole lines. */
    ledger->row_length = ((size_t)phases_count / LINE_VALUES + 1) * LINE_VALUES;
    int error = table_map(ledger, &ledger->arrived_ns);
    if (error)
        return error;
    error = table_map(ledger, &ledger->work_ns);
    if (error)
        ledger_destroy(ledger);
    return error;
}

void ledger_destroy(struct ledger *ledger)
{
    if (ledger->arrived_ns)
        munmap(ledger->arrived_ns, table_size(ledger));
    if (ledger->work_ns)
        munmap(ledger->work_ns, table_size(ledger));
    *ledger = (struct ledger){0};
}

int64_t *ledger_arrived_row(const struct ledger *ledger, int member)
{
    return ledger->arrived_ns + (size_t)member * ledger->row_length;
}

int64_t *ledger_work_row(const struct ledger *ledger, int member)
{
    return ledger->work_ns + (size_t)member * ledger->row_length;
}

static int64_t last_arrival_ns(const struct ledger *ledger, int barrier)
{
    int64_t last_ns = ledger_arrived_row(ledger, 0)[barrier];

    for (int member = 1; member < ledger->members_count; member++)
        last_ns = max_i64(last_ns, ledger_arrived_row(ledger, member)[barrier]);
    return last_ns;
}

static int compare_times(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

/* Sorts the values. */
static struct spread spread_of(int64_t *values_ns, size_t count)
{
    qsort(values_ns, count, sizeof(*values_ns), compare_times);
    return (struct spread){
        .min_ns = values_ns[0],
        .median_ns = (values_ns[(count - 1) / 2] + values_ns[count / 2]) / 2,
        .max_ns = values_ns[count - 1],
    };
}

int ledger_summarize(const struct ledger *ledger, struct ledger_summary *summary)
{
    const size_t phases_count = (size_t)ledger->phases_count;
    const size_t members_count = (size_t)ledger->members_count;
    int64_t *phase_ns = calloc(phases_count, sizeof(*phase_ns));
    int64_t *sorted_ns = calloc(phases_count * members_count, sizeof(*sorted_ns));
    int error = phase_ns && sorted_ns ? 0 : -ENOMEM;

    if (error)
        goto out;
    const int64_t start_ns = last_arrival_ns(ledger, 0);
    int64_t before_ns = start_ns;
    for (int phase = 0; phase < ledger->phases_count; phase++) {
        const int64_t after_ns = last_arrival_ns(ledger, phase + 1);
        phase_ns[phase] = after_ns - before_ns;
        before_ns = after_ns;
    }
    for (size_t member = 0; member < members_count; member++)
        memcpy(sorted_ns + member * phases_count, ledger_work_row(ledger, (int)member),
               phases_count * sizeof(*sorted_ns));
    summary->work = spread_of(sorted_ns, phases_count * members_count);
    memcpy(sorted_ns, phase_ns, phases_count * sizeof(*sorted_ns));
    summary->phase = spread_of(sorted_ns, phases_count);
    summary->elapsed_ns = before_ns - start_ns;
    summary->phase_ns = phase_ns;
    phase_ns = NULL;
out:
    free(sorted_ns);
    free(phase_ns);
    return error;
}

void ledger_summary_destroy(struct ledger_summary *summary)
{
    free(summary->phase_ns);
    summary->phase_ns = NULL;
}
