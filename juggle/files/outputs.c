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

int outputs_open(const struct output_paths *paths, struct outputs *outputs)
{
    int error = output_open(paths->report, &outputs->report);

    if (!error)
        error = output_open(paths->record, &outputs->record);
    if (!error)
        error = output_open(paths->trace, &outputs->trace);
    if (!error)
        error = pair_check(&outputs->report, &outputs->record);
    if (!error)
        error = pair_check(&outputs->report, &outputs->trace);
    return error ? error : pair_check(&outputs->record, &outputs->trace);
}

void outputs_close(struct outputs *outputs)
{
    output_close(&outputs->trace);
    output_close(&outputs->record);
    output_close(&outputs->report);
}
