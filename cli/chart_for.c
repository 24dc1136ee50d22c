/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/chart.h"

#include <string.h>

static const struct {
    const char *suffix;
    chart_writer write;
} writers[] = {{".svg", chart_write_svg}, {".txt", chart_write_text}};

chart_writer chart_for(const char *path)
{
    const size_t length = strlen(path);

    for (size_t i = 0; i < ARRAY_COUNT(writers); i++) {
        const size_t suffix_length = strlen(writers[i].suffix);
        if (length > suffix_length && !strcmp(path + length - suffix_length, writers[i].suffix))
            return writers[i].write;
    }
    return NULL;
}
