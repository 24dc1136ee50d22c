/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/files/outputs.h"

#include "cli/options.h"

#include <errno.h>

static int pair_check(const struct output *one, const struct output *other)
{
    if (!output_is_same(one, other))
        return 0;
    complain("juggle", "'%s' and '%s' are one file: name another one for one of them", one->path,
             other->path);
    return -EEXIST;
}

/* No two of them may be one file. */
static int pairs_check(const struct outputs *outputs)
{
    const struct output *const all[] = {&outputs->report, &outputs->record, &outputs->trace,
                                        &outputs->picture};
    int error = 0;

    for (size_t i = 0; i < ARRAY_COUNT(all); i++)
        for (size_t j = 0; j < i && !error; j++)
            error = pair_check(all[j], all[i]);
    return error;
}

int outputs_open(const struct output_paths *paths, struct outputs *outputs)
{
    int error = output_open(paths->report, &outputs->report);

    if (!error)
        error = output_open(paths->record, &outputs->record);
    if (!error)
        error = output_open(paths->trace, &outputs->trace);
    if (!error)
        error = output_open(paths->picture, &outputs->picture);
    return error ? error : pairs_check(outputs);
}

void outputs_close(struct outputs *outputs)
{
    output_close(&outputs->picture);
    output_close(&outputs->trace);
    output_close(&outputs->record);
    output_close(&outputs->report);
}
