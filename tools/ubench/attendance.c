/* SPDX-License-Identifier: BSD-3-Clause */
/* Each member writes its own rows only. The rows are read after all members have ended. */
#include "tools/ubench/attendance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LINE_VALUES = 64 / sizeof(int64_t) };

static size_t table_size(const struct attendance *attendance)
{
    return (size_t)attendance->members_count * attendance->row_length * sizeof(int64_t);
}

static int table_map(const struct attendance *attendance, int64_t **table)
{
    void *memory = mmap(NULL, table_size(attendance), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return -errno;
    *table = memory;
    return 0;
}

int attendance_init(struct attendance *attendance, int members_count, int phases_count)
{
    *attendance = (struct attendance){.members_count = members_count, .phases_count = phases_count};
    /* There is one more barrier than phases; rounded up to whole cache lines. */
    attendance->row_length = ((size_t)phases_count / LINE_VALUES + 1) * LINE_VALUES;
    int error = table_map(attendance, &attendance->arrived_ns);
    if (error)
        return error;
    error = table_map(attendance, &attendance->work_ns);
    if (error)
        attendance_destroy(attendance);
    return error;
}

void attendance_destroy(struct attendance *attendance)
{
    if (attendance->arrived_ns)
        munmap(attendance->arrived_ns, table_size(attendance));
    if (attendance->work_ns)
        munmap(attendance->work_ns, table_size(attendance));
    *attendance = (struct attendance){0};
}

int64_t *attendance_arrived_row(const struct attendance *attendance, int member)
{
    return attendance->arrived_ns + (size_t)member * attendance->row_length;
}

int64_t *attendance_work_row(const struct attendance *attendance, int member)
{
    return attendance->work_ns + (size_t)member * attendance->row_length;
}

static int64_t last_arrival_ns(const struct attendance *attendance, int barrier)
{
    int64_t last_ns = attendance_arrived_row(attendance, 0)[barrier];

    for (int member = 1; member < attendance->members_count; member++)
        last_ns = max_i64(last_ns, attendance_arrived_row(attendance, member)[barrier]);
    return last_ns;
}

static int compare_times(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

/* Returns the spread of the values, and sorts them. */
static struct spread spread_of(int64_t *values_ns, size_t count)
{
    qsort(values_ns, count, sizeof(*values_ns), compare_times);
    return (struct spread){
        .min_ns = values_ns[0],
        .median_ns = (values_ns[(count - 1) / 2] + values_ns[count / 2]) / 2,
        .max_ns = values_ns[count - 1],
    };
}

int attendance_summarize(const struct attendance *attendance, struct attendance_summary *summary)
{
    const size_t phases_count = (size_t)attendance->phases_count;
    const size_t members_count = (size_t)attendance->members_count;
    int64_t *phase_ns = calloc(phases_count, sizeof(*phase_ns));
    int64_t *sorted_ns = calloc(phases_count * members_count, sizeof(*sorted_ns));
    int error = phase_ns && sorted_ns ? 0 : -ENOMEM;

    if (error)
        goto out;
    const int64_t start_ns = last_arrival_ns(attendance, 0);
    int64_t before_ns = start_ns;
    for (int phase = 0; phase < attendance->phases_count; phase++) {
        const int64_t after_ns = last_arrival_ns(attendance, phase + 1);
        phase_ns[phase] = after_ns - before_ns;
        before_ns = after_ns;
    }
    for (size_t member = 0; member < members_count; member++)
        memcpy(sorted_ns + member * phases_count, attendance_work_row(attendance, (int)member),
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

void attendance_summary_destroy(struct attendance_summary *summary)
{
    free(summary->phase_ns);
    summary->phase_ns = NULL;
}
