/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/work.h"

#include "tools/steal-sim/draws.h"
#include "tools/tce/contraction.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Durations of Hartree-Fock tasks: 115,200 s for 213,000 tasks, the longest 5.9 times the mean.
 * They are derived from the retentive stealing paper's ideal times and the constant loss of central
 * balancing. With tiles of half the length a task takes about a tenth, so that 512 atoms take the
 * same total time with either. */
enum { HF_MEAN_US = 541000, HF_MEAN_20_US = 51250, TCE_MEAN_US = 100000 };
static const double HF_LONGEST = 5.87;

enum { TASKS_DEFAULT = 100000, MEAN_DEFAULT_US = 1000 };

enum { LINE_SIZE = 64 }; /* of a file of tasks */

void work_named(const char *name, struct work_settings *settings)
{
    /* Numbers of tasks that do something, from table 1 of the paper. */
    static const struct {
        const char *name;
        enum work_kind kind;
        int64_t tasks_count, mean_us;
        double longest;
    } works[] = {
        {"uts", WORK_TREE, 0, 0, 0},
        {"exponential", WORK_EXPONENTIAL, TASKS_DEFAULT, MEAN_DEFAULT_US, 0},
        {"lognormal", WORK_LOGNORMAL, TASKS_DEFAULT, MEAN_DEFAULT_US, 0},
        {"hf", WORK_EXPONENTIAL, 213000, HF_MEAN_US, HF_LONGEST},
        {"hf-be512", WORK_EXPONENTIAL, 862000, HF_MEAN_US, HF_LONGEST},
        {"hf-be512-20", WORK_EXPONENTIAL, 9100000, HF_MEAN_20_US, HF_LONGEST},
        {"tce", WORK_TCE, 0, TCE_MEAN_US, 0},
    };

    *settings = (struct work_settings){.kind = WORK_FILE, .path = name};
    for (size_t i = 0; i < ARRAY_COUNT(works); i++) {
        if (strcmp(name, works[i].name) != 0)
            continue;
        settings->kind = works[i].kind;
        settings->tasks_count = works[i].tasks_count;
        settings->mean_ns = works[i].mean_us * NSEC_PER_USEC;
        settings->longest = works[i].longest;
    }
}

/* ---- costs, in any unit -------------------------------------------------------------------- */

static int add_cost(struct workload *work, double **costs, double cost)
{
    const uint32_t count = work->tasks_count;

    /* The capacity is always a power of two. */
    if ((count & (count - 1)) == 0) {
        double *moved = reallocarray(*costs, count ? 2 * (size_t)count : 1, sizeof(*moved));

        if (!moved)
            return -ENOMEM;
        *costs = moved;
    }
    if (count == UINT32_MAX)
        return -E2BIG;
    (*costs)[work->tasks_count++] = cost;
    return 0;
}

static int costs_draw(const struct work_settings *settings, struct workload *work, double **costs)
{
    struct prng prng;
    int error = 0;

    prng_seed(&prng, settings->seed);
    while (work->tasks_count < settings->tasks_count && error == 0) {
        const double cost = settings->kind == WORK_EXPONENTIAL ? draw_exponential(&prng)
                                                               : exponential(draw_normal(&prng));

        if (settings->longest == 0 || cost <= settings->longest)
            error = add_cost(work, costs, cost);
    }
    return error;
}

static int costs_contract(struct workload *work, double **costs)
{
    struct contraction contraction;
    int error = contraction_create(1, &contraction);

    if (error < 0)
        return error;
    for (int64_t task = 0; task < contraction.tasks_count && error == 0; task++)
        error = add_cost(work, costs, (double)contraction_cost(&contraction, task));
    contraction_destroy(&contraction);
    return error;
}

static int costs_read(const char *path, struct workload *work, double **costs, int64_t *line)
{
    FILE *file = fopen(path, "r");
    char text[LINE_SIZE];
    int error = file ? 0 : -errno;

    *line = 0;
    while (error == 0 && fgets(text, sizeof(text), file)) {
        char *end;
        const int64_t duration_ns = strtoll(text, &end, 10);

        ++*line;
        if (end == text || end[strspn(end, "\r\n")] || duration_ns <= 0 ||
            (!strchr(end, '\n') && !feof(file)))
            error = -EBADMSG;
        else
            error = add_cost(work, costs, (double)duration_ns);
    }
    if (error == 0 && ferror(file))
        error = -errno;
    if (error == 0 && work->tasks_count == 0) {
        *line = 0;
        error = -EBADMSG;
    }
    if (file)
        fclose(file);
    return error;
}

/* ---- durations ----------------------------------------------------------------------------- */

/* Returns the time as at least 1 ns and at most INT64_MAX / 2. */
static int64_t nanoseconds(double time_ns)
{
    return max_i64((int64_t)fmin(time_ns, (double)(INT64_MAX / 2)), 1);
}

static int durations_fill(struct workload *work, const double *costs, int64_t mean_ns)
{
    double sum = 0;

    for (uint32_t i = 0; i < work->tasks_count; i++)
        sum += costs[i];
    const double scale = mean_ns > 0 ? (double)mean_ns * work->tasks_count / sum : 1;

    work->total_s = sum * scale / (double)NSEC_PER_SEC;
    work->duration_ns = calloc(work->tasks_count, sizeof(*work->duration_ns));
    if (!work->duration_ns)
        return -ENOMEM;
    for (uint32_t i = 0; i < work->tasks_count; i++)
        work->duration_ns[i] = nanoseconds(costs[i] * scale);
    return 0;
}

int work_open(const struct work_settings *settings, struct workload *out, int64_t *line)
{
    struct workload work = {0};
    double *costs = NULL;
    int error = settings->kind == WORK_FILE  ? costs_read(settings->path, &work, &costs, line)
                : settings->kind == WORK_TCE ? costs_contract(&work, &costs)
                                             : costs_draw(settings, &work, &costs);

    if (!error)
        error = durations_fill(&work, costs, settings->mean_ns);
    free(costs);
    if (!error)
        *out = work;
    return error;
}

void work_close(struct workload *work)
{
    free(work->duration_ns);
}

/* Returns a reproducible random number between -1 and 1. */
static double swing(const struct work_change *change, uint32_t task, uint64_t which)
{
    return 2 * chance_of(change->seed, task, which) - 1;
}

int64_t work_duration(const struct workload *work, const struct work_change *change, uint32_t task,
                      int iteration)
{
    double duration_ns = (double)work->duration_ns[task];

    for (int i = 1; i <= iteration && change->drift > 0; i++)
        duration_ns *= 1 + change->drift * swing(change, task, 2 * (uint64_t)i);
    if (change->noise > 0)
        duration_ns *= 1 + change->noise * swing(change, task, 2 * (uint64_t)iteration + 1);
    return nanoseconds(duration_ns);
}
