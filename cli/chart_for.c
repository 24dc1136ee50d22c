/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/chart.h"
#include "cli/suffix.h"

static const struct {
    const char *suffix;
    chart_writer write;
} writers[] = {{".svg", chart_write_svg}, {".txt", chart_write_text}};

chart_writer chart_for(const char *path)
{
    for (size_t i = 0; i < ARRAY_COUNT(writers); i++)
        if (has_suffix(path, writers[i].suffix))
            return writers[i].write;
    return NULL;
}
