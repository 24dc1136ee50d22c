/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/iterate/durations.h"

#include "cli/options.h"
#include "tools/iterate/replacement.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct durations {
    int64_t count;
    int64_t task[]; /* the longest time of each task; 0: it was not executed here */
};

struct durations *durations_create(int64_t tasks_count)
{
    struct durations *durations = calloc(1, sizeof(*durations) +
                                                (size_t)tasks_count * sizeof(durations->task[0]));

    if (durations)
        durations->count = tasks_count;
    return durations;
}

void durations_destroy(struct durations *durations)
{
    free(durations);
}

void durations_note(struct durations *durations, int64_t task, int64_t duration_ns)
{
    durations->task[task] = max_i64(durations->task[task], max_i64(duration_ns, 1));
}

int durations_try(const char *path, const char *program)
{
    const int error = replacement_try(path);

    if (error == 0)
        return 0;
    complain(program, "%s: %s", path, strerror(-error));
    return -ECANCELED;
}

static int write_file(const struct durations *durations, const char *path)
{
    struct replacement file;
    const int error = replacement_open(path, &file);

    if (error < 0)
        return error;
    for (int64_t task = 0; task < durations->count; task++)
        if (durations->task[task] > 0)
            fprintf(file.stream, "%" PRId64 "\n", durations->task[task]);
    return replacement_commit(&file);
}

/* A task that different ranks have executed counts with its longest time. */
int durations_write(struct durations *durations, struct steal_runtime *runtime, const char *path,
                    const char *program)
{
    int error = steal_max(runtime, durations->task, (size_t)durations->count);

    if (error < 0)
        return error;
    if (steal_rank(runtime) == 0)
        error = write_file(durations, path);
    if (error < 0)
        complain(program, "%s: %s", path, strerror(-error));
    return error;
}
